// Takes rows of a matrix in the order of `from` and puts them where `to` says, four at a time by TMA, a multiple of each.
// targets: sm_100a
#include <cuda.h>
#include <cstdint>

constexpr int WIDTH = 32;

__device__ unsigned shared(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

extern "C" __global__ void __launch_bounds__(128)
    permute_rows(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out, const int4 *from, const int4 *to) {
  __shared__ __align__(128) unsigned rows[4][WIDTH];
  __shared__ __align__(8) uint64_t full;
  int t = threadIdx.x, done = 0;
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&full)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared(&full)), "r"(4 * WIDTH * 4) : "memory");
    int4 r = from[blockIdx.x];
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(
            shared(rows)),
        "l"(&in), "r"(0), "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w), "r"(shared(&full))
        : "memory");
  }
  __syncthreads();
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared(&full))
                 : "memory");
  rows[t / WIDTH][t % WIDTH] *= 3;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    int4 r = to[blockIdx.x];
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(&out),
                 "r"(0), "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w), "r"(shared(rows))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
