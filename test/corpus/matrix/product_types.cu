// C = A · B, one tile for each warp by mma.sync, in the types that the units have; fragments are filled from global memory word by word.
// targets: sm_80 sm_90 sm_100
#include <cstdint>

// Word w of row r of a matrix whose rows have `words` of them.
__device__ __forceinline__ unsigned at(const unsigned *m, int words, int r, int w) { return m[r * words + w]; }

// 16 × 8 sums by 32-bit words: SHAPE steps of eight words of k.
#define KERNEL(NAME, SUM, C, ASM)                                                                                            \
  extern "C" __global__ void __launch_bounds__(64) NAME(int n, int words, const unsigned *a, const unsigned *b, SUM *c) {     \
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;                                                                 \
    int row = blockIdx.y * 16, col = blockIdx.x * 16 + threadIdx.x / 32 * 8;                                                 \
    SUM d[4] = {};                                                                                                           \
    for (int k = 0; k < words; k += 8) {                                                                                     \
      unsigned a0 = at(a, words, row + g, k + t), a1 = at(a, words, row + g + 8, k + t);                                     \
      unsigned a2 = at(a, words, row + g, k + t + 4), a3 = at(a, words, row + g + 8, k + t + 4);                             \
      unsigned b0 = at(b, words, col + g, k + t), b1 = at(b, words, col + g, k + t + 4);                                     \
      asm volatile(ASM " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                              \
                   : C(d[0]), C(d[1]), C(d[2]), C(d[3])                                                                      \
                   : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));                                                  \
    }                                                                                                                        \
    for (int i = 0; i < 4; i++) c[(row + g + 8 * (i / 2)) * n + col + 2 * t + i % 2] = d[i];                                 \
  }

KERNEL(of_bf16, float, "+f", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32")
KERNEL(of_tf32, float, "+f", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32")
KERNEL(of_s8, int, "+r", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32")
KERNEL(of_u8s8, int, "+r", "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32")
KERNEL(of_bits, int, "+r", "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc")

// f64: 8 × 8 by steps of four.
extern "C" __global__ void __launch_bounds__(32) of_f64(int n, int k, const double *a, const double *b, double *c) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4, row = blockIdx.y * 8, col = blockIdx.x * 8;
  double d[2] = {};
  for (int i = 0; i < k; i += 4)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(a[(row + g) * k + i + t]), "d"(b[(col + g) * k + i + t]));
  c[(row + g) * n + col + 2 * t] = d[0];
  c[(row + g) * n + col + 2 * t + 1] = d[1];
}
