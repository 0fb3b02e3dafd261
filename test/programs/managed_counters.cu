// sm_75
// Managed variables: read, written and counted in by two launches.
#include "program.h"
HD u32 mixed(u32 x) { x ^= x >> 13; x *= 0x5bd1e995u; return x ^ x >> 15; }
#ifdef __CUDACC__
__managed__ u32 total = 5;
__managed__ u32 buckets[8] = {1, 2, 3};
GLOBAL count(u32 n) {
  u32 i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { atomicAdd(&total, i); atomicAdd(&buckets[mixed(i) & 7], 1u); }
}
GLOBAL take(u32* out) { out[threadIdx.x] = threadIdx.x < 8 ? buckets[threadIdx.x] : total; }
#else
int main() {
  u32 total = 5; std::vector<u32> b = {1, 2, 3, 0, 0, 0, 0, 0};
  for (u32 i = 0; i < 100; i++) { total += i; b[mixed(i) & 7]++; }
  b.push_back(total);
  Program p; p.zeros<u32>("out", 9);
  p.launch("count", 2, 64, {p.value<u32>(100)}); p.launch("take", 1, 9, {p.at("out")}); p.expect("out", b); p.print();
}
#endif
