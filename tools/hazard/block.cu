#include <cuda/functional>
#include <cub/cub.cuh>
template <class T, int B, int I> __global__ void block_sort(T* k, T* v) {
  using S = cub::BlockRadixSort<T, B, I, T>;
  using L = cub::BlockLoad<T, B, I, cub::BLOCK_LOAD_TRANSPOSE>;
  __shared__ union { typename S::TempStorage s; typename L::TempStorage l; } t;
  T a[I], b[I];
  L(t.l).Load(k + blockIdx.x * B * I, a); __syncthreads();
  L(t.l).Load(v + blockIdx.x * B * I, b); __syncthreads();
  S(t.s).Sort(a, b);
  cub::StoreDirectBlocked(threadIdx.x, k + blockIdx.x * B * I, a);
  cub::StoreDirectBlocked(threadIdx.x, v + blockIdx.x * B * I, b);
}
template __global__ void block_sort<int,128,9>(int*,int*);
template __global__ void block_sort<float,256,4>(float*,float*);
template <class T, int B, int I> __global__ void block_scan(T* d) {
  using S = cub::BlockScan<T, B>; __shared__ typename S::TempStorage t; T a[I]; T agg;
  cub::LoadDirectStriped<B>(threadIdx.x, d, a); S(t).InclusiveSum(a, a, agg); a[0] += agg;
  cub::StoreDirectStriped<B>(threadIdx.x, d, a);
}
template __global__ void block_scan<double,128,5>(double*);
template __global__ void block_scan<long long,64,7>(long long*);
template <class T, int B> __global__ void block_reduce(T* d) {
  using S = cub::BlockReduce<T, B>; __shared__ typename S::TempStorage t;
  T r = S(t).Reduce(d[threadIdx.x], cuda::maximum<>{}); if (threadIdx.x == 0) d[0] = r;
}
template __global__ void block_reduce<float,96>(float*);
template __global__ void block_reduce<unsigned char,512>(unsigned char*);
template <class T, int B, int I> __global__ void block_merge(T* d) {
  using S = cub::BlockMergeSort<T, B, I>; __shared__ typename S::TempStorage t; T a[I];
  cub::LoadDirectBlocked(threadIdx.x, d, a); S(t).Sort(a, [] __device__ (T x, T y) { return x < y; });
  cub::StoreDirectBlocked(threadIdx.x, d, a);
}
template __global__ void block_merge<double,64,3>(double*);
template <int B> __global__ void block_histo(unsigned char* in, unsigned* h) {
  using S = cub::BlockHistogram<unsigned char, B, 4, 256>; __shared__ typename S::TempStorage t; __shared__ unsigned hh[256];
  unsigned char a[4]; cub::LoadDirectStriped<B>(threadIdx.x, in, a); S(t).Histogram(a, hh); __syncthreads();
  for (int i = threadIdx.x; i < 256; i += B) h[i] = hh[i];
}
template __global__ void block_histo<128>(unsigned char*, unsigned*);
