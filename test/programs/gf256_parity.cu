// sm_75
// Reed-Solomon parity and syndromes over GF(256), with tables of logarithms in shared memory.
#include "program.h"
HD u8 times(u32 a, u32 b) { u32 r = 0; for (; b; b >>= 1) { if (b & 1) r ^= a; a <<= 1; if (a & 256) a ^= 0x11d; } return (u8)r; }
#ifdef __CUDACC__
GLOBAL k(const u8* data, u8* parity, u8* syndromes, int length) {
  __shared__ u8 power[512], log[256];
  if (threadIdx.x == 0) { u32 x = 1; for (int j = 0; j < 255; j++) { power[j] = power[j + 255] = x; log[x] = j; x = times(x, 2); } }
  __syncthreads();
  int i = threadIdx.x; const u8* d = data + i * length; u8* out = parity + i * 8;
  u8 g[9] = {1}, r[8] = {};
  for (int n = 0; n < 8; n++) for (int j = n + 1; j >= 0; j--) { u8 t = j > 0 ? g[j - 1] : 0; u8 m = g[j] ? power[log[g[j]] + n] : 0; g[j] = j <= n ? m ^ t : t; }
  for (int j = 0; j < length; j++) {
    u8 f = d[j] ^ r[7];
    for (int n = 7; n > 0; n--) r[n] = r[n - 1] ^ (f && g[n] ? power[log[f] + log[g[n]]] : 0);
    r[0] = f && g[0] ? power[log[f] + log[g[0]]] : 0;
  }
  for (int n = 0; n < 8; n++) out[n] = r[7 - n];
  for (int n = 0; n < 8; n++) { u8 s = 0; for (int j = 0; j < length + 8; j++) { u8 c = j < length ? d[j] : out[j - length]; s = (s ? power[log[s] + n] : 0) ^ c; } syndromes[i * 8 + n] = s; }
}
#else
int main() {
  const int length = 20; std::vector<u8> data, parity;
  for (int j = 0; j < 64 * length; j++) data.push_back(j * j * 7 + j / 3);
  u8 g[9] = {1}, x = 1;
  for (int n = 0; n < 8; n++, x = times(x, 2)) for (int j = n + 1; j >= 0; j--) g[j] = times(g[j], x) ^ (j > 0 ? g[j - 1] : 0);
  for (int i = 0; i < 64; i++) {
    u8 r[8] = {};
    for (int j = 0; j < length; j++) { u8 f = data[i * length + j] ^ r[7]; for (int n = 7; n > 0; n--) r[n] = r[n - 1] ^ times(f, g[n]); r[0] = times(f, g[0]); }
    for (int n = 0; n < 8; n++) parity.push_back(r[7 - n]);
  }
  Program p; p.buffer("data", data); p.zeros<u8>("parity", 512); p.zeros<u8>("syndromes", 512);
  p.launch("k", 1, 64, {p.at("data"), p.at("parity"), p.at("syndromes"), p.value<int>(length)});
  p.expect("parity", parity); p.expect("syndromes", std::vector<u8>(512)); p.print();
}
#endif
