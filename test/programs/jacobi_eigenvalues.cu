// sm_75 -fmad=false
// Rotations on symmetric 3×3 matrices.
#include "program.h"
HD double value(int i) {
  double a[3][3] = {{2.0 + i, 1, 0.5}, {1, 3, -1.0 / (1 + i)}, {0.5, -1.0 / (1 + i), 1}};
  for (int sweep = 0; sweep < 6; sweep++)
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (fabs(a[p][q]) < 1e-14) continue;
        double t = (a[q][q] - a[p][p]) / (2 * a[p][q]); t = (t < 0 ? -1 : 1) / (fabs(t) + sqrt(t * t + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; k++) { double x = a[p][k], y = a[q][k]; a[p][k] = c * x - s * y; a[q][k] = s * x + c * y; }
        for (int k = 0; k < 3; k++) { double x = a[k][p], y = a[k][q]; a[k][p] = c * x - s * y; a[k][q] = s * x + c * y; }
      }
  return a[0][0] * 100 + a[1][1] * 10 + a[2][2];
}
EACH_NEAR(32, double, value(i), 1e-12)
