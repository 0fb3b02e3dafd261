// sm_75
// Miller-Rabin on 64-bit numbers: products of 128 bits reduced bit by bit.
#include "program.h"
HD u64 mul(u64 a, u64 b, u64 m) { u64 r = 0; for (; b; b >>= 1) { if (b & 1) { r += a; if (r >= m || r < a) r -= m; } u64 t = a; a += a; if (a >= m || a < t) a -= m; } return r; }
HD bool prime(u64 n) {
  if (n < 2 || n % 2 == 0) return n == 2;
  u64 d = n - 1; int s = 0;
  while (d % 2 == 0) { d /= 2; s++; }
  for (u64 base : {2ull, 3ull, 5ull}) {
    if (base % n == 0) continue;
    u64 x = 1, b = base, e = d;
    for (; e; e >>= 1) { if (e & 1) x = mul(x, b, n); b = mul(b, b, n); }
    if (x == 1 || x == n - 1) continue;
    bool composite = true;
    for (int r = 1; r < s && composite; r++) { x = mul(x, x, n); if (x == n - 1) composite = false; }
    if (composite) return false;
  }
  return true;
}
EACH(64, u8, prime(1000003ull + 2 * i))
