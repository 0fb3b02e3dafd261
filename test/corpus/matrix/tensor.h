// What kernels of products in tensor memory share, beside asynchronous.h.
#pragma once
#include "asynchronous.h"


#define TENSOR_FENCE_BEFORE() asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory")
#define TENSOR_FENCE_AFTER() asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory")

// Eight columns of a row to registers.
__device__ __forceinline__ void loadTensor8(unsigned (&x)[8], unsigned from) {
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];\ntcgen05.wait::ld.sync.aligned;"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]), "=r"(x[4]), "=r"(x[5]), "=r"(x[6]), "=r"(x[7])
               : "r"(from));
}
__device__ __forceinline__ void commitAlone(unsigned bar) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar) : "memory");
}

// Pieces of 16 bytes without swizzle: eight rows beside each other, groups of eight rows `rows` bytes apart, pieces along k `along` bytes.
__device__ __forceinline__ unsigned long long pieces(unsigned address, unsigned along, unsigned rows) {
  return (1ull << 46) | ((unsigned long long)(rows >> 4) << 32) | ((unsigned long long)(along >> 4) << 16) | ((address & 0x3ffff) >> 4);
}
// Copies `count` rows of `bytes` bytes so that pieces along k are `count` · 16 bytes apart.
__device__ __forceinline__ void toPieces(unsigned char *to, const unsigned char *from, int count, int bytes, int stride) {
  for (int i = threadIdx.x; i < count * bytes / 16; i += blockDim.x) {
    int r = i % count, p = i / count;
    *(uint4 *)(to + p * count * 16 + r * 16) = *(const uint4 *)(from + (size_t)r * stride + p * 16);
  }
}
