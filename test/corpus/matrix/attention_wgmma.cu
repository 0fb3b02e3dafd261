// One head of attention forward by warp groups: scores by wgmma from shared memory, weights stay in registers as the first factor of the second product.
// targets: sm_90a
#include "asynchronous.h"

// d += A · B of 64 × 64 × 16 with A in registers; B lies with its rows along k, swizzled by 128 bytes.
__device__ __forceinline__ void weighted(float (&d)[32], const unsigned (&a)[4], unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " LIST32 ", {%32,%33,%34,%35}, %36, 1, 1, 1, 1;"
               : D8(0), D8(8), D8(16), D8(24)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// q, k, v: length × 64 halves by rows, in boxes of 64 rows. 64 queries for each block.
extern "C" __global__ void __launch_bounds__(128) attention(int length, float factor, const __grid_constant__ CUtensorMap q,
                                                            const __grid_constant__ CUtensorMap k,
                                                            const __grid_constant__ CUtensorMap v, float *out) {
  __shared__ __align__(1024) half tileQ[64 * 64], tileK[64 * 64], tileV[64 * 64];
  __shared__ __align__(8) uint64_t full;
  int t = threadIdx.x;
  if (t == 0) {
    initBarrier(addressOf(&full), 1);
    fenceBarriers();
  }
  __syncthreads();
  float o[32], most[2] = {-1e30f, -1e30f}, sum[2] = {0.0f, 0.0f};
  for (int i = 0; i < 32; i++) o[i] = 0.0f;
  for (int j = 0; j < length / 64; j++) {
    if (t == 0) {
      expect(addressOf(&full), j == 0 ? 3 * 8192 : 2 * 8192);
      if (j == 0) loadBox(addressOf(tileQ), &q, addressOf(&full), 0, blockIdx.x * 64);
      loadBox(addressOf(tileK), &k, addressOf(&full), 0, j * 64);
      loadBox(addressOf(tileV), &v, addressOf(&full), 0, j * 64);
    }
    waitFor(addressOf(&full), j & 1);
    float s[32];
    for (int i = 0; i < 32; i++) s[i] = 0.0f;
    groupFence();
#pragma unroll
    for (int kk = 0; kk < 4; kk++)
      groupProduct(s, groupMatrix(addressOf(tileQ) + 32 * kk), groupMatrix(addressOf(tileK) + 32 * kk));
    groupCommit();
    groupWait<0>();
    for (int h = 0; h < 2; h++) {
      float m = most[h];
      for (int i = 0; i < 32; i++)
        if (i / 2 % 2 == h) m = fmaxf(m, s[i] * factor);
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      float change = __expf(most[h] - m), part = 0.0f;
      for (int i = 0; i < 32; i++)
        if (i / 2 % 2 == h) {
          s[i] = __expf(s[i] * factor - m);
          part += s[i];
          o[i] *= change;
        }
      part += __shfl_xor_sync(~0u, part, 1);
      part += __shfl_xor_sync(~0u, part, 2);
      sum[h] = sum[h] * change + part;
      most[h] = m;
    }
    unsigned w[4][4];
    for (int kk = 0; kk < 4; kk++)
      for (int i = 0; i < 4; i++) {
        half2 two = __floats2half2_rn(s[8 * kk + 2 * i], s[8 * kk + 2 * i + 1]);
        w[kk][i] = *(unsigned *)&two;
      }
    groupFence();
#pragma unroll
    for (int kk = 0; kk < 4; kk++) weighted(o, w[kk], groupMatrix(addressOf(tileV) + 2048 * kk));
    groupCommit();
    groupWait<0>();
    __syncthreads();
  }
  for (int i = 0; i < 32; i++) out[(blockIdx.x * 64 + groupRow(i)) * 64 + groupColumn(i)] = o[i] / sum[i / 2 % 2];
}
