#include "check.h"
#include <cub/device/device_reduce.cuh>
int main() {
  auto keys = numbers(6000, 3), values = numbers(6000, 100, 7);
  uint32_t *k = onDevice(keys), *v = onDevice(values), *unique = onDevice(keys), *sums = onDevice(keys), *runs = onDevice(std::vector<uint32_t>(1));
  withScratch([&](void *s, size_t &n) {
    return cub::DeviceReduce::ReduceByKey(s, n, k, unique, v, sums, runs, cuda::std::plus<>{}, (int)keys.size());
  });
  std::vector<uint32_t> wanted, wantedSums;
  for (size_t i = 0; i < keys.size(); i++) {
    if (i == 0 || keys[i] != keys[i - 1]) wanted.push_back(keys[i]), wantedSums.push_back(0);
    wantedSums.back() += values[i];
  }
  uint32_t count = onHost(runs, 1)[0];
  return verdict(onHost(unique, count), wanted) | verdict(onHost(sums, count), wantedSums);
}
