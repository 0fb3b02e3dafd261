// sm_75
// A priority queue in local memory.
#include "program.h"
HD u32 value(int i) {
  u32 h[33]; int n = 0; u32 x = i + 1, out = 0;
  for (int step = 0; step < 48; step++) {
    x = x * 1103515245u + 12345u;
    if ((x >> 16) % 3 && n < 32) {
      int at = n++; u32 v = x >> 20;
      while (at && h[(at - 1) / 2] > v) { h[at] = h[(at - 1) / 2]; at = (at - 1) / 2; }
      h[at] = v;
    } else if (n) {
      out = out * 31 + h[0]; u32 v = h[--n]; int at = 0;
      for (;;) { int c = 2 * at + 1; if (c >= n) break; if (c + 1 < n && h[c + 1] < h[c]) c++; if (h[c] >= v) break; h[at] = h[c]; at = c; }
      h[at] = v;
    }
  }
  return out;
}
EACH(80, u32, value(i))
