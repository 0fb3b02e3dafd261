// sm_75
// Permutations by number, by exchange (recursive) and in order, with what they have in common.
#include "program.h"
#ifdef __CUDACC__
#define KEEP __noinline__ __device__
#else
#define KEEP
#endif
KEEP void exchanges(int n, u8* a, u32& h) {
  if (n == 1) { u32 w = 0; for (int j = 0; j < 5; j++) w = w * 6 + a[j]; h = h * 31 + w; return; }
  for (int j = 0; j < n; j++) { exchanges(n - 1, a, h); int k = n & 1 ? 0 : j; u8 t = a[k]; a[k] = a[n - 1]; a[n - 1] = t; }
}
HD bool next(u8* a, int n) {
  int j = n - 2; while (j >= 0 && a[j] >= a[j + 1]) j--;
  if (j < 0) return false;
  int k = n - 1; while (a[k] <= a[j]) k--;
  u8 t = a[j]; a[j] = a[k]; a[k] = t;
  for (int l = j + 1, r = n - 1; l < r; l++, r--) { t = a[l]; a[l] = a[r]; a[r] = t; }
  return true;
}
#ifdef __CUDACC__
__device__
#endif
u32 value(int i) {
  u8 a[8], left[8]; u32 rank = i * 577 % 40320, h = 0;
  for (int j = 0; j < 8; j++) left[j] = j;
  for (int j = 0, f = 5040; j < 8; j++) { int k = rank / f; rank %= f; a[j] = left[k]; for (int m = k; m < 7; m++) left[m] = left[m + 1]; if (j < 7) f /= 7 - j; }
  for (int s = 0; s < 40 && next(a, 8); s++) h = h * 33 + a[s & 7];
  exchanges(5, a, h);
  return h;
}
EACH(64, u32, value(i))
