// sm_75
// Each atomic operation with a result that no order changes.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(int* si, u32* un, unsigned long long* lo, float* f, double* d, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = i * 37 % 101 - 50;
  atomicAdd(&si[0], v); atomicSub(&si[1], v); atomicMin(&si[2], v); atomicMax(&si[3], v); atomicExch(&si[4], 9);
  atomicAnd(&un[0], ~(1u << i % 7)); atomicOr(&un[1], 1u << i % 19); atomicXor(&un[2], i * 77u); atomicInc(&un[3], 6); atomicDec(&un[4], 6);
  atomicMin(&un[5], i + 3u); atomicMax(&un[6], i * 2u); atomicAdd(&un[7], i);
  atomicAdd(&lo[0], (unsigned long long)i << 30); atomicMax(&lo[1], (unsigned long long)i << 33); atomicMin(&lo[2], 1ull << 40 | i); atomicXor(&lo[3], i * 0x100000001ull);
  atomicAnd(&lo[4], ~(1ull << i % 40)); atomicOr(&lo[5], 1ull << i % 60); atomicAdd(&f[0], (float)v); atomicAdd(&d[0], (double)v / 4);
  __shared__ int s[4]; __shared__ unsigned long long sl[2]; __shared__ float sf;
  if (threadIdx.x == 0) { s[0] = s[1] = 0; s[2] = 1000; sl[0] = sl[1] = 0; sf = 0; }
  __syncthreads();
  atomicAdd(&s[0], v); atomicMax(&s[1], v); atomicMin(&s[2], v); atomicAdd(&sl[0], (unsigned long long)i); atomicMax(&sl[1], (unsigned long long)v + 100); atomicAdd(&sf, (float)v);
  __syncthreads();
  if (threadIdx.x == 0) { atomicAdd(&si[5], s[0] + s[1] + s[2]); atomicAdd(&lo[6], sl[0] + sl[1]); atomicAdd(&f[1], sf); }
}
#else
int main() {
  const int n = 256; std::vector<int> si(6, 0); std::vector<u32> un(8, 0); std::vector<unsigned long long> lo(7, 0); std::vector<float> f(2, 0); std::vector<double> d(1, 0);
  un[0] = ~0u; un[5] = ~0u; lo[2] = lo[4] = ~0ull;
  Program p; p.buffer("si", si); p.buffer("un", un); p.buffer("lo", lo); p.buffer("f", f); p.buffer("d", d);
  for (int b = 0; b < 2; b++) {
    int s0 = 0, s1 = 0, s2 = 1000; unsigned long long l0 = 0, l1 = 0;
    for (int i = b * 128; i < b * 128 + 128; i++) {
      int v = i * 37 % 101 - 50;
      si[0] += v; si[1] -= v; si[2] = std::min(si[2], v); si[3] = std::max(si[3], v); si[4] = 9;
      un[0] &= ~(1u << i % 7); un[1] |= 1u << i % 19; un[2] ^= i * 77u; un[3] = un[3] >= 6 ? 0 : un[3] + 1; un[4] = un[4] == 0 || un[4] > 6 ? 6 : un[4] - 1;
      un[5] = std::min(un[5], i + 3u); un[6] = std::max(un[6], i * 2u); un[7] += i;
      lo[0] += (unsigned long long)i << 30; lo[1] = std::max(lo[1], (unsigned long long)i << 33); lo[2] = std::min(lo[2], 1ull << 40 | i); lo[3] ^= i * 0x100000001ull;
      lo[4] &= ~(1ull << i % 40); lo[5] |= 1ull << i % 60; f[0] += v; d[0] += v / 4.0;
      s0 += v; s1 = std::max(s1, v); s2 = std::min(s2, v); l0 += i; l1 = std::max(l1, (unsigned long long)v + 100); f[1] += v;
    }
    si[5] += s0 + s1 + s2; lo[6] += l0 + l1;
  }
  p.launch("k", 2, 128, {p.at("si"), p.at("un"), p.at("lo"), p.at("f"), p.at("d"), p.value<int>(n)});
  p.expect("si", si); p.expect("un", un); p.expect("lo", lo); p.expect("f", f); p.expect("d", d); p.print();
}
#endif
