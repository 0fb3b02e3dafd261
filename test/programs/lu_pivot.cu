// sm_75 -fmad=false
// Elimination with pivots in single precision, correctly rounded divisions.
#include "program.h"
HD float value(int i) {
  float a[5][6]; int sign = 1;
  for (int r = 0; r < 5; r++) for (int c = 0; c < 6; c++) a[r][c] = (r * 7 + c * 3 + i) % 11 - 5 + (r == c) * 0.5f;
  for (int k = 0; k < 5; k++) {
    int best = k; for (int r = k + 1; r < 5; r++) if (fabsf(a[r][k]) > fabsf(a[best][k])) best = r;
    if (best != k) { sign = -sign; for (int c = 0; c < 6; c++) { float t = a[k][c]; a[k][c] = a[best][c]; a[best][c] = t; } }
    if (a[k][k] == 0) return -1;
    for (int r = k + 1; r < 5; r++) { float f = a[r][k] / a[k][k]; for (int c = k; c < 6; c++) a[r][c] -= f * a[k][c]; }
  }
  float x[5]; for (int r = 4; r >= 0; r--) { float s = a[r][5]; for (int c = r + 1; c < 5; c++) s -= a[r][c] * x[c]; x[r] = s / a[r][r]; }
  return sign * (x[0] + 2 * x[1] + 3 * x[2] + 4 * x[3] + 5 * x[4]);
}
EACH(64, float, value(i))
