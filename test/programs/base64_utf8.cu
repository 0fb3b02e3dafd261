// sm_75
// Base64 both ways, and validation of UTF-8.
#include "program.h"
HD u8 digit(int v) { return v < 26 ? 'A' + v : v < 52 ? 'a' + v - 26 : v < 62 ? '0' + v - 52 : v == 62 ? '+' : '/'; }
HD int number(u8 c) { return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1; }
HD u32 value(int i) {
  u8 in[12], text[16]; u32 h = 0;
  for (int j = 0; j < 12; j++) in[j] = i * 7 + j * j * 29;
  for (int j = 0; j < 4; j++) { int v = in[3 * j] << 16 | in[3 * j + 1] << 8 | in[3 * j + 2]; for (int d = 0; d < 4; d++) { text[4 * j + d] = digit(v >> (18 - 6 * d) & 63); h = h * 33 + text[4 * j + d]; } }
  int wrong = 0;
  for (int j = 0; j < 12; j++) { int v = number(text[j / 3 * 4 + j % 3]) << (2 + 2 * (j % 3)) | number(text[j / 3 * 4 + j % 3 + 1]) >> (4 - 2 * (j % 3)); wrong += (u8)v != in[j]; }
  int valid = 0;
  for (int j = 0; j < 12;) {
    int n = in[j] < 0x80 ? 0 : in[j] >> 5 == 6 ? 1 : in[j] >> 4 == 14 ? 2 : in[j] >> 3 == 30 ? 3 : -1; j++;
    if (n < 0) continue;
    bool good = true; for (; n > 0 && j < 12; n--, j++) good &= in[j] >> 6 == 2;
    valid += good && n <= 0;
  }
  return h + wrong * 1000003 + valid * 17;
}
EACH(128, u32, value(i))
