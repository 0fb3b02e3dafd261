// Transposes a matrix of words by boxes of 32 × 32 that TMA brings and takes away.
// targets: sm_90
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cstdint>
namespace ptx = cuda::ptx;

extern "C" __global__ void __launch_bounds__(128)
    transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ __align__(128) unsigned in[32][32], out[32][32];
  __shared__ __align__(8) uint64_t full;
  int t = threadIdx.x;
  if (t == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    int32_t at[2] = {(int)blockIdx.x * 32, (int)blockIdx.y * 32};
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, 4096);
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, in, &from, at, &full);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
  for (int i = t; i < 1024; i += 128) out[i % 32][i / 32] = in[i / 32][i % 32];
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (t == 0) {
    int32_t at[2] = {(int)blockIdx.y * 32, (int)blockIdx.x * 32};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, out);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}
