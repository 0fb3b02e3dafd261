// sm_75
// Signed and unsigned division and remainder of 32 and 64 bits.
#include "program.h"
HD long long value(int i) {
  long long a = (i - 40) * 123456789123ll, b = (i % 13 - 6) * 98765ll + 1;
  int c = (i - 50) * 1234567, d = i % 9 - 4;
  unsigned e = i * 2654435761u;
  u64 x = 0xfedcba9876543210ull - i, y = e | 1;
  while (y) { u64 t = x % y; x = y; y = t; }
  return a / b + a % b + (d ? c / d + c % d : 0) + e / 7 + e % 1000 + a / 10 + (long long)x;
}
EACH(128, long long, value(i))
