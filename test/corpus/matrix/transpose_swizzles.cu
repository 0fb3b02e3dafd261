// Transposes matrices of words by boxes that TMA swizzles by 32, 64 or 128 bytes: threads take the chunks of 16 bytes from where they lie.
// targets: sm_90 sm_100
#include "asynchronous.h"

// The box is SWIZZLE bytes wide and 32 rows high.
template <int SWIZZLE> __device__ void transposeBox(const CUtensorMap *from, unsigned *to, int rows) {
  constexpr int WIDTH = SWIZZLE / 4;
  __shared__ __align__(1024) unsigned char in[32 * SWIZZLE];
  __shared__ __align__(8) uint64_t full;
  int t = threadIdx.x, left = blockIdx.x * WIDTH, top = blockIdx.y * 32;
  if (t == 0) {
    initBarrier(addressOf(&full), 1);
    fenceBarriers();
    expect(addressOf(&full), 32 * SWIZZLE);
    loadBox(addressOf(in), from, addressOf(&full), left, top);
  }
  __syncthreads();
  waitFor(addressOf(&full), 0);
  for (int i = t; i < 32 * WIDTH; i += 64) {
    int r = i % 32, c = i / 32, at = r * SWIZZLE + c * 4;
    // Bits 4 up to the pattern's are changed by those from 7 on.
    at ^= ((at >> 7) & (SWIZZLE / 16 - 1)) << 4;
    to[(left + c) * rows + top + r] = *(const unsigned *)(in + at);
  }
}

extern "C" __global__ void __launch_bounds__(64) by32(const __grid_constant__ CUtensorMap from, unsigned *to, int rows) {
  transposeBox<32>(&from, to, rows);
}
extern "C" __global__ void __launch_bounds__(64) by64(const __grid_constant__ CUtensorMap from, unsigned *to, int rows) {
  transposeBox<64>(&from, to, rows);
}
extern "C" __global__ void __launch_bounds__(64) by128(const __grid_constant__ CUtensorMap from, unsigned *to, int rows) {
  transposeBox<128>(&from, to, rows);
}
