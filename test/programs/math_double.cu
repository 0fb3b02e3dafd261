// sm_75 -fmad=false
// sin, cos, exp, log, pow, atan2, cbrt, erf in double precision: within units in the last place.
#include "program.h"
HD double value(int i) {
  double x = 0.1 + i * 0.37;
  switch (i % 8) {
    case 0: return sin(x * 50) + 2;
    case 1: return cos(x * 1e6) + 2;
    case 2: return exp(-x) + log(x + 1);
    case 3: return pow(x, 1.7);
    case 4: return atan2(x, 3 - x);
    case 5: return cbrt(x) + hypot(x, 2.0);
    case 6: return erf(x / 20) + tanh(x / 9);
    default: return fmod(x * 100, 7.3) + floor(x) + rint(x * 3) + trunc(-x) + 50;
  }
}
EACH_NEAR(128, double, value(i), 1e-13)
