// sm_75
// Each thread completes another small sudoku (4 × 4 … 9 × 9 would do) by going back where it is stuck.
#include "program.h"
HD bool fits(const u8* g, int at, int v) {
  int r = at / 4, c = at % 4;
  for (int j = 0; j < 4; j++) if (g[r * 4 + j] == v || g[j * 4 + c] == v || g[(r & 2) * 4 + (c & 2) + (j >> 1) * 4 + (j & 1)] == v) return false;
  return true;
}
HD u32 value(int i) {
  u8 g[16] = {}; bool given[16] = {};
  int first = i % 16; g[first] = i / 16 % 4 + 1; given[first] = true;
  u32 found = 0, steps = 0, sum = 0; int at = 0, by = 1;
  while (at >= 0) {
    steps++;
    if (at == 16) { found++; for (int j = 0; j < 16; j++) sum = sum * 5 + g[j]; by = -1; at--; if (found == 20) break; continue; }
    if (given[at]) { at += by; continue; }
    int v = g[at] + 1; g[at] = 0;
    while (v <= 4 && !fits(g, at, v)) v++;
    if (v <= 4) { g[at] = v; by = 1; at++; } else { by = -1; at--; }
  }
  return found * 1000003u + steps * 101u + sum;
}
EACH(64, u32, value(i))
