#include <thrust/device_ptr.h>
#include <thrust/transform.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#include <thrust/functional.h>
struct Op { __device__ float operator()(float a, float b) const { return sinf(a) * expf(b) + sqrtf(a / b); } };
void g(float* a, float* b, float* c, int n, double* d) {
  thrust::device_ptr<float> A(a), B(b), C(c); thrust::device_ptr<double> D(d);
  thrust::transform(A, A + n, B, C, Op{});
  thrust::sort(D, D + n, thrust::greater<double>{});
  thrust::unique(A, A + n);
}
