#include <cuda/std/complex>
#include <cuda/std/span>
#include <cuda/std/array>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
template <class T> __global__ void fft(cuda::std::complex<T>* x, int n) {
  for (int s = 1; s < n; s <<= 1) { for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
    int k = i & (s - 1); auto w = cuda::std::polar<T>(T(1), T(-3.14159) * k / s);
    auto a = x[2 * i - k], b = x[2 * i - k + s] * w; x[2 * i - k] = a + b; x[2 * i - k + s] = a - b; } __syncthreads(); }
}
template __global__ void fft<float>(cuda::std::complex<float>*, int);
template __global__ void fft<double>(cuda::std::complex<double>*, int);
__global__ void at(int* p, cuda::atomic<int, cuda::thread_scope_device>* a) { p[threadIdx.x] = a->fetch_add(3, cuda::std::memory_order_acq_rel); while (a->load() < 5); a->wait(7); }
__global__ void hm(half* a, half* b, float* c, int n) {
  wmma::fragment<wmma::matrix_a,16,16,16,half,wmma::row_major> A; wmma::fragment<wmma::matrix_b,16,16,16,half,wmma::col_major> B;
  wmma::fragment<wmma::accumulator,16,16,16,float> C; wmma::fill_fragment(C, 0.f);
  for (int k = 0; k < n; k += 16) { wmma::load_matrix_sync(A, a + k, n); wmma::load_matrix_sync(B, b + k, n); wmma::mma_sync(C, A, B, C); }
  wmma::store_matrix_sync(c, C, 16, wmma::mem_row_major);
}
__global__ void hh(half2* a, half2* b, int n) { half2 s = __float2half2_rn(0.f); for (int i = 0; i < n; i++) { s = __hfma2(a[i], b[i], s); if (__hgt(__low2half(s), __float2half(3.f))) s = h2exp(s); } a[0] = s; }
template <class... T> __device__ double sum(T... t) { return (0.0 + ... + double(t)); }
__global__ void va(double* d, const char* c, const short* s, long long* l, unsigned* u) { int i = threadIdx.x;
  d[i] = sum(c[i], s[i], l[i], u[i]) / sum(s[i + 1], 3.5f) + __popcll(l[i]) + __clz(u[i]) + __ffsll(l[i + 1]) + (l[i] / (c[i] | 1)) % (s[i] | 1) + tgamma(d[i]) + erfinvf(float(d[i])) ; }
__device__ __noinline__ float rec(float* p, int n) { return n <= 0 ? p[0] : rec(p + 1, n - 1) * p[n] + rec(p + 2, n - 3); }
__global__ void rc(float* p, int n) { p[n] = rec(p, n); }
typedef float (*fp)(float); __device__ float f1(float x) { return x * x; } __device__ float f2(float x) { return __sinf(x) / x; } __device__ fp tab[2] = {f1, f2};
__global__ void ind(float* p, int n) { p[threadIdx.x] = tab[n & 1](p[threadIdx.x]); }
__global__ void tex(cudaTextureObject_t t, cudaSurfaceObject_t s, float4* o) { float4 a = tex2D<float4>(t, threadIdx.x * .1f, .3f), b = tex2DLod<float4>(t, .2f, threadIdx.x, 2.f); float4 c; surf2Dread(&c, s, threadIdx.x * 16, 3); a.x += b.y * c.z; surf2Dwrite(a, s, 16, threadIdx.x); o[threadIdx.x] = a; }
