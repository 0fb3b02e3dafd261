// CUB: reductions, scans, selection, run lengths, histograms.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <numeric>
#include "check.h"

template <class Call> void run(const char *name, Call call) {
  size_t bytes = 0;
  call(nullptr, bytes);
  Buffer<char> temp(bytes);
  timed(name, [&] { call(temp.p, bytes); });
}
struct Odd { __host__ __device__ bool operator()(int x) const { return x & 1; } };

int main() {
  Random r(2);
  const int n = 3000001;
  std::vector<int> h(n);
  for (auto &x : h) x = (int)(r.u32() >> 12) - 500000;
  std::vector<double> d(n);
  for (auto &x : d) x = r.f32() - 0.5;
  Buffer<int> a(h), b(n), one(1);
  Buffer<double> x(d), y(1);
  run("sum s32", [&](void *t, size_t &k) { cub::DeviceReduce::Sum(t, k, a.p, one.p, n); });
  int sum = 0, low = h[0];
  for (int v : h) sum = (int)((unsigned)sum + (unsigned)v), low = std::min(low, v);
  same("sum s32", one.get(), {sum});
  run("min s32", [&](void *t, size_t &k) { cub::DeviceReduce::Min(t, k, a.p, one.p, n); });
  same("min s32", one.get(), {low});
  run("sum f64", [&](void *t, size_t &k) { cub::DeviceReduce::Sum(t, k, x.p, y.p, n); });
  near("sum f64", y.get(), {std::accumulate(d.begin(), d.end(), 0.0)}, 1e-9, 1e-7);
  {
    using Pair = cub::KeyValuePair<int, int>;
    Buffer<Pair> m(1);
    run("argmax", [&](void *t, size_t &k) { cub::DeviceReduce::ArgMax(t, k, a.p, m.p, n); });
    int at = (int)(std::max_element(h.begin(), h.end()) - h.begin());
    auto got = m.get()[0];
    said("argmax", got.key == at && got.value == h[at]);
  }
  run("inclusive scan", [&](void *t, size_t &k) { cub::DeviceScan::InclusiveSum(t, k, a.p, b.p, n); });
  std::vector<int> want(n);
  unsigned s = 0;
  for (int i = 0; i < n; i++) want[i] = (int)(s += (unsigned)h[i]);
  same("inclusive scan", b.get(), want);
  run("exclusive scan", [&](void *t, size_t &k) { cub::DeviceScan::ExclusiveScan(t, k, a.p, b.p, ::cuda::maximum<int>{}, -1000000, n); });
  int best = -1000000;
  for (int i = 0; i < n; i++) { want[i] = best; best = std::max(best, h[i]); }
  same("exclusive scan", b.get(), want);
  run("select if", [&](void *t, size_t &k) { cub::DeviceSelect::If(t, k, a.p, b.p, one.p, n, Odd()); });
  want.clear();
  for (int v : h) if (Odd()(v)) want.push_back(v);
  same("select count", one.get(), {(int)want.size()});
  same("select if", b.get(), want);
  {
    auto steps = h;
    for (int i = 1; i < n; i++) if (h[i] % 3) steps[i] = steps[i - 1];
    Buffer<int> in(steps), values(n), lengths(n);
    run("run lengths", [&](void *t, size_t &k) { cub::DeviceRunLengthEncode::Encode(t, k, in.p, values.p, lengths.p, one.p, n); });
    std::vector<int> wv, wl;
    for (int i = 0; i < n; i++) { if (i == 0 || steps[i] != steps[i - 1]) { wv.push_back(steps[i]); wl.push_back(0); } wl.back()++; }
    same("runs", one.get(), {(int)wv.size()});
    same("run values", values.get(), wv);
    same("run lengths", lengths.get(), wl);
  }
  {
    Buffer<int> bins(256);
    run("histogram", [&](void *t, size_t &k) { cub::DeviceHistogram::HistogramEven(t, k, a.p, bins.p, 257, -500000, 548576, n); });
    std::vector<int> w(256);
    for (int v : h) w[((long long)v + 500000) * 256 / 1048576]++;
    same("histogram", bins.get(), w);
  }
  return done();
}
