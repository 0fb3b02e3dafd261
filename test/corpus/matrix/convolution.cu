// Convolution of images (N, H, W, 8 channels) with 3 × 3 filters of 4 results: for each tap TMA brings the pixels that it reads, as columns (im2col).
// Each block makes 64 results; two buffers, the next tap comes while one is multiplied.
// targets: sm_90 sm_120
#include <cuda.h>
#include <cstdint>

constexpr int PIXELS = 64, CHANNELS = 8, RESULTS = 4, TAPS = 9;

__device__ unsigned shared(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void bring(const CUtensorMap *map, void *to, uint64_t *full, int w, int h, int n, int tap) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared(full)), "r"(PIXELS * CHANNELS * 4) : "memory");
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(
          shared(to)),
      "l"(map), "r"(0), "r"(w), "r"(h), "r"(n), "r"(shared(full)), "h"((short)(tap % 3)), "h"((short)(tap / 3))
      : "memory");
}

extern "C" __global__ void __launch_bounds__(PIXELS)
    convolution(const __grid_constant__ CUtensorMap map, const int *weights, int *results, int width, int height, int count) {
  __shared__ __align__(128) int in[2][PIXELS][CHANNELS];
  __shared__ __align__(8) uint64_t full[2];
  int t = threadIdx.x, first = blockIdx.x * PIXELS;
  int w = first % width - 1, h = first / width % height - 1, n = first / (width * height);
  if (t == 0) {
    for (int i = 0; i < 2; i++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&full[i])) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    for (int i = 0; i < 2; i++) bring(&map, in[i], &full[i], w, h, n, i);
  }
  __syncthreads();
  int sum[RESULTS] = {};
  for (int tap = 0; tap < TAPS; tap++) {
    int b = tap & 1, done = 0;
    while (!done)
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(shared(&full[b])), "r"(tap / 2 & 1)
                   : "memory");
    for (int c = 0; c < CHANNELS; c++)
      for (int k = 0; k < RESULTS; k++) sum[k] += in[b][t][c] * weights[(tap * CHANNELS + c) * RESULTS + k];
    __syncthreads();
    if (t == 0 && tap + 2 < TAPS) bring(&map, in[b], &full[b], w, h, n, tap + 2);
  }
  if (first + t < count)
    for (int k = 0; k < RESULTS; k++) results[(first + t) * RESULTS + k] = sum[k];
}
