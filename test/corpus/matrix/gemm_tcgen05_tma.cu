// C = A · B in tensor memory, f16 with f32 sums: one warp brings tiles by TMA, one issues the products, four take the sums out of two accumulators in turn.
// targets: sm_100a
#include "asynchronous.h"

constexpr int STAGES = 3, A_BYTES = 128 * 128, B_BYTES = 64 * 128;

__device__ __forceinline__ void commitTo(unsigned bar) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar) : "memory");
}

// Tiles of 128 × 64, one after the other in a block.
extern "C" __global__ void __launch_bounds__(192)
    gemm(int m, int n, int k, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c) {
  extern __shared__ __align__(1024) unsigned char tiles[];
  __shared__ __align__(8) uint64_t full[STAGES], empty[STAGES], ready[2], taken[2];
  __shared__ unsigned where;
  int t = threadIdx.x, warp = t / 32;
  if (warp == 0) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"(addressOf(&where)) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  }
  if (t == 32) {
    for (int s = 0; s < STAGES; s++) initBarrier(addressOf(&full[s]), 1), initBarrier(addressOf(&empty[s]), 1);
    for (int h = 0; h < 2; h++) initBarrier(addressOf(&ready[h]), 1), initBarrier(addressOf(&taken[h]), 128);
    fenceBarriers();
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  unsigned base = addressOf(tiles), tensor = where;
  int across = n / 64, count = (m / 128) * across, steps = k / 64;
  if (t == 128) {
    int s = 0, phase = 1;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x)
      for (int i = 0; i < steps; i++) {
        waitFor(addressOf(&empty[s]), phase);
        unsigned to = base + s * (A_BYTES + B_BYTES), bar = addressOf(&full[s]);
        expect(bar, A_BYTES + B_BYTES);
        loadBox(to, &a, bar, i * 64, tile / across * 128);
        loadBox(to + A_BYTES, &b, bar, i * 64, tile % across * 64);
        if (++s == STAGES) s = 0, phase ^= 1;
      }
  } else if (t == 160) {
    // f32 sums, f16 factors, 64 columns, 128 rows.
    unsigned shape = (1u << 4) | (64u / 8 << 17) | (128u / 16 << 24);
    int s = 0, phase = 0, half = 0, taking = 1;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
      waitFor(addressOf(&taken[half]), taking);
      asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
      for (int i = 0; i < steps; i++) {
        waitFor(addressOf(&full[s]), phase);
        unsigned from = base + s * (A_BYTES + B_BYTES);
        for (int kk = 0; kk < 4; kk++)
          asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\n"
                       "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(tensor + 64 * half),
                       "l"(tensorMatrix(from + 32 * kk)), "l"(tensorMatrix(from + A_BYTES + 32 * kk)), "r"(shape), "r"(i + kk)
                       : "memory");
        commitTo(addressOf(&empty[s]));
        if (++s == STAGES) s = 0, phase ^= 1;
      }
      commitTo(addressOf(&ready[half]));
      if ((half ^= 1) == 0) taking ^= 1;
    }
  } else if (warp < 4) {
    int half = 0, phase = 0;
    for (int tile = blockIdx.x; tile < count; tile += gridDim.x) {
      waitFor(addressOf(&ready[half]), phase);
      asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
      unsigned x[64];
      for (int h = 0; h < 8; h++)
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
                     : "=r"(x[8 * h]), "=r"(x[8 * h + 1]), "=r"(x[8 * h + 2]), "=r"(x[8 * h + 3]), "=r"(x[8 * h + 4]),
                       "=r"(x[8 * h + 5]), "=r"(x[8 * h + 6]), "=r"(x[8 * h + 7])
                     : "r"(tensor + 64 * half + (warp << 21) + 8 * h));
      asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
      asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
      arrive(addressOf(&taken[half]));
      float *to = c + (tile / across * 128 + t) * n + tile % across * 64;
      for (int i = 0; i < 64; i++) to[i] = __uint_as_float(x[i]);
      if ((half ^= 1) == 0) phase ^= 1;
    }
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  if (warp == 0) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(tensor) : "memory");
}
