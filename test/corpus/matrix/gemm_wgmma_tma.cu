// C = A · B, f16 with f32 sums: tiles of 128 × 64 by two warp groups with wgmma, fed by a producer through TMA and a ring of three stages.
// targets: sm_90a
#include "asynchronous.h"

constexpr int STAGES = 3, A_BYTES = 128 * 128, B_BYTES = 64 * 128;

// a: m × k, b: n × k by rows, as boxes of 64 columns, swizzled by 128 bytes.
extern "C" __global__ void __launch_bounds__(384)
    gemm(int n, int k, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c) {
  extern __shared__ __align__(1024) unsigned char tiles[];
  __shared__ __align__(8) uint64_t full[STAGES], empty[STAGES];
  int t = threadIdx.x, row = blockIdx.y * 128, col = blockIdx.x * 64;
  if (t == 0) {
    for (int s = 0; s < STAGES; s++) initBarrier(addressOf(&full[s]), 1), initBarrier(addressOf(&empty[s]), 2);
    fenceBarriers();
  }
  __syncthreads();
  unsigned base = addressOf(tiles);
  if (t < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (t == 0)
      for (int i = 0, s = 0, phase = 1; i < k / 64; i++) {
        waitFor(addressOf(&empty[s]), phase);
        unsigned to = base + s * (A_BYTES + B_BYTES), bar = addressOf(&full[s]);
        expect(bar, A_BYTES + B_BYTES);
        loadBox(to, &a, bar, i * 64, row);
        loadBox(to + A_BYTES, &b, bar, i * 64, col);
        if (++s == STAGES) s = 0, phase ^= 1;
      }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  int group = t / 128 - 1;
  float d[32];
  for (int i = 0; i < 32; i++) d[i] = 0.0f;
  for (int i = 0, s = 0, phase = 0; i < k / 64; i++) {
    waitFor(addressOf(&full[s]), phase);
    unsigned from = base + s * (A_BYTES + B_BYTES);
    groupFence();
#pragma unroll
    for (int kk = 0; kk < 4; kk++)
      groupProduct(d, groupMatrix(from + group * 64 * 128 + 32 * kk), groupMatrix(from + A_BYTES + 32 * kk));
    groupCommit();
    groupWait<0>();
    if (t % 128 == 0) arrive(addressOf(&empty[s]));
    if (++s == STAGES) s = 0, phase ^= 1;
  }
  for (int i = 0; i < 32; i++) c[(row + group * 64 + groupRow(i)) * n + col + groupColumn(i)] = d[i];
}
