// What kernels with barriers in shared memory, tensor copies and products of warp groups share.
#pragma once
#include <cstdint>
#include <cuda.h>
#include <cuda_fp16.h>

__device__ __forceinline__ unsigned addressOf(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void initBarrier(unsigned bar, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(count) : "memory");
}
__device__ __forceinline__ void fenceBarriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void fenceProxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void arrive(unsigned bar) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void expect(unsigned bar, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
}
__device__ __forceinline__ void waitFor(unsigned bar, unsigned parity) {
  asm volatile("{\n.reg .pred p;\nW_%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra W_%=;\n}" ::"r"(bar), "r"(parity)
               : "memory");
}
__device__ __forceinline__ unsigned rankInCluster() {
  unsigned r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ __forceinline__ unsigned mapRank(unsigned address, unsigned rank) {
  unsigned r;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(address), "r"(rank));
  return r;
}
__device__ __forceinline__ void arriveRemote(unsigned bar) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void clusterSync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// A box of a matrix, column x and row y first.
__device__ __forceinline__ void loadBox(unsigned to, const CUtensorMap *map, unsigned bar, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(bar)
               : "memory");
}
__device__ __forceinline__ void loadBoxEverywhere(unsigned to, const CUtensorMap *map, unsigned bar, int x, int y, unsigned short ctas) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(bar), "h"(ctas)
               : "memory");
}

// Swizzle of 128 bytes, K-major: eight rows of 128 bytes every 1024 bytes. For wgmma.
__device__ __forceinline__ unsigned long long groupMatrix(unsigned address) {
  return (1ull << 62) | (64ull << 32) | (1ull << 16) | ((address & 0x3ffff) >> 4);
}
// The same for tcgen05.mma.
__device__ __forceinline__ unsigned long long tensorMatrix(unsigned address) {
  return (2ull << 61) | (1ull << 46) | (64ull << 32) | (1ull << 16) | ((address & 0x3ffff) >> 4);
}

#define D8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define LIST32 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}"
// d += A · B of 64 × 64 × 16.
__device__ __forceinline__ void groupProduct(float (&d)[32], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 " LIST32 ", %32, %33, 1, 1, 1, 0, 0;"
               : D8(0), D8(8), D8(16), D8(24)
               : "l"(a), "l"(b));
}
__device__ __forceinline__ void groupFence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void groupCommit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> __device__ __forceinline__ void groupWait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }
// Column and row of element i of a thread's part of 64 × 64.
__device__ __forceinline__ int groupRow(int i) { return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4 + 8 * (i / 2 % 2); }
__device__ __forceinline__ int groupColumn(int i) { return 8 * (i / 4) + 2 * (threadIdx.x % 4) + i % 2; }
