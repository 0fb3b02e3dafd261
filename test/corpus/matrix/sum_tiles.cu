// Adds tiles of each CTA into one row of global memory by bulk reductions from shared memory.
// targets: sm_90
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void __launch_bounds__(64) sums(const unsigned *from, unsigned *to) {
  __shared__ __align__(128) unsigned tile[2][256];
  int t = threadIdx.x;
  for (int i = 0; i < 4; i++) {
    if (i >= 2 && t == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<1>());
    __syncthreads();
    for (int j = t; j < 256; j += 64) tile[i & 1][j] = from[(blockIdx.x * 4 + i) * 256 + j] ^ 5;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (t == 0) {
      ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, to, tile[i & 1], 1024);
      ptx::cp_async_bulk_commit_group();
    }
  }
  if (t == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
