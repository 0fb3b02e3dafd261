// Two CTAs of a cluster send each other words by st.async and add up what came, round after round.
// targets: sm_90
#include <cooperative_groups.h>
#include <cuda/ptx>
#include <cstdint>
namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(64) exchange(int rounds, const unsigned *from, unsigned *to) {
  __shared__ __align__(16) unsigned box[2][64];
  __shared__ __align__(8) uint64_t full[2];
  auto cluster = cg::this_cluster();
  int t = threadIdx.x, other = cluster.block_rank() ^ 1;
  if (t == 0) {
    ptx::mbarrier_init(&full[0], 1), ptx::mbarrier_init(&full[1], 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  cluster.sync();
  unsigned x = from[blockIdx.x * 64 + t];
  for (int i = 0; i < rounds; i++) {
    int s = i & 1;
    if (t == 0) ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], 256);
    ptx::st_async(cluster.map_shared_rank(&box[s][t], other), x, cluster.map_shared_rank(&full[s], other));
    while (!ptx::mbarrier_try_wait_parity(&full[s], (i >> 1) & 1)) {}
    x = x * 5 + box[s][t ^ 1];
    // The other may write this box again two rounds on: it has read its own of the next round by then.
    cluster.sync();
  }
  to[blockIdx.x * 64 + t] = x;
  cluster.sync();
}
