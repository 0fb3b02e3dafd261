// Barriers in shared memory between warps of different roles: many readers of a ring, blocks of a cluster that get the same rows, readers that drop out.
// targets: sm_90 sm_100
#include "asynchronous.h"

// Warp 3 brings rows of 128 words into a ring of three, the other warps take turns in adding them up.
extern "C" __global__ void __launch_bounds__(128) turns(int n, const unsigned *from, unsigned *sums) {
  __shared__ __align__(128) unsigned ring[3][128];
  __shared__ __align__(8) uint64_t full[3], empty[3];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) {
    for (int s = 0; s < 3; s++) initBarrier(addressOf(&full[s]), 1), initBarrier(addressOf(&empty[s]), 1);
    fenceBarriers();
  }
  __syncthreads();
  if (warp == 3) {
    if (lane == 0)
      for (int i = 0; i < n; i++) {
        waitFor(addressOf(&empty[i % 3]), (i / 3 & 1) ^ 1);
        expect(addressOf(&full[i % 3]), 512);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(
                         addressOf(ring[i % 3])),
                     "l"(from + 128 * i), "r"(addressOf(&full[i % 3]))
                     : "memory");
      }
    return;
  }
  for (int i = warp; i < n; i += 3) {
    waitFor(addressOf(&full[i % 3]), i / 3 & 1);
    unsigned x = 0;
    for (int j = lane; j < 128; j += 32) x += ring[i % 3][j] * (j + 1);
    __syncwarp();
    if (lane == 0) arrive(addressOf(&empty[i % 3]));
    x = __reduce_add_sync(~0u, x);
    if (lane == 0) sums[i] = x;
  }
}

// A cluster of four: each block brings a quarter of a row for all, all add up what came.
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(64) share_rows(int n, const unsigned *from, unsigned *to) {
  __shared__ __align__(128) unsigned rows[2][256];
  __shared__ __align__(8) uint64_t full[2];
  int t = threadIdx.x, rank = rankInCluster();
  if (t == 0) {
    initBarrier(addressOf(&full[0]), 1), initBarrier(addressOf(&full[1]), 1);
    fenceBarriers();
  }
  clusterSync();
  unsigned x = 0;
  for (int i = 0; i < n; i++) {
    int s = i & 1;
    if (t == 0) {
      expect(addressOf(&full[s]), 1024);
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;" ::"r"(
                       addressOf(&rows[s][64 * rank])),
                   "l"(from + 256 * i + 64 * rank), "r"(addressOf(&full[s])), "h"((unsigned short)15)
                   : "memory");
    }
    waitFor(addressOf(&full[s]), i >> 1 & 1);
    for (int j = t; j < 256; j += 64) x = x * 3 + rows[s][j];
    // Nobody brings the row after the next before all have read this one.
    clusterSync();
  }
  to[blockIdx.x * 64 + t] = x + rank;
}

// Threads leave one after the other: each drops out of the barrier, and those that stay count on.
extern "C" __global__ void __launch_bounds__(32) leave(unsigned *to) {
  __shared__ __align__(8) uint64_t bar;
  __shared__ unsigned sum;
  int t = threadIdx.x;
  if (t == 0) {
    sum = 0;
    initBarrier(addressOf(&bar), 32);
    fenceBarriers();
  }
  __syncwarp();
#pragma unroll 1
  for (int round = 0; round < 32; round++) {
    if (t == round) {
      asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" ::"r"(addressOf(&bar)) : "memory");
      to[t] = atomicAdd(&sum, 0u);
      return;
    }
    atomicAdd(&sum, 1u);
    arrive(addressOf(&bar));
    waitFor(addressOf(&bar), round & 1);
  }
}
