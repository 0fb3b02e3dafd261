// Thrust: sorting by key, reduction by key, transformations, sets, searches.
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
#include <map>
#include <set>
#include "check.h"

template <class T> std::vector<T> host(const thrust::device_vector<T> &v, size_t n) {
  std::vector<T> h(n);
  thrust::copy(v.begin(), v.begin() + n, h.begin());
  return h;
}
struct Collatz {
  __host__ __device__ int operator()(int x) const {
    unsigned long long v = (unsigned)x + 1; int n = 0;
    while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; n++; }
    return n;
  }
};

int main() {
  Random r(3);
  const int n = 200000;
  std::vector<int> k(n), v(n);
  for (int i = 0; i < n; i++) { k[i] = (int)(r.u32() % 5000); v[i] = (int)(r.u32() % 1000) - 500; }
  thrust::device_vector<int> dk = k, dv = v, ok_(n), ov(n);
  thrust::stable_sort_by_key(dk.begin(), dk.end(), dv.begin());
  std::map<int, int> sums;
  for (int i = 0; i < n; i++) sums[k[i]] += v[i];
  auto end = thrust::reduce_by_key(dk.begin(), dk.end(), dv.begin(), ok_.begin(), ov.begin());
  std::vector<int> wk, wv;
  for (auto &e : sums) { wk.push_back(e.first); wv.push_back(e.second); }
  said("groups", end.first - ok_.begin() == (long)wk.size());
  same("keys", host(ok_, wk.size()), wk);
  same("sums", host(ov, wv.size()), wv);

  thrust::device_vector<int> steps(n);
  timed("collatz", [&] { thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n), steps.begin(), Collatz()); });
  std::vector<int> ws(n);
  for (int i = 0; i < n; i++) ws[i] = Collatz()(i);
  same("collatz", host(steps, n), ws);

  auto last = thrust::unique(dk.begin(), dk.end());
  said("unique", last - dk.begin() == (long)wk.size());
  std::set<int> other;
  for (int i = 0; i < 3000; i++) other.insert((int)(r.u32() % 5000));
  std::vector<int> o(other.begin(), other.end()), both;
  thrust::device_vector<int> dother = o, out(n);
  auto e = thrust::set_intersection(dk.begin(), last, dother.begin(), dother.end(), out.begin());
  std::set_intersection(wk.begin(), wk.end(), o.begin(), o.end(), std::back_inserter(both));
  said("intersection size", e - out.begin() == (long)both.size());
  same("intersection", host(out, both.size()), both);
  thrust::device_vector<int> needles = v, places(n);
  thrust::lower_bound(dother.begin(), dother.end(), needles.begin(), needles.end(), places.begin());
  std::vector<int> wp(n);
  for (int i = 0; i < n; i++) wp[i] = (int)(std::lower_bound(o.begin(), o.end(), v[i]) - o.begin());
  same("lower bound", host(places, n), wp);
  thrust::device_vector<double> x(n);
  thrust::transform(needles.begin(), needles.end(), x.begin(), [] __host__ __device__(int q) { return q * 0.25; });
  double got = thrust::transform_reduce(x.begin(), x.end(), thrust::square<double>(), 0.0, thrust::plus<double>()), want = 0;
  for (int q : v) want += q * 0.25 * (q * 0.25);
  near("squares", std::vector<double>{got}, std::vector<double>{want}, 1e-12);
  return done();
}
