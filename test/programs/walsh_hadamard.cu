// sm_75
// The Walsh-Hadamard transform of 512 numbers: within lanes, by shuffles, through shared memory.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(int* data) {
  __shared__ int sh[512];
  int t = threadIdx.x, v[4]; int* d = data + blockIdx.x * 512;
  for (int j = 0; j < 4; j++) v[j] = d[t * 4 + j];
  for (int s = 1; s < 4; s *= 2) for (int j = 0; j < 4; j++) if (!(j & s)) { int a = v[j], b = v[j + s]; v[j] = a + b; v[j + s] = a - b; }
  for (int s = 1; s < 32; s *= 2) for (int j = 0; j < 4; j++) { int o = __shfl_xor_sync(~0u, v[j], s); v[j] = t & s ? o - v[j] : v[j] + o; }
  for (int s = 32; s < 128; s *= 2) {
    for (int j = 0; j < 4; j++) sh[j * 128 + t] = v[j];
    __syncthreads();
    for (int j = 0; j < 4; j++) { int o = sh[j * 128 + (t ^ s)]; v[j] = t & s ? o - v[j] : v[j] + o; }
    __syncthreads();
  }
  for (int j = 0; j < 4; j++) d[t * 4 + j] = v[j];
}
#else
int main() {
  std::vector<int> d; for (int i = 0; i < 1024; i++) d.push_back(i * i * 31 % 257 - 128);
  Program p; p.buffer("d", d);
  for (int b = 0; b < 1024; b += 512) for (int s = 1; s < 512; s *= 2) for (int i = 0; i < 512; i++) if (!(i & s)) { int x = d[b + i], y = d[b + i + s]; d[b + i] = x + y; d[b + i + s] = x - y; }
  p.launch("k", 2, 128, {p.at("d")}); p.expect("d", d); p.print();
}
#endif
