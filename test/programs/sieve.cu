// sm_75
// Primes below 2048 in shared memory.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(u32* out) {
  __shared__ u8 composite[2048];
  for (int j = threadIdx.x; j < 2048; j += blockDim.x) composite[j] = j < 2;
  __syncthreads();
  for (int q = 2; q * q < 2048; q++) {
    if (!composite[q]) for (int j = q * q + q * threadIdx.x; j < 2048; j += q * blockDim.x) composite[j] = 1;
    __syncthreads();
  }
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  int mine = 0;
  for (int j = threadIdx.x; j < 2048; j += blockDim.x) { out[j] = !composite[j]; mine += !composite[j]; }
  atomicAdd(&total, mine);
  __syncthreads();
  if (threadIdx.x == 0) out[2048] = total;
}
#else
int main() {
  std::vector<u32> out(2049, 1); out[0] = out[1] = 0; out[2048] = 0;
  for (int q = 2; q < 2048; q++) if (out[q]) { out[2048]++; for (int j = 2 * q; j < 2048; j += q) out[j] = 0; }
  Program p; p.zeros<u32>("out", 2049); p.launch("k", 1, 96, {p.at("out")}); p.expect("out", out); p.print();
}
#endif
