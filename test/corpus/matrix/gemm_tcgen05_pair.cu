// C = A · B in tensor memory by pairs of CTAs: a cluster of four has 256 × 128, its pairs half of the columns each. A is shared by both pairs: each CTA brings half of its rows for two.
// targets: sm_100a
#include "tensor.h"

constexpr int STAGES = 2, A_BYTES = 128 * 128, B_BYTES = 32 * 128;

extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(192)
    gemm(int n, int k, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c) {
  extern __shared__ __align__(1024) unsigned char tiles[];
  __shared__ __align__(8) uint64_t full[STAGES], empty[STAGES], peer[STAGES], ready;
  __shared__ unsigned where;
  int t = threadIdx.x, warp = t / 32;
  unsigned rank = rankInCluster(), half = rank & 1, pair = rank >> 1;
  int across = n / 128, cluster = blockIdx.x / 4;
  int row = cluster / across * 256 + half * 128, col = cluster % across * 128 + pair * 64;
  if (t == 128) {
    for (int s = 0; s < STAGES; s++)
      initBarrier(addressOf(&full[s]), 1), initBarrier(addressOf(&empty[s]), 2), initBarrier(addressOf(&peer[s]), 1);
    initBarrier(addressOf(&ready), 1);
    fenceBarriers();
  }
  if (warp == 0) {
    asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(addressOf(&where)) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::: "memory");
  }
  TENSOR_FENCE_BEFORE();
  clusterSync();
  __syncthreads();
  TENSOR_FENCE_AFTER();
  unsigned base = addressOf(tiles), tensor = where;
  int steps = k / 64;
  if (t == 128) {
    int s = 0, phase = 1;
    for (int i = 0; i < steps; i++) {
      waitFor(addressOf(&empty[s]), phase);
      unsigned to = base + s * (A_BYTES + B_BYTES), bar = addressOf(&full[s]);
      expect(bar, A_BYTES + B_BYTES);
      loadBoxEverywhere(to + pair * (A_BYTES / 2), &a, bar, i * 64, row + pair * 64, 5u << half);
      loadBox(to + A_BYTES, &b, bar, i * 64, col + half * 32);
      if (++s == STAGES) s = 0, phase ^= 1;
    }
  } else if (t == 160) {
    // f32 sums, f16 factors, 64 columns, 256 rows.
    unsigned shape = (1u << 4) | (64u / 8 << 17) | (256u / 16 << 24);
    int s = 0, phase = 0;
    for (int i = 0; i < steps; i++) {
      waitFor(addressOf(&full[s]), phase);
      if (half == 1) arriveRemote(mapRank(addressOf(&peer[s]), rank - 1));
      else {
        waitFor(addressOf(&peer[s]), phase);
        unsigned from = base + s * (A_BYTES + B_BYTES);
        for (int kk = 0; kk < 4; kk++)
          asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\n"
                       "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(tensor),
                       "l"(tensorMatrix(from + 32 * kk)), "l"(tensorMatrix(from + A_BYTES + 32 * kk)), "r"(shape), "r"(i + kk)
                       : "memory");
        asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(addressOf(&empty[s])),
                     "h"((unsigned short)15)
                     : "memory");
      }
      if (++s == STAGES) s = 0, phase ^= 1;
    }
    if (half == 0)
      asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(addressOf(&ready)),
                   "h"((unsigned short)(3u << 2 * pair))
                   : "memory");
  } else if (warp < 4) {
    waitFor(addressOf(&ready), 0);
    TENSOR_FENCE_AFTER();
    for (int h = 0; h < 8; h++) {
      unsigned x[8];
      loadTensor8(x, tensor + (warp << 21) + 8 * h);
      for (int i = 0; i < 8; i++) c[(row + t) * n + col + 8 * h + i] = __uint_as_float(x[i]);
    }
  }
  TENSOR_FENCE_BEFORE();
  __syncthreads();
  clusterSync();
  if (warp == 0) asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 64;" ::"r"(tensor) : "memory");
}
