// Tiles of 256 words through two stages: bulk copies in, three times the value plus one, bulk copies out, which their groups are waited for.
// targets: sm_90
#include <cuda/barrier>
#include <cuda/ptx>
#include <cstdint>
namespace ptx = cuda::ptx;

extern "C" __global__ void __launch_bounds__(64) scale(int n, const unsigned *from, unsigned *to) {
  __shared__ __align__(128) unsigned in[2][256], out[2][256];
  __shared__ __align__(8) uint64_t full[2];
  int t = threadIdx.x;
  auto fetch = [&](int i) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[i & 1], 1024);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, in[i & 1], from + 256 * i, 1024, &full[i & 1]);
  };
  if (t == 0) {
    ptx::mbarrier_init(&full[0], 1), ptx::mbarrier_init(&full[1], 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    fetch(0);
    if (n > 1) fetch(1);
  }
  __syncthreads();
  for (int i = 0; i < n; i++) {
    while (!ptx::mbarrier_try_wait_parity(&full[i & 1], (i >> 1) & 1)) {}
    // The store of two tiles before still reads this half of `out`.
    if (t == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
    __syncthreads();
    for (int j = t; j < 256; j += 64) out[i & 1][j] = 3 * in[i & 1][j] + 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
      ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, to + 256 * i, out[i & 1], 1024);
      ptx::cp_async_bulk_commit_group();
      if (i + 2 < n) fetch(i + 2);
    }
  }
  if (t == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
