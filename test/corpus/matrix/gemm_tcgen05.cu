// C = A · B, f16 with f32 sums in tensor memory: tiles of 128 × 64, filled by cp.async with a swizzle of 128 bytes, products issued by one thread.
// targets: sm_100a
#include <cuda_fp16.h>

__device__ __forceinline__ unsigned addressOf(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// 128-byte swizzle, K-major: eight rows of 128 bytes every 1024 bytes.
__device__ __forceinline__ unsigned long long descriptor(unsigned address) {
  return (2ull << 61) | (1ull << 46) | (64ull << 32) | (1ull << 16) | ((address & 0x3ffff) >> 4);
}

__device__ __forceinline__ void wait(unsigned bar, unsigned parity) {
  asm volatile("{\n.reg .pred p;\nW_%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra W_%=;\n}" ::"r"(bar), "r"(parity)
               : "memory");
}

// a: m × k, b: n × k, both by rows; k a multiple of 64.
extern "C" __global__ void __launch_bounds__(128) gemm(int n, int k, const half *a, const half *b, float *c) {
  __shared__ __align__(1024) half tileA[128 * 64], tileB[64 * 64];
  __shared__ __align__(8) unsigned long long done;
  __shared__ unsigned where;
  int t = threadIdx.x;
  int row = blockIdx.y * 128, col = blockIdx.x * 64;
  if (t < 32) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(addressOf(&where)) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  }
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(addressOf(&done)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  unsigned d = where;
  // f32 sums, f16 factors, 64 columns, 128 rows.
  unsigned shape = (1u << 4) | (64u / 8 << 17) | (128u / 16 << 24);
  for (int i = 0; i < k / 64; i++) {
    for (int j = t; j < (128 + 64) * 8; j += 128) {
      int r = j >> 3, q = j & 7;
      const half *from = r < 128 ? a + (row + r) * k + i * 64 + q * 8 : b + (col + r - 128) * k + i * 64 + q * 8;
      unsigned to = r < 128 ? addressOf(tileA) + r * 128 : addressOf(tileB) + (r - 128) * 128;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + ((q ^ (r & 7)) << 4)), "l"(from) : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
      for (int kk = 0; kk < 4; kk++)
        asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %4, 0;\n"
                     "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(d),
                     "l"(descriptor(addressOf(tileA) + 32 * kk)), "l"(descriptor(addressOf(tileB) + 32 * kk)), "r"(shape), "r"(i + kk)
                     : "memory");
      asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(addressOf(&done)) : "memory");
    }
    wait(addressOf(&done), i & 1);
  }
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  for (int h = 0; h < 8; h++) {
    unsigned x[8];
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]), "=r"(x[4]), "=r"(x[5]), "=r"(x[6]), "=r"(x[7])
                 : "r"(d + (t / 32 << 21) + 8 * h));
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    for (int i = 0; i < 8; i++) c[(row + t) * n + col + 8 * h + i] = __uint_as_float(x[i]);
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  if (t < 32) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(d) : "memory");
}
