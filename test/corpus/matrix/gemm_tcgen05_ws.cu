// C = A · B with stationary weights (tcgen05.mma.ws): 32 rows of A, whose columns of C are in the four parts of tensor memory, and 64 rows, in two; B is kept in a collector buffer.
// targets: sm_100a
#include "tensor.h"

constexpr int N = 128, BYTES = 128;

template <int M> __device__ __forceinline__ void multiply(const unsigned char *a, const unsigned char *b, float *c) {
  constexpr int PARTS = 128 / M, SHARE = N / PARTS;
  __shared__ __align__(128) unsigned char tileA[M * BYTES], tileB[N * BYTES];
  __shared__ __align__(8) uint64_t done;
  __shared__ unsigned where;
  int t = threadIdx.x, warp = t / 32;
  if (warp == 0) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(addressOf(&where)) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  }
  if (t == 0) initBarrier(addressOf(&done), 1), fenceBarriers();
  toPieces(tileB, b, N, BYTES, BYTES);
  TENSOR_FENCE_BEFORE();
  __syncthreads();
  TENSOR_FENCE_AFTER();
  unsigned tensor = where;
  // f32 sums, f16 factors. Two blocks of rows of A with the same B.
  unsigned shape = (1u << 4) | (N / 8 << 17) | (M / 16 << 24);
  for (int block = 0; block < 2; block++) {
    toPieces(tileA, a + block * M * BYTES, M, BYTES, BYTES);
    fenceProxy();
    __syncthreads();
    if (t == 0) {
      for (int i = 0; i < BYTES / 32; i++) {
        unsigned long long from = pieces(addressOf(tileA) + 2 * i * M * 16, M * 16, 128), with = pieces(addressOf(tileB) + 2 * i * N * 16, N * 16, 128);
        if (block == 0)
          asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\ntcgen05.mma.ws.cta_group::1.kind::f16.collector::b1::fill [%0], %1, %2, %3, p;\n}" ::"r"(tensor), "l"(from),
                       "l"(with), "r"(shape), "r"(i)
                       : "memory");
        else
          asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\ntcgen05.mma.ws.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(tensor), "l"(from), "l"(with), "r"(shape),
                       "r"(i)
                       : "memory");
      }
      commitAlone(addressOf(&done));
    }
    waitFor(addressOf(&done), block);
    TENSOR_FENCE_AFTER();
    for (int h = 0; h < SHARE / 8; h++) {
      unsigned x[8];
      loadTensor8(x, tensor + (warp << 21) + 8 * h);
      for (int i = 0; i < 8; i++) c[(block * M + t % M) * N + t / M * SHARE + 8 * h + i] = __uint_as_float(x[i]);
    }
    TENSOR_FENCE_BEFORE();
    __syncthreads();
    TENSOR_FENCE_AFTER();
  }
  if (warp == 0) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(tensor) : "memory");
}

extern "C" __global__ void __launch_bounds__(128) rows32(const unsigned char *a, const unsigned char *b, float *c) { multiply<32>(a, b, c); }
extern "C" __global__ void __launch_bounds__(128) rows64(const unsigned char *a, const unsigned char *b, float *c) { multiply<64>(a, b, c); }
