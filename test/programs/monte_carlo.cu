// sm_75 -fmad=false
// Points in a quarter of a circle, by a counter-based generator (Philox 4x32, 7 rounds).
#include "program.h"
HD int value(int i) {
  int inside = 0;
  for (int j = 0; j < 16; j++) {
    u32 c[4] = {(u32)i, (u32)j, 7, 11}, k0 = 0x12345678, k1 = 0x9abcdef0;
    for (int r = 0; r < 7; r++) {
      u64 a = (u64)0xD2511F53u * c[0], b = (u64)0xCD9E8D57u * c[2];
      u32 n0 = (u32)(b >> 32) ^ c[1] ^ k0, n2 = (u32)(a >> 32) ^ c[3] ^ k1;
      c[1] = (u32)b; c[3] = (u32)a; c[0] = n0; c[2] = n2; k0 += 0x9E3779B9; k1 += 0xBB67AE85;
    }
    float x = (c[0] >> 8) * (1.0f / (1 << 24)), y = (c[1] >> 8) * (1.0f / (1 << 24));
    inside += x * x + y * y < 1;
  }
  return inside;
}
EACH(192, int, value(i))
