// sm_75
// Templates, operators, lambdas that capture, and functions that take them.
#include "program.h"
template <class T, int N> struct Vec {
  T v[N];
  HD Vec operator+(const Vec& o) const { Vec r; for (int j = 0; j < N; j++) r.v[j] = v[j] + o.v[j]; return r; }
  HD Vec operator*(T k) const { Vec r; for (int j = 0; j < N; j++) r.v[j] = v[j] * k; return r; }
  template <class F> HD Vec map(F f) const { Vec r; for (int j = 0; j < N; j++) r.v[j] = f(v[j]); return r; }
  template <class A, class F> HD A fold(A a, F f) const { for (int j = 0; j < N; j++) a = f(a, v[j]); return a; }
};
template <class T, int N> HD T filled(int i) {
  Vec<T, N> a, b;
  for (int j = 0; j < N; j++) { a.v[j] = T(i + j); b.v[j] = T(i * j % 7); }
  T k = T(i % 4 + 1);
  auto scaled = (a + b * k).map([k, i](T x) { return x > T(20) ? x - k : x + T(i % 3); });
  return scaled.fold(T(0), [&a](T s, T x) { return s + x * a.v[1]; });
}
template <int N> HD u32 power(u32 x) { if constexpr (N == 0) return 1; else return x * power<N - 1>(x); }
template <class... T> HD u32 sums(T... x) { return (u32(x) + ... + 0u); }
HD u64 value(int i) {
  return filled<int, 3>(i) + filled<u64, 5>(i) * 7 + (u64)filled<float, 4>(i) + power<5>(i) + sums(i, i * 2.5f, u8(i), 'c');
}
EACH(128, u64, value(i))
