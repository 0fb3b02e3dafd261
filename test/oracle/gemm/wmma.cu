// C = A · B, f16 with f32 sums: tiles of 32 × 32 by four warps with wmma, two stages of cp.async in shared memory.
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;

__device__ __forceinline__ void copy16(void *to, const void *from) {
  unsigned s = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(from));
}

extern "C" __global__ void __launch_bounds__(128) gemm(int n, int k, const half *a, const half *b, float *c) {
  __shared__ __align__(128) half as[2][32][40];
  __shared__ __align__(128) half bs[2][32][40];
  int t = threadIdx.x, warp = t / 32;
  int row = blockIdx.y * 32, col = blockIdx.x * 32;
  int r = t / 4, q = (t % 4) * 8;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.0f);
  auto stage = [&](int s, int k0) {
    copy16(&as[s][r][q], a + (row + r) * k + k0 + q);
    copy16(&bs[s][r][q], b + (k0 + r) * n + col + q);
    asm volatile("cp.async.commit_group;");
  };
  stage(0, 0);
  for (int k0 = 0, s = 0; k0 < k; k0 += 32, s ^= 1) {
    if (k0 + 32 < k) {
      stage(s ^ 1, k0 + 32);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
      wmma::load_matrix_sync(fa, &as[s][(warp / 2) * 16][kk], 40);
      wmma::load_matrix_sync(fb, &bs[s][kk][(warp % 2) * 16], 40);
      wmma::mma_sync(acc, fa, fb, acc);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(c + (row + (warp / 2) * 16) * n + col + (warp % 2) * 16, acc, n, wmma::mem_row_major);
}
