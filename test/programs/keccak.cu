// sm_75
// The permutation Keccak-f[1600]; round constants by its shift register.
#include "program.h"
HD u64 left(u64 x, int n) { return n == 0 ? x : x << n | x >> (64 - n); }
HD bool lfsr(u32& s) { bool b = s & 1; s = s & 0x80 ? s << 1 ^ 0x71 : s << 1; return b; }
HD u64 value(int i) {
  u64 a[25]; for (int j = 0; j < 25; j++) a[j] = (u64)(i + 1) * (j * 0x123456789abcdefull + 1);
  u32 s = 1;
  for (int round = 0; round < 24; round++) {
    u64 c[5]; for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    for (int x = 0; x < 5; x++) { u64 d = c[(x + 4) % 5] ^ left(c[(x + 1) % 5], 1); for (int y = 0; y < 25; y += 5) a[x + y] ^= d; }
    int x = 1, y = 0; u64 moving = a[1];
    for (int t = 0; t < 24; t++) { int ny = (2 * x + 3 * y) % 5; x = y; y = ny; u64 old = a[x + 5 * y]; a[x + 5 * y] = left(moving, (t + 1) * (t + 2) / 2 % 64); moving = old; }
    for (int r = 0; r < 25; r += 5) { u64 b[5]; for (int k = 0; k < 5; k++) b[k] = a[r + k]; for (int k = 0; k < 5; k++) a[r + k] = b[k] ^ (~b[(k + 1) % 5] & b[(k + 2) % 5]); }
    for (int j = 0; j < 7; j++) if (lfsr(s)) a[0] ^= 1ull << ((1 << j) - 1);
  }
  u64 h = 0; for (int j = 0; j < 25; j++) h = h * 1099511628211ull ^ a[j];
  return h;
}
EACH(64, u64, value(i))
