// sm_75 -fmad=false
// Decompositions of private 6×6 matrices: divisions and square roots in double precision.
#include "program.h"
HD double value(int i) {
  double a[6][6], l[6][6] = {};
  for (int r = 0; r < 6; r++) for (int c = 0; c < 6; c++) a[r][c] = (r == c) * 20.0 + 1.0 / (1 + r + c + i % 7);
  for (int r = 0; r < 6; r++) for (int c = 0; c <= r; c++) { double s = a[r][c]; for (int j = 0; j < c; j++) s -= l[r][j] * l[c][j]; l[r][c] = r == c ? sqrt(s) : s / l[c][c]; }
  double sum = 0; for (int r = 0; r < 6; r++) for (int c = 0; c <= r; c++) sum += l[r][c] * (r * 6 + c);
  return sum;
}
EACH(48, double, value(i))
