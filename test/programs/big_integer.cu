// sm_75
// Factorials as big integers, then a remainder by a word: carries and 64-bit division.
#include "program.h"
HD u64 value(int i) {
  u32 d[24] = {1};
  for (int f = 2; f <= i; f++) {
    u64 carry = 0;
    for (int j = 0; j < 24; j++) { carry += (u64)d[j] * f; d[j] = (u32)carry; carry >>= 32; }
  }
  u64 r = 0, m = 1000000007ull * 3;
  for (int j = 23; j >= 0; j--) r = (r << 32 | d[j]) % m;
  u32 x = 0;
  for (int j = 0; j < 24; j++) x ^= d[j] * (j + 1);
  return r << 32 | x;
}
EACH(100, u64, value(i))
