// sm_75
// 128-bit products, sums, shifts and division by hand and by the compiler.
#include "program.h"
typedef unsigned __int128 u128;
HD u64 value(int i) {
  u128 a = (u128)0x123456789abcdef0ull * (0xfedcba9876543210ull + i), b = ((u128)i << 90) + 12345 * i + 7;
  u128 c = a * b + (a >> (i % 100)) - (b << (i % 60));
  bool less = a < b;
  return (u64)(c >> 64) ^ (u64)c * 3 ^ (less ? 0x5555 : 0) ^ (u64)((c >> 3) / (b | 1)) ^ (u64)(c % ((b >> 50) | 3));
}
EACH(64, u64, value(i))
