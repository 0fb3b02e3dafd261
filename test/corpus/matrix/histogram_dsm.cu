// Histogram over distributed shared memory: a cluster of two CTAs holds half of the bins each, atomics go to the CTA that has the bin.
// targets: sm_90
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(128) histogram(int n, const unsigned *data, unsigned *bins) {
  __shared__ unsigned own[32];
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 32) own[threadIdx.x] = 0;
  cluster.sync();
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
    unsigned bin = data[i] & 63;
    unsigned *where = cluster.map_shared_rank(own, bin >> 5);
    atomicAdd(where + (bin & 31), 1);
  }
  cluster.sync();
  if (threadIdx.x < 32) atomicAdd(bins + 32 * cluster.block_rank() + threadIdx.x, own[threadIdx.x]);
}
