// C = A · B with a scale for each block of the factors (OCP MX): e4m3 with blocks of 32, e2m1 with blocks of 32 and of 16.
// targets: sm_120a
#include <cstdint>

// Rows of `words` words; scales: a word for each row and step of eight words, one byte for each block of it.
#define KERNEL(NAME, ASM)                                                                                                    \
  extern "C" __global__ void __launch_bounds__(32) NAME(int n, int words, const unsigned *a, const unsigned *b,              \
                                                        const unsigned *sa, const unsigned *sb, float *c) {                  \
    int lane = threadIdx.x, g = lane / 4, t = lane % 4, row = blockIdx.y * 16, col = blockIdx.x * 8;                         \
    float d[4] = {};                                                                                                         \
    for (int k = 0; k < words; k += 8) {                                                                                     \
      const unsigned *top = a + (row + g) * words + k + t, *low = top + 8 * words, *right = b + (col + g) * words + k + t;   \
      unsigned scaleA = sa[(row + g + 8 * (t % 2)) * (words / 8) + k / 8], scaleB = sb[(col + g) * (words / 8) + k / 8];     \
      asm volatile(ASM " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}, {%10}, {0, 0}, {%11}, {0, 0};"                \
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                          \
                   : "r"(top[0]), "r"(low[0]), "r"(top[4]), "r"(low[4]), "r"(right[0]), "r"(right[4]), "r"(scaleA),          \
                     "r"(scaleB));                                                                                           \
    }                                                                                                                        \
    for (int i = 0; i < 4; i++) c[(row + g + 8 * (i / 2)) * n + col + 2 * t + i % 2] = d[i];                                 \
  }

KERNEL(of_mxf8, "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e4m3.f32.ue8m0")
KERNEL(of_mxf4, "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0")
KERNEL(of_nvf4, "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3")
