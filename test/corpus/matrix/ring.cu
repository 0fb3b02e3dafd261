// A ring of four stages between a producer warp and a consumer warp, counted by mbarriers and filled by bulk copies: sums of rows of 64 words.
// targets: sm_90
#include <cuda/barrier>
#include <cuda/ptx>
#include <cstdint>
namespace ptx = cuda::ptx;

extern "C" __global__ void __launch_bounds__(64) rows(int n, const unsigned *from, unsigned *sums) {
  __shared__ __align__(128) unsigned ring[4][64];
  __shared__ __align__(8) uint64_t full[4], empty[4];
  int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < 4; s++) ptx::mbarrier_init(&full[s], 1), ptx::mbarrier_init(&empty[s], 32);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  if (t >= 32) {
    if (t == 32)
      for (int i = 0; i < n; i++) {
        int s = i & 3;
        if (i >= 4)
          while (!ptx::mbarrier_try_wait_parity(&empty[s], ((i >> 2) - 1) & 1)) {}
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], 256);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, ring[s], from + 64 * i, 256, &full[s]);
      }
    return;
  }
  for (int i = 0; i < n; i++) {
    int s = i & 3;
    while (!ptx::mbarrier_try_wait_parity(&full[s], (i >> 2) & 1)) {}
    unsigned x = ring[s][t] + ring[s][t + 32];
    ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty[s]);
    x = __reduce_add_sync(~0u, x);
    if (t == 0) sums[i] = x;
  }
}
