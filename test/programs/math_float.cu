// sm_75 -fmad=false
// The same in single precision, slow paths of the reduction included.
#include "program.h"
HD float value(int i) {
  float x = 0.1f + i * 0.37f;
  switch (i % 8) {
    case 0: return sinf(x * 5e5f) + 2;
    case 1: return cosf(x) + 2;
    case 2: return expf(-x) + logf(x + 1);
    case 3: return powf(x, 1.7f);
    case 4: return atan2f(x, 3 - x) + 4;
    case 5: return cbrtf(x) + sqrtf(x) + 1 / x;
    case 6: return erff(x / 20) + tanhf(x / 9);
    default: return fmodf(x * 100, 7.3f) + floorf(x) + rintf(x * 3) + 50;
  }
}
EACH_NEAR(128, float, value(i), 3e-6)
