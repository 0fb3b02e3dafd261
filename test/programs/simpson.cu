// sm_75 -fmad=false
// Integration through a function pointer, refined by recursion.
#include "program.h"
typedef double (*F)(double);
HD double cubic(double x) { return x * x * x - 2 * x + 1; }
HD double rational(double x) { return 1 / (1 + x * x); }
HD double adaptive(F f, double a, double b, double fa, double fm, double fb, int depth) {
  double m = (a + b) / 2, l = f((a + m) / 2), r = f((m + b) / 2);
  double whole = (b - a) / 6 * (fa + 4 * fm + fb), parts = (b - a) / 12 * (fa + 4 * l + 2 * fm + 4 * r + fb);
  if (depth == 0 || fabs(parts - whole) < 1e-6) return parts;
  return adaptive(f, a, m, fa, l, fm, depth - 1) + adaptive(f, m, b, fm, r, fb, depth - 1);
}
HD double value(int i) { F f = i % 2 ? cubic : rational; double b = 1 + i * 0.125; return adaptive(f, 0, b, f(0), f(b / 2), f(b), 4); }
EACH(32, double, value(i))
