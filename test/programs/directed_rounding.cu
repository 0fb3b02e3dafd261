// sm_75
// Bounds of sums, products, quotients and roots by directed rounding; the host sets its own rounding for it.
#include "program.h"
HD double input(int i, int n) { u64 x = (i * 9 + n) * 0x9e3779b97f4a7c15ull; x ^= x >> 29; return (double)(long long)(x >> 12) / 1048576.0 + 1; }
#ifdef __CUDACC__
GLOBAL k(double* out, float* single) {
  int i = threadIdx.x + blockIdx.x * blockDim.x; double a = input(i, 0), b = input(i, 1), *o = out + i * 8; float c = (float)a, d = (float)b, *s = single + i * 8;
  o[0] = __dadd_rd(a, b); o[1] = __dadd_ru(a, b); o[2] = __dmul_rd(a, b); o[3] = __dmul_ru(a, b); o[4] = __ddiv_rd(a, b); o[5] = __ddiv_ru(a, b); o[6] = __dsqrt_rd(a); o[7] = __dsqrt_ru(a);
  s[0] = __fadd_rd(c, d); s[1] = __fadd_ru(c, d); s[2] = __fmul_rd(c, d); s[3] = __fmul_ru(c, d); s[4] = __fdiv_rd(c, d); s[5] = __fdiv_ru(c, d); s[6] = __fsqrt_rd(c); s[7] = __fsqrt_ru(c);
}
#else
#include <fenv.h>
int main() {
  std::vector<double> out; std::vector<float> single;
  for (int i = 0; i < 64; i++) for (int n = 0; n < 4; n++) {
    volatile double a = input(i, 0), b = input(i, 1); volatile float c = (float)a, d = (float)b;
    for (int up = 0; up < 2; up++) {
      fesetround(up ? FE_UPWARD : FE_DOWNWARD);
      volatile double x = n == 0 ? a + b : n == 1 ? a * b : n == 2 ? a / b : sqrt(a); volatile float y = n == 0 ? c + d : n == 1 ? c * d : n == 2 ? c / d : sqrtf(c);
      fesetround(FE_TONEAREST); out.push_back(double(x)); single.push_back(float(y));
    }
  }
  Program p; p.zeros<double>("out", 512); p.zeros<float>("single", 512); p.launch("k", 2, 32, {p.at("out"), p.at("single")}); p.expect("out", out); p.expect("single", single); p.print();
}
#endif
