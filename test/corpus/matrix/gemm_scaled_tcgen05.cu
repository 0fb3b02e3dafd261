// D = (A · its scales) · (B · its scales) in tensor memory: e4m3 with a power of two for each 32 elements, e2m1 with an e4m3 scale for each 16. Scales are copied from shared memory.
// targets: sm_100a
#include "tensor.h"

constexpr int M = 128, N = 64, BYTES = 128;

// Rows of 128 bytes; scales: for each 32 rows, 16 bytes a row: those of rows r, r + 32, r + 64, r + 96.
template <bool FP4>
__device__ __forceinline__ void multiply(const unsigned char *a, const unsigned char *b, const unsigned char *scaleA, const unsigned char *scaleB, float *d) {
  constexpr int COLUMNS = FP4 ? 4 : 1;
  __shared__ __align__(128) unsigned char tileA[M * BYTES], tileB[N * BYTES], scalesA[COLUMNS * 512], scalesB[COLUMNS * 512];
  __shared__ __align__(8) uint64_t done;
  __shared__ unsigned where;
  int t = threadIdx.x, warp = t / 32;
  if (warp == 0) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"(addressOf(&where)) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  }
  if (t == 0) initBarrier(addressOf(&done), 1), fenceBarriers();
  toPieces(tileA, a, M, BYTES, BYTES);
  toPieces(tileB, b, N, BYTES, BYTES);
  for (int i = t; i < COLUMNS * 32; i += blockDim.x) ((uint4 *)scalesA)[i] = ((const uint4 *)scaleA)[i], ((uint4 *)scalesB)[i] = ((const uint4 *)scaleB)[i];
  fenceProxy();
  TENSOR_FENCE_BEFORE();
  __syncthreads();
  TENSOR_FENCE_AFTER();
  unsigned tensor = where, atA = tensor + 64, atB = tensor + 96;
  if (t == 0) {
    for (int i = 0; i < COLUMNS; i++) {
      asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(atA + 4 * i), "l"(pieces(addressOf(scalesA) + 512 * i, 16, 128)) : "memory");
      asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(atB + 4 * i), "l"(pieces(addressOf(scalesB) + 512 * i, 16, 128)) : "memory");
    }
    for (int i = 0; i < 4; i++) {
      unsigned long long from = pieces(addressOf(tileA) + 2 * i * M * 16, M * 16, 128), with = pieces(addressOf(tileB) + 2 * i * N * 16, N * 16, 128);
      if constexpr (FP4) {
        // e2m1 both, scales of e4m3.
        unsigned shape = (1u << 7) | (1u << 10) | (N / 8 << 17) | (M / 128 << 27);
        asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\ntcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%0], %1, %2, %3, [%5], [%6], p;\n}" ::"r"(tensor),
                     "l"(from), "l"(with), "r"(shape), "r"(i), "r"(atA + 4 * i), "r"(atB + 4 * i)
                     : "memory");
      } else {
        // e4m3 both, powers of two, byte i of the scales.
        unsigned shape = (N / 8 << 17) | (1u << 23) | (M / 128 << 27) | (i << 29) | (i << 4);
        asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\ntcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%0], %1, %2, %3, [%5], [%6], p;\n}" ::"r"(tensor),
                     "l"(from), "l"(with), "r"(shape), "r"(i), "r"(atA), "r"(atB)
                     : "memory");
      }
    }
    commitAlone(addressOf(&done));
  }
  waitFor(addressOf(&done), 0);
  TENSOR_FENCE_AFTER();
  for (int h = 0; h < N / 8; h++) {
    unsigned x[8];
    loadTensor8(x, tensor + (warp << 21) + 8 * h);
    for (int i = 0; i < 8; i++) d[t * N + 8 * h + i] = __uint_as_float(x[i]);
  }
  TENSOR_FENCE_BEFORE();
  __syncthreads();
  if (warp == 0) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(tensor) : "memory");
}

extern "C" __global__ void __launch_bounds__(128) fp8(const unsigned char *a, const unsigned char *b, const unsigned char *sa, const unsigned char *sb, float *d) {
  multiply<false>(a, b, sa, sb, d);
}
extern "C" __global__ void __launch_bounds__(128) fp4(const unsigned char *a, const unsigned char *b, const unsigned char *sa, const unsigned char *sb, float *d) {
  multiply<true>(a, b, sa, sb, d);
}
