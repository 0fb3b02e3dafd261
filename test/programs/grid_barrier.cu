// sm_75
// Blocks of a grid wait for each other: the last to come opens the gate, by fences and a volatile flag.
#include "program.h"
#ifdef __CUDACC__
__device__ u32 come, gate;
__device__ void together(u32 blocks) {
  __syncthreads();
  if (threadIdx.x == 0) {
    u32 now = *(volatile u32*)&gate;
    __threadfence();
    if (atomicAdd(&come, 1) == blocks - 1) { come = 0; __threadfence(); atomicAdd(&gate, 1); }
    else while (*(volatile u32*)&gate == now) {}
    __threadfence();
  }
  __syncthreads();
}
GLOBAL k(u32* a, u32* b, int rounds) {
  u32 n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; r++) {
    u32* from = r & 1 ? b : a; u32* to = r & 1 ? a : b;
    to[i] = ((volatile u32*)from)[(i + 1) % n] * 3 + ((volatile u32*)from)[(i + n - 37) % n];
    together(gridDim.x);
  }
}
#else
int main() {
  const u32 n = 2 * 64; std::vector<u32> a, b(n); for (u32 i = 0; i < n; i++) a.push_back(i * i);
  Program p; p.buffer("a", a); p.zeros<u32>("b", n);
  for (int r = 0; r < 4; r++) { for (u32 i = 0; i < n; i++) b[i] = a[(i + 1) % n] * 3 + a[(i + n - 37) % n]; if (r < 3) a.swap(b); }
  p.launch("k", 2, 64, {p.at("a"), p.at("b"), p.value<int>(4)}); p.expect("a", b); p.expect("b", a); p.print();
}
#endif
