// sm_75 -fmad=false
// Integers and floats to decimal text and back.
#include "program.h"
HD u32 value(int i) {
  char s[16]; int n = 0; long long v = (long long)(i - 60) * 98765431; bool neg = v < 0; u64 u = neg ? -v : v;
  do { s[n++] = '0' + u % 10; u /= 10; } while (u);
  if (neg) s[n++] = '-';
  u32 h = 0; for (int j = n - 1; j >= 0; j--) h = h * 31 + s[j];
  long long back = 0; for (int j = n - 1; j >= 0; j--) if (s[j] != '-') back = back * 10 + (s[j] - '0');
  if (neg) back = -back;
  double d = i * 0.37 + 5; int whole = (int)d; for (int j = 0; j < 6; j++) { d = (d - (int)d) * 10; h = h * 7 + (int)d; }
  return h + whole + (back == v ? 0 : 1u << 31);
}
EACH(128, u32, value(i))
