// C = A · B, f16 with f32 sums: tiles of 64 × 64 by a warp group with wgmma on swizzled tiles, two stages filled by cp.async and counted by mbarriers.
// targets: sm_90a
#include <cuda_fp16.h>

__device__ __forceinline__ unsigned addressOf(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void arrive(unsigned bar) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory");
}

__device__ __forceinline__ void wait(unsigned bar, unsigned parity) {
  asm volatile("{\n.reg .pred p;\nW_%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra W_%=;\n}" ::"r"(bar), "r"(parity)
               : "memory");
}

// 128-byte swizzle, K-major: eight rows of 128 bytes every 1024 bytes.
__device__ __forceinline__ unsigned long long descriptor(unsigned address) {
  return (1ull << 62) | (64ull << 32) | (1ull << 16) | ((address & 0x3ffff) >> 4);
}

__device__ __forceinline__ void product(float (&d)[32], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
               "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
               "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                 "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                 "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
                 "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
               : "l"(a), "l"(b));
}

// Warps 0 to 3 multiply, warp 4 copies. a: m × k, b: n × k, both by rows.
extern "C" __global__ void __launch_bounds__(160) gemm(int n, int k, const half *a, const half *b, float *c) {
  __shared__ __align__(1024) half tiles[2][2][64 * 64];
  __shared__ __align__(8) unsigned long long full[2], empty[2];
  int t = threadIdx.x;
  int row = blockIdx.y * 64, col = blockIdx.x * 64;
  if (t == 0) {
    for (int s = 0; s < 2; s++) {
      asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(addressOf(&full[s])));
      asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(addressOf(&empty[s])));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (t >= 128) {
    int lane = t - 128;
    for (int i = 0; i < k / 64; i++) {
      int s = i & 1;
      if (i >= 2) wait(addressOf(&empty[s]), ((i >> 1) - 1) & 1);
      for (int j = lane; j < 2 * 64 * 8; j += 32) {
        int which = j >> 9, r = (j >> 3) & 63, q = j & 7;
        const half *from = which == 0 ? a + (row + r) * k + i * 64 + q * 8 : b + (col + r) * k + i * 64 + q * 8;
        unsigned to = addressOf(&tiles[s][which][0]) + r * 128 + ((q ^ (r & 7)) << 4);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
      }
      asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(addressOf(&full[s])) : "memory");
    }
    return;
  }
  float d[32];
  for (int i = 0; i < 32; i++) d[i] = 0.0f;
  for (int i = 0; i < k / 64; i++) {
    int s = i & 1;
    wait(addressOf(&full[s]), (i >> 1) & 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int kk = 0; kk < 4; kk++)
      product(d, descriptor(addressOf(&tiles[s][0][0]) + 32 * kk), descriptor(addressOf(&tiles[s][1][0]) + 32 * kk));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    arrive(addressOf(&empty[s]));
  }
  int r = row + 16 * (t / 32) + t % 32 / 4;
  for (int i = 0; i < 32; i++) c[(r + 8 * (i / 2 % 2)) * n + col + 8 * (i / 4) + 2 * (t % 4) + i % 2] = d[i];
}
