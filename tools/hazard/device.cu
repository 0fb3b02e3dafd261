#include <cub/cub.cuh>
cudaError_t f(void* t, size_t& b, const int* i, int* o, int n, float* fi, float* fo, double* d, long long* l, unsigned long long* u) {
  cub::DeviceReduce::Sum(t, b, i, o, n);
  cub::DeviceReduce::Max(t, b, d, d, n);
  cub::DeviceScan::ExclusiveSum(t, b, fi, fo, n);
  cub::DeviceSelect::Flagged(t, b, i, i, o, o, n);
  return cudaSuccess;
}
