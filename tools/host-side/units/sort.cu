#include "check.h"
#include <cub/device/device_radix_sort.cuh>
int main() {
  auto in = numbers(5000, 1u << 24);
  uint32_t *from = onDevice(in), *to = onDevice(in);
  withScratch([&](void *s, size_t &n) { return cub::DeviceRadixSort::SortKeys(s, n, from, to, (int)in.size()); });
  auto got = onHost(to, in.size());
  std::sort(in.begin(), in.end());
  return verdict(got, in);
}
