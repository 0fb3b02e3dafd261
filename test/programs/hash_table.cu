// sm_75
// Insertion into an open table by compare-and-swap on 64 bits, then look-ups: counts do not depend on the order.
#include "program.h"
#ifdef __CUDACC__
__device__ unsigned long long slots[512];
GLOBAL insert(const u32* keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 key = keys[i], at = key * 2654435761u >> 23;
  for (;; at = (at + 1) & 511) {
    unsigned long long old = atomicCAS(&slots[at], 0ull, (unsigned long long)key << 32 | 1);
    if (old == 0) return;
    if (old >> 32 == key) { atomicAdd(&slots[at], 1ull); return; }
  }
}
GLOBAL find(u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 key = i + 1, at = key * 2654435761u >> 23, count = 0;
  while (slots[at]) { if (slots[at] >> 32 == key) { count = (u32)slots[at]; break; } at = (at + 1) & 511; }
  out[i] = count;
}
#else
int main() {
  std::vector<u32> keys, out(256, 0);
  for (int i = 0; i < 600; i++) { keys.push_back(1 + i * i % 251); out[keys.back() - 1]++; }
  Program p; p.buffer("keys", keys); p.zeros<u32>("out", 256);
  p.launch("insert", 5, 128, {p.at("keys"), p.value<int>(600)}); p.launch("find", 2, 128, {p.at("out"), p.value<int>(256)});
  p.expect("out", out); p.print();
}
#endif
