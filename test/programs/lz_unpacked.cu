// sm_75
// Unpacking in the manner of LZ: literals, and copies from before that may reach into themselves.
#include "program.h"
HD u32 value(int i) {
  u8 in[64], out[256]; u32 x = i * 2654435761u + 1;
  for (int j = 0; j < 64; j++) { x ^= x << 13; x ^= x >> 17; x ^= x << 5; in[j] = x; }
  int n = 0, at = 0;
  while (at < 62 && n < 200) {
    u8 c = in[at++];
    if (c < 96 || n == 0) { int count = (c & 7) + 1; while (count-- > 0 && at < 62) out[n++] = in[at++]; }
    else { int distance = c % n + 1, count = (in[at++] & 31) + 3; for (int j = 0; j < count; j++, n++) out[n] = out[n - distance]; }
  }
  u32 a = 1, b = 0; for (int j = 0; j < n; j++) { a = (a + out[j]) % 65521; b = (b + a) % 65521; }
  return (b << 16 | a) ^ n;
}
EACH(96, u32, value(i))
