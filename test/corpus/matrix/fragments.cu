// Fragments on their way: transposed between registers, stored to shared memory by stmatrix, loaded by nvcuda::wmma in other types than f16.
// targets: sm_90 sm_100 sm_120
#include "asynchronous.h"
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;

// 8 × 8 halves: row g, columns 2 t and 2 t + 1 of a thread.
extern "C" __global__ void __launch_bounds__(32) turn(const unsigned *from, unsigned *to) {
  unsigned x = from[blockIdx.x * 32 + threadIdx.x], y;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(y) : "r"(x));
  to[blockIdx.x * 32 + threadIdx.x] = y;
}

// Four matrices of 8 × 8 halves through shared memory, stored as they are and loaded transposed.
extern "C" __global__ void __launch_bounds__(32) through(const uint4 *from, uint4 *to) {
  __shared__ __align__(128) half tile[4][8][8];
  uint4 x = from[blockIdx.x * 32 + threadIdx.x], y;
  unsigned row = addressOf(&tile[threadIdx.x / 8][threadIdx.x % 8][0]);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(row), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w) : "memory");
  __syncwarp();
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(y.x), "=r"(y.y), "=r"(y.z), "=r"(y.w) : "r"(row) : "memory");
  to[blockIdx.x * 32 + threadIdx.x] = y;
}

// a: 32 × k and b: 16 × k by rows; 16 × 16 sums for each warp.
template <class T, class Sum> __device__ void product(int k, const T *a, const T *b, Sum *c) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sums;
  wmma::fill_fragment(sums, (Sum)0);
  int row = threadIdx.x / 32 * 16;
  for (int i = 0; i < k; i += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb;
    wmma::load_matrix_sync(fa, a + row * k + i, k);
    wmma::load_matrix_sync(fb, b + i, k);
    wmma::mma_sync(sums, fa, fb, sums);
  }
  wmma::store_matrix_sync(c + row * 16, sums, 16, wmma::mem_row_major);
}
extern "C" __global__ void __launch_bounds__(64) wmma_s8(int k, const signed char *a, const signed char *b, int *c) { product(k, a, b, c); }
extern "C" __global__ void __launch_bounds__(64) wmma_bf16(int k, const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c) {
  product(k, a, b, c);
}
