// sm_75
// A block sorts 1,024 keys by four bits at a time: counts, a scan of them, a stable scatter.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(u32* data) {
  __shared__ u32 keys[1024], other[1024], count[16 * 64];
  int t = threadIdx.x;
  for (int j = t; j < 1024; j += 64) keys[j] = data[blockIdx.x * 1024 + j];
  __syncthreads();
  u32 *from = keys, *to = other;
  for (int shift = 0; shift < 32; shift += 4) {
    for (int d = 0; d < 16; d++) count[d * 64 + t] = 0;
    for (int j = 0; j < 16; j++) count[(from[t * 16 + j] >> shift & 15) * 64 + t]++;
    __syncthreads();
    if (t == 0) { u32 s = 0; for (int j = 0; j < 1024; j++) { u32 c = count[j]; count[j] = s; s += c; } }
    __syncthreads();
    for (int j = 0; j < 16; j++) { u32 key = from[t * 16 + j]; to[count[(key >> shift & 15) * 64 + t]++] = key; }
    __syncthreads();
    u32* x = from; from = to; to = x;
  }
  for (int j = t; j < 1024; j += 64) data[blockIdx.x * 1024 + j] = from[j];
}
#else
#include <algorithm>
int main() {
  std::vector<u32> d; u32 x = 1; for (int i = 0; i < 2048; i++) { x = x * 1664525u + 1013904223u; d.push_back(x ^ x >> 15); }
  Program p; p.buffer("d", d); std::sort(d.begin(), d.begin() + 1024); std::sort(d.begin() + 1024, d.end());
  p.launch("k", 2, 64, {p.at("d")}); p.expect("d", d); p.print();
}
#endif
