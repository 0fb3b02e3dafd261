#include <cub/cub.cuh>
int main() { size_t n = 0; float* f = nullptr; int* i = nullptr; double* d = nullptr; unsigned long long* u = nullptr;
  cub::DeviceReduce::Sum(nullptr, n, f, f, 1000);
  cub::DeviceReduce::Max(nullptr, n, i, i, 1000);
  cub::DeviceReduce::Sum(nullptr, n, d, d, 1000);
  cub::DeviceScan::InclusiveSum(nullptr, n, u, u, 1000);
  cub::DeviceScan::ExclusiveSum(nullptr, n, i, i, 1000);
  return 0; }
