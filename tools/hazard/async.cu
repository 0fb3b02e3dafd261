// compute_80: asynchronous copies
#include <cuda_pipeline.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
template <int S> __global__ void pipe(const float4* in, float4* out, int n) {
  __shared__ float4 buf[S][128]; float4 acc = {0,0,0,0};
  for (int s = 0; s < S - 1; s++) { __pipeline_memcpy_async(&buf[s][threadIdx.x], in + s * 128 + threadIdx.x, 16); __pipeline_commit(); }
  for (int i = 0; i < n; i++) { __pipeline_memcpy_async(&buf[(i + S - 1) % S][threadIdx.x], in + (i + S - 1) * 128 + threadIdx.x, 16); __pipeline_commit(); __pipeline_wait_prior(S - 1); __syncthreads();
    float4 v = buf[i % S][threadIdx.x ^ 5]; acc.x += v.x; acc.y *= v.y; acc.z -= v.z; acc.w = fmaf(acc.w, v.w, v.x); __syncthreads(); }
  out[threadIdx.x] = acc;
}
template __global__ void pipe<2>(const float4*, float4*, int);
template __global__ void pipe<4>(const float4*, float4*, int);
__global__ void cgk(int* p, float* f) { auto b = cg::this_thread_block(); auto w = cg::tiled_partition<16>(b); int v = p[b.thread_rank()];
  v = cg::reduce(w, v, cg::plus<int>()); v += cg::inclusive_scan(w, v); auto g = cg::coalesced_threads(); if (v & 1) { auto h = cg::coalesced_threads(); v = cg::reduce(h, v, cg::greater<int>()); }
  v += __match_any_sync(~0u, v & 7); v += __reduce_add_sync(~0u, v); int pr; v += __match_all_sync(~0u, v, &pr) + pr; f[v & 31] = w.shfl_xor(f[v & 63], 3); p[b.thread_rank()] = v + w.ballot(v > 3) + g.size(); }
