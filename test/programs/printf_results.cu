// sm_75
// printf with arguments of every kind; its result is the number of arguments.
#include "program.h"
#include <stdio.h>
#ifdef __CUDA_ARCH__
#define PRINT(N, ...) printf(__VA_ARGS__)
#else
#define PRINT(N, ...) N
#endif
HD int value(int i) {
  int n = 0;
  if (i % 7 == 0) n += PRINT(2, "%d %s\n", i, i & 1 ? "odd" : "even");
  if (i % 11 == 3) n += 10 * PRINT(3, "%g %lld %c\n", i * 0.5, (long long)i << 33, 'a' + i % 26);
  if (i % 13 == 5) n += 100 * PRINT(0, "nothing\n");
  return n + i;
}
EACH(96, int, value(i))
