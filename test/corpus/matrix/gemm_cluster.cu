// C = A · B, persistent: clusters of two blocks walk over the tiles, each block brings its rows of A, and half of B for both by multicast.
// targets: sm_90a
#include "asynchronous.h"

constexpr int STAGES = 3, A_BYTES = 64 * 128, B_BYTES = 64 * 128;

// Tiles of 128 × 64: rank r of a cluster has rows 64 r … 64 r + 63 of one. The boxes of b have 32 rows.
extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(160)
    gemm(int m, int n, int k, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c) {
  extern __shared__ __align__(1024) unsigned char tiles[];
  __shared__ __align__(8) uint64_t full[STAGES], empty[STAGES];
  int t = threadIdx.x, rank = rankInCluster();
  if (t == 0) {
    for (int s = 0; s < STAGES; s++) initBarrier(addressOf(&full[s]), 1), initBarrier(addressOf(&empty[s]), 2);
    fenceBarriers();
  }
  clusterSync();
  unsigned base = addressOf(tiles);
  int across = n / 64, count = (m / 128) * across, steps = k / 64;
  if (t >= 128) {
    if (t == 128) {
      int s = 0, phase = 1;
      for (int tile = blockIdx.x / 2; tile < count; tile += gridDim.x / 2)
        for (int i = 0; i < steps; i++) {
          // Both blocks have read this stage.
          waitFor(addressOf(&empty[s]), phase);
          unsigned to = base + s * (A_BYTES + B_BYTES), bar = addressOf(&full[s]);
          expect(bar, A_BYTES + B_BYTES);
          loadBox(to, &a, bar, i * 64, tile / across * 128 + rank * 64);
          loadBoxEverywhere(to + A_BYTES + rank * (B_BYTES / 2), &b, bar, i * 64, tile % across * 64 + rank * 32, 3);
          if (++s == STAGES) s = 0, phase ^= 1;
        }
    }
  } else {
    int s = 0, phase = 0;
    for (int tile = blockIdx.x / 2; tile < count; tile += gridDim.x / 2) {
      float d[32];
      for (int i = 0; i < 32; i++) d[i] = 0.0f;
      for (int i = 0; i < steps; i++) {
        waitFor(addressOf(&full[s]), phase);
        unsigned from = base + s * (A_BYTES + B_BYTES);
        groupFence();
#pragma unroll
        for (int kk = 0; kk < 4; kk++) groupProduct(d, groupMatrix(from + 32 * kk), groupMatrix(from + A_BYTES + 32 * kk));
        groupCommit();
        groupWait<0>();
        if (t < 2) arriveRemote(mapRank(addressOf(&empty[s]), t));
        if (++s == STAGES) s = 0, phase ^= 1;
      }
      int row = tile / across * 128 + rank * 64, col = tile % across * 64;
      for (int i = 0; i < 32; i++) c[(row + groupRow(i)) * n + col + groupColumn(i)] = d[i];
    }
  }
  clusterSync();
}
