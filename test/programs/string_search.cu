// sm_75
// Knuth-Morris-Pratt: one text per thread, failure function in local memory.
#include "program.h"
HD int value(int i) {
  u8 pattern[6]; int fail[6];
  for (int j = 0; j < 6; j++) pattern[j] = (i >> j / 2 & 1) + 'a';
  fail[0] = 0;
  for (int j = 1, m = 0; j < 6; j++) { while (m && pattern[m] != pattern[j]) m = fail[m - 1]; if (pattern[m] == pattern[j]) m++; fail[j] = m; }
  int found = 0; u32 x = i * 747796405u + 1;
  for (int j = 0, m = 0; j < 120; j++) {
    x = x * 1664525u + 1013904223u; u8 c = 'a' + (x >> 30 & 1);
    while (m && pattern[m] != c) m = fail[m - 1];
    if (pattern[m] == c) m++;
    if (m == 6) { found = found * 31 + j; m = fail[5]; }
  }
  return found;
}
EACH(96, int, value(i))
