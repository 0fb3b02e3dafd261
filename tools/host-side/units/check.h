// What the units of this folder share: numbers, device memory, and the verdict by which a program ends.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <numeric>
#include <vector>

inline std::vector<uint32_t> numbers(size_t n, uint32_t below, uint32_t seed = 1) {
  std::vector<uint32_t> v(n);
  for (auto &x : v) seed = seed * 1664525u + 1013904223u, x = (seed >> 8) % below;
  return v;
}

inline void sure(cudaError_t e) {
  if (e != cudaSuccess) fprintf(stderr, "a call of the runtime failed\n"), exit(2);
}

template <class T> T *onDevice(const std::vector<T> &v) {
  T *p;
  sure(cudaMalloc((void **)&p, v.size() * sizeof(T)));
  sure(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

template <class T> std::vector<T> onHost(const T *p, size_t n) {
  std::vector<T> v(n);
  sure(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}

// Calls a function of CUB twice: for the size of its scratch memory, and with it.
template <class F> void withScratch(F f) {
  void *scratch = nullptr;
  size_t bytes = 0;
  sure(f(scratch, bytes));
  sure(cudaMalloc(&scratch, bytes));
  sure(f(scratch, bytes));
}

template <class T> int verdict(const std::vector<T> &got, const std::vector<T> &wanted) {
  if (got == wanted) return 0;
  auto at = std::mismatch(got.begin(), got.begin() + std::min(got.size(), wanted.size()), wanted.begin()).first - got.begin();
  fprintf(stderr, "%zu and %zu elements, the first that differs is %ld\n", got.size(), wanted.size(), (long)at);
  return 1;
}
