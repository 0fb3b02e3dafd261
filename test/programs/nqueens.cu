// sm_75
// Backtracking by recursion over bit masks.
#include "program.h"
HD int place(u32 all, u32 columns, u32 left, u32 right) {
  if (columns == all) return 1;
  int n = 0;
  for (u32 free = all & ~(columns | left | right); free; free &= free - 1) {
    u32 bit = free & -free;
    n += place(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return n;
}
HD int value(int i) { u32 all = 63, bit = 1u << i % 6; return place(all, bit, bit << 1, bit >> 1) + i / 6; }
EACH(24, int, value(i))
