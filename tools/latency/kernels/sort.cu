#include <cub/cub.cuh>
int main() { size_t n = 0; unsigned* k = nullptr; unsigned* v = nullptr; unsigned long long* u = nullptr;
  cub::DeviceRadixSort::SortPairs(nullptr, n, k, k, v, v, 1000);
  cub::DeviceRadixSort::SortKeys(nullptr, n, u, u, 1000);
  return 0; }
