// CUB: radix sort of keys and of pairs, of several types; merge sort with an own order.
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <numeric>
#include "check.h"

template <class K> void keys(const char *name, size_t n, const std::vector<K> &h) {
  Buffer<K> a(h), b(n);
  size_t bytes = 0;
  cub::DeviceRadixSort::SortKeys(nullptr, bytes, a.p, b.p, n);
  Buffer<char> temp(bytes);
  timed(name, [&] { cub::DeviceRadixSort::SortKeys(temp.p, bytes, a.p, b.p, n); });
  auto want = h;
  std::sort(want.begin(), want.end());
  same(name, b.get(), want);
}

struct ByLowBits { __host__ __device__ bool operator()(unsigned x, unsigned y) const { return (x & 0xffff) < (y & 0xffff); } };

int main() {
  Random r(1);
  const size_t n = 1 << 20;
  std::vector<unsigned> u(n), index(n);
  std::vector<unsigned long long> l(n / 2);
  std::vector<float> f(n);
  for (auto &x : u) x = r.u32();
  for (auto &x : l) x = r.u64();
  for (auto &x : f) x = r.f32() * 2000 - 1000;
  keys("sort u32", n, u);
  keys("sort u64", n / 2, l);
  keys("sort f32", n, f);
  keys("sort 1000 u32", 1000, std::vector<unsigned>(u.begin(), u.begin() + 1000));
  {
    std::iota(index.begin(), index.end(), 0u);
    auto small = u;
    for (auto &x : small) x >>= 20;
    Buffer<unsigned> ka(small), kb(n), va(index), vb(n);
    size_t bytes = 0;
    cub::DeviceRadixSort::SortPairsDescending(nullptr, bytes, ka.p, kb.p, va.p, vb.p, n);
    Buffer<char> temp(bytes);
    timed("sort pairs", [&] { cub::DeviceRadixSort::SortPairsDescending(temp.p, bytes, ka.p, kb.p, va.p, vb.p, n); });
    auto want = index;
    std::stable_sort(want.begin(), want.end(), [&](unsigned x, unsigned y) { return small[x] > small[y]; });
    same("sort pairs", vb.get(), want);
  }
  {
    Buffer<unsigned> a(u);
    size_t bytes = 0;
    cub::DeviceMergeSort::StableSortKeys(nullptr, bytes, a.p, n, ByLowBits());
    Buffer<char> temp(bytes);
    timed("merge sort", [&] { cub::DeviceMergeSort::StableSortKeys(temp.p, bytes, a.p, n, ByLowBits()); });
    a.set(u);
    cub::DeviceMergeSort::StableSortKeys(temp.p, bytes, a.p, n, ByLowBits());
    auto want = u;
    std::stable_sort(want.begin(), want.end(), ByLowBits());
    same("merge sort", a.get(), want);
  }
  return done();
}
