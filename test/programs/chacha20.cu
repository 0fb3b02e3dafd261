// sm_75
// ChaCha20 blocks.
#include "program.h"
HD void quarter(u32& a, u32& b, u32& c, u32& d) {
  a += b; d ^= a; d = d << 16 | d >> 16; c += d; b ^= c; b = b << 12 | b >> 20;
  a += b; d ^= a; d = d << 8 | d >> 24; c += d; b ^= c; b = b << 7 | b >> 25;
}
HD u32 value(int i) {
  u32 in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
  for (int j = 4; j < 16; j++) in[j] = j * 0x01234567u;
  in[12] = i / 16;
  for (int j = 0; j < 16; j++) x[j] = in[j];
  for (int r = 0; r < 10; r++) {
    quarter(x[0], x[4], x[8], x[12]); quarter(x[1], x[5], x[9], x[13]); quarter(x[2], x[6], x[10], x[14]); quarter(x[3], x[7], x[11], x[15]);
    quarter(x[0], x[5], x[10], x[15]); quarter(x[1], x[6], x[11], x[12]); quarter(x[2], x[7], x[8], x[13]); quarter(x[3], x[4], x[9], x[14]);
  }
  u32 v = 0;
  for (int j = 0; j < 16; j++) if (j == i % 16) v = x[j] + in[j];
  return v;
}
EACH(256, u32, value(i))
