// sm_75
// Memory of the stack whose size is known when the program runs, two rows of it at a time.
#include "program.h"
#include <alloca.h>
#ifdef __CUDACC__
#define ON __device__ __forceinline__
#else
#define ON
#endif
ON u32 folded(const u32* a, int n) { u32 s = 0; for (int j = 0; j < n; j++) s = s * 33 + a[j]; return s; }
ON u32 value(int i) {
  u32* a = (u32*)alloca((i % 9 + 1) * 4);
  u8* b = (u8*)alloca(i % 5 + 1);
  for (int j = 0; j <= i % 9; j++) a[j] = i * j;
  for (int j = 0; j <= i % 5; j++) b[j] = i + j;
  u64* c = (u64*)alloca((i % 3 + 1) * 8);
  for (int j = 0; j <= i % 3; j++) c[j] = folded(a, i % 9 + 1) * (u64)(b[i % 5] + j);
  return folded(a, i % 9 + 1) + b[i % 5] * 1000 + (u32)(c[i % 3] >> 3);
}
EACH(96, u32, value(i))
