#include "check.h"
#include <cub/device/device_segmented_sort.cuh>
int main() {
  auto in = numbers(3000, 1u << 20);
  std::vector<int> ends;
  for (int at = 0, k = 0; at < 3000; at += 1 + (k++ * 37) % 400) ends.push_back(at);
  ends.push_back(3000);
  uint32_t *from = onDevice(in), *to = onDevice(in);
  int *offsets = onDevice(ends), segments = (int)ends.size() - 1;
  withScratch([&](void *s, size_t &n) {
    return cub::DeviceSegmentedSort::SortKeys(s, n, from, to, (int)in.size(), segments, offsets, offsets + 1);
  });
  auto got = onHost(to, in.size());
  for (int i = 0; i < segments; i++) std::sort(in.begin() + ends[i], in.begin() + ends[i + 1]);
  return verdict(got, in);
}
