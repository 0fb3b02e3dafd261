// sm_75
// assert: its condition is computed, and holds.
#include "program.h"
#include <assert.h>
HD int value(int i) {
  int s = 0;
  for (int j = 0; j < 8; j++) { s += (i >> j & 1) << (7 - j); assert(s < 256); }
  assert(s >= 0 && "reversed");
  return s;
}
EACH(256, int, value(i))
