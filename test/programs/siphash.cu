// sm_75
// SipHash-2-4: 64-bit sums and rotations.
#include "program.h"
HD u64 rol(u64 x, int n) { return x << n | x >> (64 - n); }
HD u64 value(int i) {
  u64 k0 = 0x0706050403020100ull, k1 = 0x0f0e0d0c0b0a0908ull;
  u64 a = k0 ^ 0x736f6d6570736575ull, b = k1 ^ 0x646f72616e646f6dull, c = k0 ^ 0x6c7967656e657261ull, d = k1 ^ 0x7465646279746573ull;
  for (int w = 0; w < 5; w++) {
    u64 m = w < 4 ? (u64)i << 7 * w ^ w : (u64)32 << 56;
    d ^= m;
    for (int r = 0; r < 2; r++) { a += b; b = rol(b, 13) ^ a; a = rol(a, 32); c += d; d = rol(d, 16) ^ c; a += d; d = rol(d, 21) ^ a; c += b; b = rol(b, 17) ^ c; c = rol(c, 32); }
    a ^= m;
  }
  c ^= 0xff;
  for (int r = 0; r < 4; r++) { a += b; b = rol(b, 13) ^ a; a = rol(a, 32); c += d; d = rol(d, 16) ^ c; a += d; d = rol(d, 21) ^ a; c += b; b = rol(b, 17) ^ c; c = rol(c, 32); }
  return a ^ b ^ c ^ d;
}
EACH(128, u64, value(i))
