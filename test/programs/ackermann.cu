// sm_75
// Recursion in its own arguments.
#include "program.h"
HD u32 ackermann(u32 m, u32 n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
EACH(48, u32, ackermann(i % 3, i % 7))
