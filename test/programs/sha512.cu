// sm_75
// SHA-512 of one block; its constants are the fractions of cube roots, made by integers.
#include "program.h"
HD u64 turn(u64 x, int n) { return x >> n | x << (64 - n); }
// The first 64 bits of the fraction of the cube (square) root of p, by bisection in 128 bits and more.
HD u64 fraction(u32 p, bool cube) {
  u64 whole = 1; while ((cube ? whole * whole * whole : whole * whole) <= p) whole++; whole--;
  u64 f = 0;
  for (int b = 63; b >= 0; b--) {
    u64 t = f | 1ull << b;
    // x = whole + t/2^64; x^2 or x^3 in limbs of 32 bits, least first, 64 bits of fraction per factor.
    u32 x[3] = {(u32)t, (u32)(t >> 32), (u32)whole}, a[9] = {x[0], x[1], x[2]}; int n = 3;
    for (int k = cube ? 0 : 1; k < 2; k++) {
      u32 r[9] = {};
      for (int i = 0; i < n; i++) { u64 c = 0; for (int j = 0; j < 3; j++) { u64 s = (u64)a[i] * x[j] + r[i + j] + c; r[i + j] = (u32)s; c = s >> 32; } r[i + 3] = (u32)c; }
      n += 3; for (int i = 0; i < 9; i++) a[i] = r[i];
    }
    if (a[cube ? 6 : 4] < p) f = t;
  }
  return f;
}
HD u64 value(int i) {
  u64 w[80], h[8], s[8];
  const u32 primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
  for (int j = 0; j < 8; j++) s[j] = h[j] = fraction(primes[j], false);
  for (int j = 0; j < 16; j++) w[j] = (u64)i * 0x9e3779b97f4a7c15ull + j;
  for (int j = 16; j < 80; j++) { u64 a = w[j - 15], b = w[j - 2]; w[j] = w[j - 16] + (turn(a, 1) ^ turn(a, 8) ^ a >> 7) + w[j - 7] + (turn(b, 19) ^ turn(b, 61) ^ b >> 6); }
  u32 p = 1;
  for (int j = 0; j < 80; j++) {
    for (bool ok = false; !ok;) { p++; ok = true; for (u32 d = 2; d * d <= p; d++) if (p % d == 0) ok = false; }
    u64 k = j < 12 ? fraction(p, true) : (u64)p << 40 | p;
    u64 e = s[4], a = s[0];
    u64 t1 = s[7] + (turn(e, 14) ^ turn(e, 18) ^ turn(e, 41)) + ((e & s[5]) ^ (~e & s[6])) + k + w[j];
    u64 t2 = (turn(a, 28) ^ turn(a, 34) ^ turn(a, 39)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    for (int m = 7; m > 0; m--) s[m] = s[m - 1];
    s[4] += t1; s[0] = t1 + t2;
  }
  u64 r = 0; for (int j = 0; j < 8; j++) r = r * 31 + h[j] + s[j];
  return r;
}
EACH(32, u64, value(i))
