// C += A · B, the depth of each tile cut into pieces of work, one for each block of the grid: blocks that run take the work of those that have not started (cluster launch control).
// targets: sm_100a
#include "tensor.h"

constexpr int M = 128, N = 64, BYTES = 128;

// Block x of the grid: 64 of k; y and z: tile. `taken` counts blocks that found their work taken by others.
extern "C" __global__ void __launch_bounds__(128) gemm(int n, int k, const half *a, const half *b, float *c, unsigned *taken) {
  __shared__ __align__(128) unsigned char tileA[M * BYTES], tileB[N * BYTES];
  __shared__ __align__(16) uint4 answer;
  __shared__ __align__(8) uint64_t done, asked;
  __shared__ unsigned where;
  int t = threadIdx.x, warp = t / 32;
  if (warp == 0) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(addressOf(&where)) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  }
  if (t == 0) initBarrier(addressOf(&done), 1), initBarrier(addressOf(&asked), 1), fenceBarriers();
  TENSOR_FENCE_BEFORE();
  __syncthreads();
  TENSOR_FENCE_AFTER();
  unsigned tensor = where, x = blockIdx.x, y = blockIdx.y, z = blockIdx.z;
  unsigned shape = (1u << 4) | (N / 8 << 17) | (M / 16 << 24);
  for (int phase = 0;; phase ^= 1) {
    if (t == 0) {
      expect(addressOf(&asked), 16);
      asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(addressOf(&answer)), "r"(addressOf(&asked))
                   : "memory");
    }
    toPieces(tileA, (const unsigned char *)(a + (size_t)(y * M) * k + x * 64), M, BYTES, 2 * k);
    toPieces(tileB, (const unsigned char *)(b + (size_t)(z * N) * k + x * 64), N, BYTES, 2 * k);
    fenceProxy();
    __syncthreads();
    if (t == 0) {
      for (int i = 0; i < 4; i++)
        asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\ntcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(tensor),
                     "l"(pieces(addressOf(tileA) + 2 * i * M * 16, M * 16, 128)), "l"(pieces(addressOf(tileB) + 2 * i * N * 16, N * 16, 128)), "r"(shape), "r"(i)
                     : "memory");
      commitAlone(addressOf(&done));
    }
    waitFor(addressOf(&done), phase);
    TENSOR_FENCE_AFTER();
    for (int h = 0; h < N / 8; h++) {
      unsigned v[8];
      loadTensor8(v, tensor + (warp << 21) + 8 * h);
      for (int i = 0; i < 8; i++) atomicAdd(c + (y * M + t) * n + z * N + 8 * h + i, __uint_as_float(v[i]));
    }
    TENSOR_FENCE_BEFORE();
    waitFor(addressOf(&asked), phase);
    unsigned isTaken;
    asm volatile("{\n.reg .b128 h;\n.reg .pred p;\nld.shared.b128 h, [%4];\nclusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, h;\nselp.u32 %0, 1, 0, p;\n"
                 "@p clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%1, %2, %3, _}, h;\n}"
                 : "=r"(isTaken), "+r"(x), "+r"(y), "+r"(z)
                 : "r"(addressOf(&answer))
                 : "memory");
    fenceProxy();
    __syncthreads();
    TENSOR_FENCE_AFTER();
    if (!isTaken) break;
    if (t == 0) atomicAdd(taken, 1);
  }
  if (warp == 0) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(tensor) : "memory");
}
