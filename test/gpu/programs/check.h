// What the programs share: allocation by vector, random numbers, comparison with the host's result, times by events.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

inline int failures = 0;

inline void ok(cudaError_t e, const char *what) {
  if (e == cudaSuccess) return;
  printf("%s: %s\n", what, cudaGetErrorName(e));
  exit(3);
}

struct Random {
  unsigned long long s;
  explicit Random(unsigned seed) : s(seed * 0x9e3779b97f4a7c15ull + 1) {}
  unsigned u32() {
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    unsigned x = (unsigned)(((s >> 18) ^ s) >> 27), r = (unsigned)(s >> 59);
    return x >> r | x << (-r & 31);
  }
  unsigned long long u64() { unsigned long long h = u32(); return h << 32 | u32(); }
  float f32() { return (u32() >> 8) * 0x1p-24f; }
};

template <class T> struct Buffer {
  T *p = nullptr;
  size_t n;
  explicit Buffer(size_t n) : n(n) { ok(cudaMalloc(&p, std::max<size_t>(n, 1) * sizeof(T)), "cudaMalloc"); ok(cudaMemset(p, 0xcd, n * sizeof(T)), "cudaMemset"); }
  explicit Buffer(const std::vector<T> &h) : Buffer(h.size()) { set(h); }
  void set(const std::vector<T> &h) { ok(cudaMemcpy(p, h.data(), n * sizeof(T), cudaMemcpyHostToDevice), "copy to the device"); }
  std::vector<T> get() const {
    std::vector<T> h(n);
    ok(cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost), "copy from the device");
    return h;
  }
};

inline void said(const char *name, bool right) {
  printf("%s %s\n", name, right ? "right" : "WRONG");
  failures += !right;
}

template <class T> void same(const char *name, const std::vector<T> &got, const std::vector<T> &want) {
  size_t i = 0;
  while (i < want.size() && i < got.size() && memcmp(&got[i], &want[i], sizeof(T)) == 0) i++;
  if (i < want.size()) printf("%s: differs at %zu of %zu\n", name, i, want.size());
  said(name, i == want.size() && got.size() >= want.size());
}

// Equal to a relative error, and an absolute one near zero.
template <class T> void near(const char *name, const std::vector<T> &got, const std::vector<T> &want, double rel, double abs = 0) {
  size_t bad = 0, first = 0;
  for (size_t i = 0; i < want.size(); i++) {
    double g = got[i], w = want[i];
    bool right = g == w || (g != g && w != w) || std::fabs(g - w) <= abs + rel * std::fabs(w);
    if (!right && bad++ == 0) first = i;
  }
  if (bad) printf("%s: %zu of %zu differ, first at %zu: %.17g, not %.17g\n", name, bad, want.size(), first, (double)got[first], (double)want[first]);
  said(name, bad == 0);
}

// Median time of a launch in microseconds, after one that warms up.
inline void timed(const char *name, const std::function<void()> &launch, int repeat = 11) {
  cudaEvent_t a, b;
  cudaEventCreate(&a); cudaEventCreate(&b);
  std::vector<float> t;
  for (int i = 0; i <= repeat; i++) {
    cudaEventRecord(a); launch(); cudaEventRecord(b);
    ok(cudaEventSynchronize(b), name);
    float ms; cudaEventElapsedTime(&ms, a, b);
    if (i) t.push_back(ms * 1000);
  }
  ok(cudaGetLastError(), name);
  std::sort(t.begin(), t.end());
  printf("%s time %.2f us\n", name, t[t.size() / 2]);
}

inline int done() { ok(cudaDeviceSynchronize(), "end"); return failures ? 1 : 0; }
