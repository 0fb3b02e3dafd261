// sm_75
// A transform of 256 numbers modulo 998244353 in shared memory, squared and turned back: the numbers folded with themselves.
#include "program.h"
const u32 M = 998244353;
HD u32 times(u32 a, u32 b) { return (u32)((u64)a * b % M); }
HD u32 power(u32 a, u32 e) { u32 r = 1; for (; e; e >>= 1) { if (e & 1) r = times(r, a); a = times(a, a); } return r; }
#ifdef __CUDACC__
__device__ void transform(u32* a, u32 root) {
  int t = threadIdx.x;
  for (int half = 128; half >= 1; half >>= 1) {
    int block = t / half * half * 2, j = t % half;
    u32 w = power(root, 128 / half * j), x = a[block + j], y = a[block + j + half];
    a[block + j] = x + y >= M ? x + y - M : x + y;
    a[block + j + half] = times(x >= y ? x - y : x + M - y, w);
    __syncthreads();
  }
  u32 v[2]; for (int k = 0; k < 2; k++) v[k] = a[__brev(t + 128 * k) >> 24];
  __syncthreads();
  for (int k = 0; k < 2; k++) a[t + 128 * k] = v[k];
  __syncthreads();
}
GLOBAL k(u32* data) {
  __shared__ u32 a[256];
  int t = threadIdx.x; u32* d = data + blockIdx.x * 256;
  a[t] = d[t]; a[t + 128] = d[t + 128]; __syncthreads();
  u32 root = power(3, (M - 1) / 256);
  transform(a, root);
  a[t] = times(a[t], a[t]); a[t + 128] = times(a[t + 128], a[t + 128]); __syncthreads();
  transform(a, power(root, M - 2));
  u32 scale = power(256, M - 2);
  d[t] = times(a[t], scale); d[t + 128] = times(a[t + 128], scale);
}
#else
int main() {
  std::vector<u32> d(512), r(512);
  for (u32 i = 0; i < 512; i++) d[i] = i * 2654435761u % M;
  for (int b = 0; b < 512; b += 256) for (int i = 0; i < 256; i++) for (int j = 0; j < 256; j++) { u32& x = r[b + (i + j) % 256]; x = (x + (u64)d[b + i] * d[b + j]) % M; }
  Program p; p.buffer("d", d); p.launch("k", 2, 128, {p.at("d")}); p.expect("d", r); p.print();
}
#endif
