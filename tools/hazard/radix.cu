#include <cub/cub.cuh>
cudaError_t f(void* t, size_t& b, const unsigned* i, unsigned* o, int n, double* d) {
  cub::DeviceRadixSort::SortPairs(t, b, i, o, i, o, n);
  return cudaSuccess;
}
