// The mathematical functions of float and double against the host's: the errors that the CUDA guide allows, and a margin for the host's own.
#include "check.h"

#define LIST(X) \
  X(sqrt, 1, 0, 1e4) X(cbrt, 2, -1e4, 1e4) X(exp, 2, -80, 80) X(exp2, 2, -100, 100) X(exp10, 2, -30, 30) X(expm1, 2, -50, 50) \
  X(log, 2, 1e-6, 1e6) X(log2, 2, 1e-6, 1e6) X(log10, 3, 1e-6, 1e6) X(log1p, 2, -0.9, 1e5) X(sin, 2, -1e6, 1e6) X(cos, 2, -1e6, 1e6) \
  X(tan, 4, -1e6, 1e6) X(asin, 3, -1, 1) X(acos, 3, -1, 1) X(atan, 3, -1e3, 1e3) X(sinh, 3, -60, 60) X(cosh, 3, -60, 60) \
  X(tanh, 3, -10, 10) X(asinh, 4, -1e3, 1e3) X(acosh, 5, 1, 1e3) X(atanh, 4, -1, 1) X(erf, 3, -5, 5) X(erfc, 6, -3, 8) \
  X(tgamma, 12, 0.1, 20) X(lgamma, 8, 3, 100) X(rint, 0, -1e5, 1e5) X(trunc, 0, -1e5, 1e5) X(ceil, 0, -1e5, 1e5) X(round, 0, -1e5, 1e5)

#define KERNELS(fn, ulp, lo, hi) \
  __global__ void fn##_f32(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = fn##f(x[i]); } \
  __global__ void fn##_f64(const double *x, double *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = fn(x[i]); }
LIST(KERNELS)

__global__ void two(const double *x, const double *y, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = fabs(x[i]), b = y[i];
  out[8 * i] = pow(a, b); out[8 * i + 1] = fmod(x[i], b); out[8 * i + 2] = atan2(x[i], b); out[8 * i + 3] = hypot(x[i], b);
  out[8 * i + 4] = x[i] / b; out[8 * i + 5] = remainder(x[i], b); out[8 * i + 6] = fma(x[i], b, a); out[8 * i + 7] = ldexp(x[i], (int)b);
}
__global__ void twof(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = fabsf(x[i]), b = y[i];
  out[8 * i] = powf(a, b); out[8 * i + 1] = fmodf(x[i], b); out[8 * i + 2] = atan2f(x[i], b); out[8 * i + 3] = hypotf(x[i], b);
  out[8 * i + 4] = x[i] / b; out[8 * i + 5] = remainderf(x[i], b); out[8 * i + 6] = fmaf(x[i], b, a); out[8 * i + 7] = ldexpf(x[i], (int)b);
}
double exp10_(double x) { return pow(10.0, x); }

template <class T, class F> void check(const char *name, void (*kernel)(const T *, T *, int), F f, double ulps, double lo, double hi) {
  const int n = 1 << 16;
  Random r(4);
  std::vector<T> x(n), want(n);
  for (int i = 0; i < n; i++) {
    double u = r.u64() * 0x1p-64;
    x[i] = (T)(lo + (hi - lo) * (i & 1 ? u * u * u : u));
  }
  for (int i = 0; i < n; i++) want[i] = (T)f((double)x[i]);
  Buffer<T> a(x), b(n);
  timed(name, [&] { kernel<<<n / 256, 256>>>(a.p, b.p, n); }, 5);
  double eps = sizeof(T) == 4 ? 0x1p-23 : 0x1p-52;
  near(name, b.get(), want, (ulps + (sizeof(T) == 8 ? 2 : 0.5)) * eps, 0x1p-1000);
}
#define exp10(x) exp10_(x)
#define CALLS(f, ulp, lo, hi) \
  check<float>(#f " f32", f##_f32, [](double x) { return f(x); }, ulp, lo, hi); \
  check<double>(#f " f64", f##_f64, [](double x) { return f(x); }, ulp, lo, hi);

template <class T> void pairs(const char *name, void (*kernel)(const T *, const T *, T *, int)) {
  const int n = 1 << 15;
  Random r(5);
  std::vector<T> x(n), y(n), want(8 * n);
  for (int i = 0; i < n; i++) { x[i] = (T)((r.u64() * 0x1p-64 - 0.5) * 200); y[i] = (T)((r.u64() * 0x1p-64 - 0.5) * 20); if (y[i] == 0) y[i] = 1; }
  for (int i = 0; i < n; i++) {
    double a = std::fabs((double)x[i]), p = x[i], b = y[i];
    double w[8] = {pow(a, b), fmod(p, b), atan2(p, b), hypot(p, b), p / b, remainder(p, b), std::fma(p, b, a), ldexp(p, (int)b)};
    for (int k = 0; k < 8; k++) want[8 * i + k] = (T)w[k];
  }
  Buffer<T> a(x), b(y), c(8 * n);
  timed(name, [&] { kernel<<<n / 128, 128>>>(a.p, b.p, c.p, n); }, 5);
  near(name, c.get(), want, 9 * (sizeof(T) == 4 ? 0x1p-23 : 0x1p-52), sizeof(T) == 4 ? 1e-4 * 0x1p-23 : 1e-300);
}

int main() {
  LIST(CALLS)
  pairs<double>("two operands f64", two);
  pairs<float>("two operands f32", twof);
  return done();
}
