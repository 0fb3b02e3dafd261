// Dense and sparse arithmetic: matrix products, LU with pivots, FFT, CSR product, convolution, half precision, warp collectives.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <complex>
#include "check.h"
namespace cg = cooperative_groups;

template <class T, int S> __global__ void product(const T *a, const T *b, T *c, int n) {
  __shared__ T x[S][S], y[S][S + 1];
  int r = blockIdx.y * S + threadIdx.y, q = blockIdx.x * S + threadIdx.x;
  T s = 0;
  for (int t = 0; t < n; t += S) {
    x[threadIdx.y][threadIdx.x] = a[r * n + t + threadIdx.x];
    y[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + q];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < S; k++) s += x[threadIdx.y][k] * y[k][threadIdx.x];
    __syncthreads();
  }
  c[r * n + q] = s;
}
// Eight by eight results in registers of each thread.
__global__ void __launch_bounds__(256) blocked(const float *a, const float *b, float *c, int n) {
  __shared__ float x[8][128], y[8][128];
  float s[8][8] = {};
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16, r0 = blockIdx.y * 128, c0 = blockIdx.x * 128;
  for (int t = 0; t < n; t += 8) {
    for (int i = threadIdx.x; i < 1024; i += 256) { x[i % 8][i / 8] = a[(r0 + i / 8) * n + t + i % 8]; y[i / 128][i % 128] = b[(t + i / 128) * n + c0 + i % 128]; }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) s[i][j] += x[k][ty * 8 + i] * y[k][tx * 8 + j];
    __syncthreads();
  }
  for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) c[(r0 + ty * 8 + i) * n + c0 + tx * 8 + j] = s[i][j];
}
template <class T> void products(const char *name, void (*k)(const T *, const T *, T *, int), int n, dim3 g, dim3 t, double rel) {
  Random r(7);
  std::vector<T> a(n * n), b(n * n), w(n * n);
  for (auto &x : a) x = (T)(r.f32() - 0.5f);
  for (auto &x : b) x = (T)(r.f32() - 0.5f);
  std::vector<double> sum(n);
  for (int i = 0; i < n; i++) {
    std::fill(sum.begin(), sum.end(), 0.0);
    for (int q = 0; q < n; q++) { double f = a[i * n + q]; for (int j = 0; j < n; j++) sum[j] += f * b[q * n + j]; }
    for (int j = 0; j < n; j++) w[i * n + j] = (T)sum[j];
  }
  Buffer<T> x(a), y(b), z(n * n);
  timed(name, [&] { k<<<g, t>>>(x.p, y.p, z.p, n); });
  near(name, z.get(), w, rel, rel * 10);
}
// One block per matrix: LU with partial pivots, then the solution of A x = b.
__global__ void solve(double *as, double *bs, int n) {
  extern __shared__ double m[];
  __shared__ int pivot;
  double *a = as + (size_t)blockIdx.x * n * n, *b = bs + (size_t)blockIdx.x * n;
  int t = threadIdx.x;
  for (int i = t; i < n * n; i += blockDim.x) m[i / n * (n + 1) + i % n] = a[i];
  for (int i = t; i < n; i += blockDim.x) m[i * (n + 1) + n] = b[i];
  __syncthreads();
  for (int k = 0; k < n; k++) {
    if (t == 0) { int p = k; for (int i = k + 1; i < n; i++) if (fabs(m[i * (n + 1) + k]) > fabs(m[p * (n + 1) + k])) p = i; pivot = p; }
    __syncthreads();
    int p = pivot;
    if (p != k) for (int j = t; j <= n; j += blockDim.x) { double v = m[k * (n + 1) + j]; m[k * (n + 1) + j] = m[p * (n + 1) + j]; m[p * (n + 1) + j] = v; }
    __syncthreads();
    for (int i = k + 1 + t; i < n; i += blockDim.x) {
      double f = m[i * (n + 1) + k] / m[k * (n + 1) + k];
      for (int j = k; j <= n; j++) m[i * (n + 1) + j] -= f * m[k * (n + 1) + j];
    }
    __syncthreads();
  }
  if (t == 0) for (int i = n - 1; i >= 0; i--) {
    double s = m[i * (n + 1) + n];
    for (int j = i + 1; j < n; j++) s -= m[i * (n + 1) + j] * b[j];
    b[i] = s / m[i * (n + 1) + i];
  }
}
// Stockham FFT of 1024 points in shared memory, twiddles by sincospif.
__global__ void fft(const float2 *in, float2 *out) {
  __shared__ float2 s[2][1024];
  const float2 *p = in + blockIdx.x * 1024;
  for (int i = threadIdx.x; i < 1024; i += 512) s[0][i] = p[i];
  __syncthreads();
  int from = 0;
  for (int half = 1; half < 1024; half *= 2, from ^= 1) {
    int j = threadIdx.x, k = j & (half - 1);
    float sn, cs;
    sincospif(-(float)k / half, &sn, &cs);
    float2 a = s[from][j], b = s[from][j + 512], c = make_float2(b.x * cs - b.y * sn, b.x * sn + b.y * cs);
    int o = ((j - k) << 1) + k;
    s[from ^ 1][o] = make_float2(a.x + c.x, a.y + c.y);
    s[from ^ 1][o + half] = make_float2(a.x - c.x, a.y - c.y);
    __syncthreads();
  }
  for (int i = threadIdx.x; i < 1024; i += 512) out[blockIdx.x * 1024 + i] = s[from][i];
}
__global__ void spmv(const int *start, const int *col, const float *val, const float *x, float *y, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= n) return;
  float s = 0;
  for (int i = start[row] + warp.thread_rank(); i < start[row + 1]; i += 32) s += val[i] * x[col[i]];
  s = cg::reduce(warp, s, cg::plus<float>());
  if (warp.thread_rank() == 0) y[row] = s;
}
__global__ void halves(const __half2 *a, const __half2 *b, __half2 *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 x = a[i], y = b[i];
  o[4 * i] = __hfma2(x, y, x); o[4 * i + 1] = __hmax2(x, y); o[4 * i + 2] = __h2div(x, y); o[4 * i + 3] = __hsub2(__hmul2(x, x), __habs2(y));
}
__global__ void collectives(const unsigned *in, unsigned *o) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i], lane = threadIdx.x & 31;
  unsigned s = v;
  for (int d = 1; d < 32; d *= 2) { unsigned t = __shfl_up_sync(~0u, s, d); if (lane >= d) s += t; }
  o[6 * i] = s; o[6 * i + 1] = __ballot_sync(~0u, v & 4); o[6 * i + 2] = __reduce_add_sync(~0u, v);
  o[6 * i + 3] = __match_any_sync(~0u, v & 7); o[6 * i + 4] = __shfl_xor_sync(~0u, v, 5); 
  unsigned part = 0;
  if (v & 1) { unsigned m = __activemask(); part = __popc(__ballot_sync(m, v & 2)) + 100 * (__popc(m) > 0); }
  o[6 * i + 5] = part >= 100 || !(v & 1);
}

int main() {
  products<float>("product f32", product<float, 16>, 256, dim3(16, 16), dim3(16, 16), 3e-5);
  products<double>("product f64", product<double, 16>, 256, dim3(16, 16), dim3(16, 16), 1e-12);
  products<float>("blocked product", blocked, 512, dim3(4, 4), dim3(256), 3e-5);
  Random r(8);
  {
    const int n = 40, count = 64;
    std::vector<double> a(count * n * n), b(count * n), x(count * n);
    for (auto &v : a) v = r.f32() - 0.5;
    for (auto &v : x) v = r.f32() - 0.5;
    for (int k = 0; k < count; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[k * n + i] += a[(k * n + i) * n + j] * x[k * n + j];
    Buffer<double> p(a), q(b);
    solve<<<count, 64, n * (n + 1) * 8>>>(p.p, q.p, n);
    near("LU", q.get(), x, 1e-7, 1e-8);
  }
  {
    std::vector<float2> in(64 * 1024), want(64 * 1024);
    for (auto &v : in) v = make_float2(r.f32() - 0.5f, r.f32() - 0.5f);
    for (int k = 0; k < 64; k++) {
      std::vector<std::complex<double>> v(1024), t(1024);
      for (int i = 0; i < 1024; i++) v[i] = {in[k * 1024 + i].x, in[k * 1024 + i].y};
      for (int half = 1; half < 1024; half *= 2, std::swap(v, t)) for (int j = 0; j < 512; j++) {
        int q = j & (half - 1), o = ((j - q) << 1) + q;
        auto c = v[j + 512] * std::polar(1.0, -M_PI * q / half);
        t[o] = v[j] + c; t[o + half] = v[j] - c;
      }
      for (int i = 0; i < 1024; i++) want[k * 1024 + i] = make_float2((float)v[i].real(), (float)v[i].imag());
    }
    Buffer<float2> a(in), b(in.size());
    timed("fft", [&] { fft<<<64, 512>>>(a.p, b.p); });
    auto got = b.get();
    near("fft", std::vector<float>((float *)got.data(), (float *)(got.data() + got.size())), std::vector<float>((float *)want.data(), (float *)(want.data() + want.size())), 1e-4, 1e-4);
  }
  {
    const int n = 3000;
    std::vector<int> start(1, 0), col;
    std::vector<float> val, x(n), w(n);
    for (auto &v : x) v = r.f32();
    for (int i = 0; i < n; i++) {
      double s = 0;
      for (int k = r.u32() % 90; k > 0; k--) { col.push_back((int)(r.u32() % n)); val.push_back(r.f32() - 0.5f); s += (double)val.back() * x[col.back()]; }
      start.push_back((int)col.size()); w[i] = (float)s;
    }
    Buffer<int> a(start), b(col);
    Buffer<float> c(val), d(x), y(n);
    timed("csr", [&] { spmv<<<(n + 7) / 8, 256>>>(a.p, b.p, c.p, d.p, y.p, n); });
    near("csr", y.get(), w, 1e-4, 1e-5);
  }
  {
    const int n = 5000;
    std::vector<__half2> a(n), b(n), w(4 * n);
    auto h = [&] { return __float2half(r.f32() * 8 - 4); };
    auto f = [](__half v) { return (double)__half2float(v); };
    auto rn = [](double v) { return __float2half_rn((float)v); };
    for (int i = 0; i < n; i++) {
      a[i] = __halves2half2(h(), h()); b[i] = __halves2half2(h(), h());
      __half *x = (__half *)&a[i], *y = (__half *)&b[i];
      for (int k = 0; k < 2; k++) {
        if (f(y[k]) == 0) y[k] = rn(1);
        ((__half *)&w[4 * i])[k] = rn(f(x[k]) * f(y[k]) + f(x[k])); ((__half *)&w[4 * i + 1])[k] = rn(std::max(f(x[k]), f(y[k])));
        ((__half *)&w[4 * i + 2])[k] = rn(f(x[k]) / f(y[k])); ((__half *)&w[4 * i + 3])[k] = rn(f(rn(f(x[k]) * f(x[k]))) - std::fabs(f(y[k])));
      }
    }
    Buffer<__half2> p(a), q(b), o(4 * n);
    halves<<<(n + 127) / 128, 128>>>(p.p, q.p, o.p, n);
    auto got = o.get();
    std::vector<float> g, v;
    for (auto &e : got) { g.push_back(__low2float(e)); g.push_back(__high2float(e)); }
    for (auto &e : w) { v.push_back(__low2float(e)); v.push_back(__high2float(e)); }
    near("halves", g, v, 0x1p-10, 0x1p-14);
  }
  {
    const int n = 4096;
    std::vector<unsigned> in(n), w(6 * n);
    for (auto &v : in) v = r.u32() >> 8;
    for (int i = 0; i < n; i++) {
      int base = i & ~31;
      unsigned s = 0, ballot = 0, all = 0, match = 0;
      for (int k = 0; k < 32; k++) { unsigned v = in[base + k]; if (k <= (i & 31)) s += v; ballot |= (v >> 2 & 1) << k; all += v; match |= (unsigned)((v & 7) == (in[i] & 7)) << k; }
      unsigned row[6] = {s, ballot, all, match, in[base + ((i & 31) ^ 5)], 1};
      std::copy(row, row + 6, &w[6 * i]);
    }
    Buffer<unsigned> a(in), o(6 * n);
    collectives<<<n / 128, 128>>>(a.p, o.p);
    same("collectives", o.get(), w);
  }
  return done();
}
