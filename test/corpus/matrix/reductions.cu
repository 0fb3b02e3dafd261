// Reductions without atomics of threads: bulk reductions into global memory, into shared memory of the neighbour, and words sent to one block of a cluster.
// targets: sm_90 sm_100
#include "asynchronous.h"
#include <cuda/ptx>
namespace ptx = cuda::ptx;

// Rows of 128 words: the least and the greatest of all rows, the bits that all or any have.
extern "C" __global__ void __launch_bounds__(64) limits(const int *from, int *least, int *most, unsigned *all, unsigned *any) {
  __shared__ __align__(128) int tile[128];
  int t = threadIdx.x;
  for (int j = t; j < 128; j += 64) tile[j] = from[blockIdx.x * 128 + j];
  fenceProxy();
  __syncthreads();
  if (t == 0) {
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_min, least, tile, 512);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_max, most, tile, 512);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_and_op, all, (unsigned *)tile, 512);
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_or_op, any, (unsigned *)tile, 512);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}

// Each block of a cluster of four adds its row into shared memory of rank 0, which writes the sums.
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(64) gather_rows(const unsigned *from, unsigned *to) {
  __shared__ __align__(128) unsigned own[256], sums[256];
  __shared__ __align__(8) uint64_t full;
  int t = threadIdx.x, rank = rankInCluster();
  for (int j = t; j < 256; j += 64) own[j] = from[blockIdx.x * 256 + j], sums[j] = 0;
  if (t == 0) {
    initBarrier(addressOf(&full), 1);
    fenceBarriers();
    if (rank == 0) expect(addressOf(&full), 4 * 1024);
  }
  fenceProxy();
  clusterSync();
  if (t == 0)
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], 1024, [%2];" ::"r"(
                     mapRank(addressOf(sums), 0)),
                 "r"(addressOf(own)), "r"(mapRank(addressOf(&full), 0))
                 : "memory");
  if (rank == 0) {
    waitFor(addressOf(&full), 0);
    for (int j = t; j < 256; j += 64) to[blockIdx.x / 4 * 256 + j] = sums[j];
  }
  clusterSync();
}

// Each thread of a cluster of four sends its word to rank 0 with red.async; the barrier counts the bytes.
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(64) send_words(const unsigned *from, unsigned *to) {
  __shared__ __align__(16) unsigned sums[16];
  __shared__ __align__(8) uint64_t full;
  int t = threadIdx.x, rank = rankInCluster();
  if (t < 16) sums[t] = 0;
  if (t == 0) {
    initBarrier(addressOf(&full), 1);
    fenceBarriers();
    if (rank == 0) expect(addressOf(&full), 4 * 64 * 4);
  }
  clusterSync();
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(
                   mapRank(addressOf(&sums[t % 16]), 0)),
               "r"(from[blockIdx.x * 64 + t]), "r"(mapRank(addressOf(&full), 0))
               : "memory");
  if (rank == 0) {
    waitFor(addressOf(&full), 0);
    if (t < 16) to[blockIdx.x / 4 * 16 + t] = sums[t];
  }
  clusterSync();
}

// Boxes of 8 × 8 words that overlap by half are added to a matrix, and their greatest elements kept, by tensor reductions; each block has one.
template <bool GREATEST> __device__ void reduceBox(const CUtensorMap *to, const unsigned *from) {
  __shared__ __align__(128) unsigned tile[64];
  int t = threadIdx.x;
  tile[t] = from[(blockIdx.y * gridDim.x + blockIdx.x) * 64 + t];
  fenceProxy();
  __syncthreads();
  if (t == 0) {
    int x = blockIdx.x * 4 - 2, y = blockIdx.y * 4 - 2;
    if (GREATEST)
      asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(to), "r"(x), "r"(y),
                   "r"(addressOf(tile))
                   : "memory");
    else
      asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(to), "r"(x), "r"(y),
                   "r"(addressOf(tile))
                   : "memory");
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}
extern "C" __global__ void __launch_bounds__(64) add_boxes(const __grid_constant__ CUtensorMap to, const unsigned *from) { reduceBox<false>(&to, from); }
extern "C" __global__ void __launch_bounds__(64) max_boxes(const __grid_constant__ CUtensorMap to, const unsigned *from) { reduceBox<true>(&to, from); }
