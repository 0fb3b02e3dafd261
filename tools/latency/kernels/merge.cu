#include <cub/cub.cuh>
struct Less { __device__ bool operator()(double a, double b) const { return a < b; } };
int main() { size_t n = 0; double* k = nullptr; long long* v = nullptr;
  cub::DeviceMergeSort::SortPairs(nullptr, n, k, v, 1000, Less{});
  return 0; }
