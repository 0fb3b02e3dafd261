// sm_75
// SHA-256 of short messages.
#include "program.h"
#ifdef __CUDACC__
__constant__
#endif
const u32 K[64] = {
0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5,0x3956c25b,0x59f111f1,0x923f82a4,0xab1c5ed5,0xd807aa98,0x12835b01,0x243185be,0x550c7dc3,0x72be5d74,0x80deb1fe,0x9bdc06a7,0xc19bf174,
0xe49b69c1,0xefbe4786,0x0fc19dc6,0x240ca1cc,0x2de92c6f,0x4a7484aa,0x5cb0a9dc,0x76f988da,0x983e5152,0xa831c66d,0xb00327c8,0xbf597fc7,0xc6e00bf3,0xd5a79147,0x06ca6351,0x14292967,
0x27b70a85,0x2e1b2138,0x4d2c6dfc,0x53380d13,0x650a7354,0x766a0abb,0x81c2c92e,0x92722c85,0xa2bfe8a1,0xa81a664b,0xc24b8b70,0xc76c51a3,0xd192e819,0xd6990624,0xf40e3585,0x106aa070,
0x19a4c116,0x1e376c08,0x2748774c,0x34b0bcb5,0x391c0cb3,0x4ed8aa4a,0x5b9cca4f,0x682e6ff3,0x748f82ee,0x78a5636f,0x84c87814,0x8cc70208,0x90befffa,0xa4506ceb,0xbef9a3f7,0xc67178f2};
HD u32 ror(u32 x, int n) { return x >> n | x << (32 - n); }
HD void digest(u32 seed, int length, u32 h[8]) {
  const u32 start[8] = {0x6a09e667,0xbb67ae85,0x3c6ef372,0xa54ff53a,0x510e527f,0x9b05688c,0x1f83d9ab,0x5be0cd19};
  u32 w[64];
  for (int j = 0; j < 16; j++) w[j] = 0;
  for (int j = 0; j < length; j++) { seed = seed * 1103515245u + 12345u; w[j / 4] |= (seed >> 16 & 255) << (24 - 8 * (j % 4)); }
  w[length / 4] |= 0x80u << (24 - 8 * (length % 4));
  w[15] = length * 8;
  for (int j = 16; j < 64; j++) {
    u32 a = w[j - 15], b = w[j - 2];
    w[j] = w[j - 16] + (ror(a, 7) ^ ror(a, 18) ^ a >> 3) + w[j - 7] + (ror(b, 17) ^ ror(b, 19) ^ b >> 10);
  }
  u32 s[8];
  for (int j = 0; j < 8; j++) s[j] = start[j];
  for (int j = 0; j < 64; j++) {
    u32 t1 = s[7] + (ror(s[4], 6) ^ ror(s[4], 11) ^ ror(s[4], 25)) + (s[4] & s[5] ^ ~s[4] & s[6]) + K[j] + w[j];
    u32 t2 = (ror(s[0], 2) ^ ror(s[0], 13) ^ ror(s[0], 22)) + (s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]);
    for (int m = 7; m > 0; m--) s[m] = s[m - 1];
    s[4] += t1; s[0] = t1 + t2;
  }
  for (int j = 0; j < 8; j++) h[j] = start[j] + s[j];
}
HD u32 value(int i) { u32 h[8]; digest(i / 8, i / 8 % 56, h); return h[i % 8]; }
EACH(256, u32, value(i))
