// sm_75
// Morton codes, Gray codes, population counts, leading and trailing zeros, reversals, funnel shifts, byte permutes.
#include "program.h"
HD u32 part(u32 x) { x &= 0xffff; x = (x | x << 8) & 0xff00ff; x = (x | x << 4) & 0xf0f0f0f; x = (x | x << 2) & 0x33333333; return (x | x << 1) & 0x55555555; }
#ifdef __CUDA_ARCH__
#define COUNT(x) __popc(x)
#define LEADING(x) __clz(x)
#define REVERSED(x) __brev(x)
#define FUNNEL(lo, hi, n) __funnelshift_l(lo, hi, n)
#define COUNT64(x) __popcll(x)
#else
HD u32 reversed_(u32 x) { u32 r = 0; for (int j = 0; j < 32; j++) r |= (x >> j & 1) << (31 - j); return r; }
#define COUNT(x) __builtin_popcount(x)
#define LEADING(x) ((x) ? __builtin_clz(x) : 32)
#define REVERSED(x) reversed_(x)
#define FUNNEL(lo, hi, n) ((u32)((((u64)(hi) << 32 | (lo)) << ((n) & 31)) >> 32))
#define COUNT64(x) __builtin_popcountll(x)
#endif
HD u32 value(int i) {
  u32 x = i * 2654435761u, y = x ^ x >> 13;
  return part(x) ^ part(y) << 1 ^ (x ^ x >> 1) + COUNT(x) * 3 + LEADING(y >> i % 32) * 5 ^ REVERSED(x) ^ FUNNEL(x, y, i) + COUNT64((u64)x << 32 | y);
}
EACH(256, u32, value(i))
