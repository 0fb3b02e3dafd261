// sm_75
// The rounds of MD5, with a mixed constant in place of each sine.
#include "program.h"
#ifdef __CUDACC__
__constant__
#endif
const u8 S[16] = {7,12,17,22,5,9,14,20,4,11,16,23,6,10,15,21};
HD u32 sine(int j) {
  u64 x = (u64)(j + 1) * 0x9E3779B97F4A7C15ull;
  x ^= x >> 29;
  return (u32)(x * 0xBF58476D1CE4E5B9ull >> 32);
}
HD u32 value(int i) {
  u32 m[16];
  for (int j = 0; j < 16; j++) m[j] = i * 0x01000193u + j;
  u32 a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
  for (int j = 0; j < 64; j++) {
    u32 f; int g;
    switch (j / 16) {
      case 0: f = b & c | ~b & d; g = j; break;
      case 1: f = d & b | ~d & c; g = (5 * j + 1) % 16; break;
      case 2: f = b ^ c ^ d; g = (3 * j + 5) % 16; break;
      default: f = c ^ (b | ~d); g = 7 * j % 16;
    }
    f += a + sine(j) + m[g];
    a = d; d = c; c = b;
    int s = S[j / 16 * 4 + j % 4];
    b += f << s | f >> (32 - s);
  }
  return a ^ b + c ^ d;
}
EACH(128, u32, value(i))
