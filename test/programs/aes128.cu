// sm_75
// AES-128: the S-box from inverses in GF(2^8), columns mixed by doubling.
#include "program.h"
HD u8 twice(u8 x) { return x << 1 ^ (x & 0x80 ? 0x1b : 0); }
HD u8 product(u8 a, u8 b) { u8 p = 0; for (; b; b >>= 1, a = twice(a)) if (b & 1) p ^= a; return p; }
HD u8 box(u8 x) {
  u8 inverse = 0;
  if (x) { u8 p = x; for (int j = 0; j < 6; j++) { p = product(p, p); p = product(p, x); } inverse = product(p, p); }
  u8 y = inverse;
  for (int j = 0; j < 4; j++) { inverse = inverse << 1 | inverse >> 7; y ^= inverse; }
  return y ^ 0x63;
}
HD u8 value(int i) {
  u8 s[16], key[16];
  for (int j = 0; j < 16; j++) { s[j] = i / 16 * 17 + j; key[j] = j * 11; }
  u8 rcon = 1;
  for (int j = 0; j < 16; j++) s[j] ^= key[j];
  for (int round = 1; round <= 10; round++) {
    u8 t[16];
    for (int j = 0; j < 16; j++) t[j] = box(s[(j + 4 * (j % 4)) % 16]);
    if (round < 10)
      for (int c = 0; c < 4; c++) {
        u8 all = t[4 * c] ^ t[4 * c + 1] ^ t[4 * c + 2] ^ t[4 * c + 3], first = t[4 * c];
        for (int r = 0; r < 4; r++) t[4 * c + r] ^= all ^ twice(t[4 * c + r] ^ (r < 3 ? t[4 * c + r + 1] : first));
      }
    for (int j = 0; j < 4; j++) key[j] ^= box(key[12 + (j + 1) % 4]) ^ (j == 0 ? rcon : 0);
    for (int j = 4; j < 16; j++) key[j] ^= key[j - 4];
    rcon = twice(rcon);
    for (int j = 0; j < 16; j++) s[j] = t[j] ^ key[j];
  }
  return s[i % 16];
}
EACH(64, u8, value(i))
