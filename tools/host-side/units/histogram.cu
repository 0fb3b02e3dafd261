#include "check.h"
#include <cub/device/device_histogram.cuh>
int main() {
  auto in = numbers(8000, 256);
  uint32_t *from = onDevice(in);
  int *bins = onDevice(std::vector<int>(64));
  withScratch([&](void *s, size_t &n) { return cub::DeviceHistogram::HistogramEven(s, n, from, bins, 65, 0u, 256u, (int)in.size()); });
  std::vector<int> wanted(64);
  for (uint32_t x : in) wanted[x / 4]++;
  return verdict(onHost(bins, 64), wanted);
}
