// sm_75
// Sums of four products of bytes, the count of differing bits, sums of absolute differences.
#include "program.h"
#ifdef __CUDA_ARCH__
#define DOT(a, b, c) __dp4a((int)(a), (int)(b), (int)(c))
#define DOTU(a, b, c) __dp4a((u32)(a), (u32)(b), (u32)(c))
#define SAD(a, b, c) __usad(a, b, c)
#define SADS(a, b, c) __sad(a, b, c)
#else
HD int dot(u32 a, u32 b, int c) { for (int j = 0; j < 32; j += 8) c += (int8_t)(a >> j) * (int8_t)(b >> j); return c; }
HD u32 dotu(u32 a, u32 b, u32 c) { for (int j = 0; j < 32; j += 8) c += (u8)(a >> j) * (u8)(b >> j); return c; }
#define DOT(a, b, c) dot(a, b, c)
#define DOTU(a, b, c) dotu(a, b, c)
#define SAD(a, b, c) ((a) > (b) ? (a) - (b) + (c) : (b) - (a) + (c))
#define SADS(a, b, c) (u32)((long long)(a) > (b) ? (long long)(a) - (b) + (c) : (long long)(b) - (a) + (c))
#endif
HD u32 value(int i) { u32 a = i * 2654435761u, b = i * 40503u + 77777u; return DOT(a, b, i) ^ DOTU(b, a, i * 3) + SAD(a, b, 5u) ^ SADS((int)a, (int)b, 9u); }
EACH(200, u32, value(i))
