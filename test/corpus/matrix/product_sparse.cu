// C = A · B where two of four neighbours in A are zero: mma.sp with f16, s8, e4m3 and s4 (pairs of neighbours), its places in ascending order and in any. A comes without
// the zeros, with two bits of place for each element kept.
// targets: sm_80 sm_90 sm_100
#include <cstdint>

// a: m × 16 words for 64 halves or 128 bytes of k, b: n × twice as many; e: for each 16 rows and step, a word for each of the 16 lanes' threads that give it.
#define KERNEL(NAME, SUM, C, ASM)                                                                                            \
  extern "C" __global__ void __launch_bounds__(32)                                                                           \
      NAME(int n, int words, const unsigned *a, const unsigned *b, const unsigned *e, SUM *c) {                              \
    int lane = threadIdx.x, g = lane / 4, t = lane % 4, row = blockIdx.y * 16, col = blockIdx.x * 8;                         \
    SUM d[4] = {};                                                                                                           \
    for (int k = 0; k < words; k += 8) {                                                                                     \
      const unsigned *top = a + (row + g) * words + k + t, *low = top + 8 * words, *right = b + (col + g) * 2 * words + 2 * k + t; \
      unsigned places = e[(blockIdx.y * (words / 8) + k / 8) * 32 + lane];                                                   \
      asm volatile(ASM " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0;"                              \
                   : C(d[0]), C(d[1]), C(d[2]), C(d[3])                                                                      \
                   : "r"(top[0]), "r"(low[0]), "r"(top[4]), "r"(low[4]), "r"(right[0]), "r"(right[4]), "r"(right[8]),        \
                     "r"(right[12]), "r"(places));                                                                           \
    }                                                                                                                        \
    for (int i = 0; i < 4; i++) c[(row + g + 8 * (i / 2)) * n + col + 2 * t + i % 2] = d[i];                                 \
  }

KERNEL(of_f16, float, "+f", "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32")
KERNEL(of_s8, int, "+r", "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32")
KERNEL(of_f16_any, float, "+f", "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32")
KERNEL(of_s8_any, int, "+r", "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32")
KERNEL(of_s4_any, int, "+r", "mma.sp.sync.aligned.m16n8k128.row.col.s32.s4.s4.s32")
#if __CUDA_ARCH__ >= 900
KERNEL(of_e4m3_any, float, "+f", "mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32")
#endif
