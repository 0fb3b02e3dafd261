// Whole numbers: SHA-256, 128-bit products and divisions, a prime sieve, N queens, a hash table with atomics, Game of Life, CRC.
#include "check.h"
#include <unordered_map>

__constant__ unsigned K[64];
static unsigned hostK[64];
__host__ __device__ inline unsigned rotr(unsigned x, int n) { return x >> n | x << (32 - n); }
__host__ __device__ inline void sha256(const unsigned *k, unsigned seed, unsigned *out) {
  unsigned w[64], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, v[8];
  for (int i = 0; i < 16; i++) w[i] = seed * 2654435761u + i * 40503u;
  for (int i = 16; i < 64; i++) {
    unsigned a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3) + w[i - 7] + (rotr(b, 17) ^ rotr(b, 19) ^ b >> 10);
  }
  for (int i = 0; i < 8; i++) v[i] = h[i];
  for (int i = 0; i < 64; i++) {
    unsigned t1 = v[7] + (rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
    unsigned t2 = (rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
    v[7] = v[6]; v[6] = v[5]; v[5] = v[4]; v[4] = v[3] + t1; v[3] = v[2]; v[2] = v[1]; v[1] = v[0]; v[0] = t1 + t2;
  }
  for (int i = 0; i < 8; i++) out[i] = h[i] + v[i];
}
__global__ void sha(unsigned *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) sha256(K, i, out + 8 * i); }

using u64 = unsigned long long;
using u128 = unsigned __int128;
__host__ __device__ inline void wide(u64 a, u64 b, u64 c, u64 *o) {
  u128 p = (u128)a * b + c;
  o[0] = (u64)p; o[1] = (u64)(p >> 64);
  o[2] = c ? (u64)(p / c) : 0; o[3] = c ? (u64)(p % c) : 0;
  o[4] = b ? a / b : 0; o[5] = b ? a % b : 0;
  o[6] = (u64)((long long)a / ((long long)(c >> 40) + 1)); o[7] = (u64)((long long)a % ((long long)(c >> 40) + 1));
}
__global__ void wides(const u64 *x, u64 *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) wide(x[3 * i], x[3 * i + 1], x[3 * i + 2], o + 8 * i); }

__host__ __device__ inline u64 modpow(u64 b, u64 e, u64 m) {
  u64 r = 1; b %= m;
  for (; e; e >>= 1) { if (e & 1) r = (u64)((u128)r * b % m); b = (u64)((u128)b * b % m); }
  return r;
}
__host__ __device__ inline int prime(u64 n) {
  if (n < 2 || n % 2 == 0) return n == 2;
  u64 d = n - 1; int s = 0;
  while (d % 2 == 0) d /= 2, s++;
  const u64 bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  for (u64 a : bases) {
    if (a % n == 0) continue;
    u64 x = modpow(a, d, n);
    if (x == 1 || x == n - 1) continue;
    int r = 1;
    for (; r < s && x != n - 1; r++) x = (u64)((u128)x * x % n);
    if (x != n - 1) return 0;
  }
  return 1;
}
__global__ void primes(const u64 *x, int *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = prime(x[i]); }

__host__ __device__ inline unsigned queens(unsigned all, unsigned first) {
  unsigned cols[16], left[16], right[16], open[16], found = 0;
  int d = 0;
  cols[0] = first; left[0] = first << 1; right[0] = first >> 1; open[0] = all & ~(cols[0] | left[0] | right[0]);
  while (d >= 0) {
    if (!open[d]) { d--; continue; }
    unsigned bit = open[d] & -open[d];
    open[d] ^= bit;
    unsigned c = cols[d] | bit, l = (left[d] | bit) << 1, r = (right[d] | bit) >> 1;
    if (c == all) { found++; continue; }
    d++;
    cols[d] = c; left[d] = l; right[d] = r; open[d] = all & ~(c | l | r);
  }
  return found;
}
__global__ void queensK(unsigned *o, int n) { unsigned i = threadIdx.x; if ((int)i < n) atomicAdd(o, queens((1u << n) - 1, 1u << i)); }

__global__ void insert(const unsigned *keys, int n, unsigned *table, unsigned *counts, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = keys[i], at = k * 2654435761u & mask;
  for (;; at = (at + 1) & mask) {
    unsigned old = atomicCAS(table + at, 0xffffffffu, k);
    if (old == 0xffffffffu || old == k) { atomicAdd(counts + at, 1u); return; }
  }
}
__global__ void life(const unsigned char *a, unsigned char *b, int w, int h) {
  __shared__ unsigned char t[18][34];
  int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 512) {
    int y = (y0 + i / 34 - 1 + h) % h, x = (x0 + i % 34 - 1 + w) % w;
    t[i / 34][i % 34] = a[y * w + x];
  }
  __syncthreads();
  int x = threadIdx.x + 1, y = threadIdx.y + 1;
  int s = t[y - 1][x - 1] + t[y - 1][x] + t[y - 1][x + 1] + t[y][x - 1] + t[y][x + 1] + t[y + 1][x - 1] + t[y + 1][x] + t[y + 1][x + 1];
  b[(y0 + threadIdx.y) * w + x0 + threadIdx.x] = s == 3 || (s == 2 && t[y][x]);
}
__host__ __device__ inline unsigned crc(const unsigned char *p, int n) {
  unsigned c = ~0u;
  for (int i = 0; i < n; i++) { c ^= p[i]; for (int k = 0; k < 8; k++) c = c >> 1 ^ (0xedb88320u & -(c & 1)); }
  return ~c;
}
__global__ void crcs(const unsigned char *p, int each, unsigned *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = crc(p + (size_t)i * each, each); }

int main() {
  Random r(6);
  for (auto &k : hostK) k = r.u32();
  cudaMemcpyToSymbol(K, hostK, sizeof hostK);
  {
    const int n = 20000;
    Buffer<unsigned> o(8 * n);
    timed("sha256", [&] { sha<<<(n + 127) / 128, 128>>>(o.p, n); });
    std::vector<unsigned> w(8 * n);
    for (int i = 0; i < n; i++) sha256(hostK, i, &w[8 * i]);
    same("sha256", o.get(), w);
  }
  {
    const int n = 20000;
    std::vector<u64> x(3 * n), w(8 * n);
    for (auto &v : x) v = r.u64() >> r.u32() % 64;
    Buffer<u64> a(x), o(8 * n);
    timed("128 bits", [&] { wides<<<(n + 127) / 128, 128>>>(a.p, o.p, n); });
    for (int i = 0; i < n; i++) wide(x[3 * i], x[3 * i + 1], x[3 * i + 2], &w[8 * i]);
    same("128 bits", o.get(), w);
  }
  {
    const int n = 4000;
    std::vector<u64> x(n);
    std::vector<int> w(n);
    for (int i = 0; i < n; i++) { x[i] = r.u64() >> r.u32() % 60 | 1; w[i] = prime(x[i]); }
    Buffer<u64> a(x);
    Buffer<int> o(n);
    timed("primes", [&] { primes<<<(n + 63) / 64, 64>>>(a.p, o.p, n); });
    same("primes", o.get(), w);
  }
  {
    Buffer<unsigned> o(1);
    o.set({0});
    queensK<<<1, 32>>>(o.p, 10);
    same("10 queens", o.get(), {724u});
  }
  {
    const int n = 100000; const unsigned size = 1 << 16;
    std::vector<unsigned> k(n);
    for (auto &x : k) x = r.u32() % 30000;
    Buffer<unsigned> a(k), t(size), c(size);
    t.set(std::vector<unsigned>(size, ~0u)); c.set(std::vector<unsigned>(size, 0));
    insert<<<(n + 255) / 256, 256>>>(a.p, n, t.p, c.p, size - 1);
    std::unordered_map<unsigned, unsigned> want, got;
    for (auto x : k) want[x]++;
    auto ht = t.get(), hc = c.get();
    bool twice = false;
    for (unsigned i = 0; i < size; i++) if (ht[i] != ~0u) { twice |= got.count(ht[i]) > 0; got[ht[i]] = hc[i]; }
    said("hash table", !twice && got == want);
  }
  {
    const int w = 512, h = 256;
    std::vector<unsigned char> a(w * h), b(w * h);
    for (auto &x : a) x = r.u32() >> 30 == 0;
    Buffer<unsigned char> p(a), q(w * h);
    for (int i = 0; i < 20; i++) { life<<<dim3(w / 32, h / 16), dim3(32, 16)>>>(p.p, q.p, w, h); std::swap(p.p, q.p); }
    for (int i = 0; i < 20; i++, std::swap(a, b))
      for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {
        int s = 0;
        for (int e = -1; e <= 1; e++) for (int d = -1; d <= 1; d++) if (e || d) s += a[(y + e + h) % h * w + (x + d + w) % w];
        b[y * w + x] = s == 3 || (s == 2 && a[y * w + x]);
      }
    same("life", p.get(), a);
  }
  {
    const int n = 3000, each = 301;
    std::vector<unsigned char> x(n * each);
    for (auto &v : x) v = (unsigned char)r.u32();
    Buffer<unsigned char> a(x);
    Buffer<unsigned> o(n);
    timed("crc", [&] { crcs<<<(n + 63) / 64, 64>>>(a.p, each, o.p, n); });
    std::vector<unsigned> w(n);
    for (int i = 0; i < n; i++) w[i] = crc(&x[(size_t)i * each], each);
    same("crc", o.get(), w);
  }
  return done();
}
