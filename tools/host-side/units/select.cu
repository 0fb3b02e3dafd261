#include "check.h"
#include <cub/device/device_select.cuh>
struct Odd {
  __host__ __device__ bool operator()(uint32_t x) const { return x & 1; }
};
int main() {
  auto in = numbers(7000, 1000);
  uint32_t *from = onDevice(in), *to = onDevice(in), *count = onDevice(std::vector<uint32_t>(1));
  withScratch([&](void *s, size_t &n) { return cub::DeviceSelect::If(s, n, from, to, count, (int)in.size(), Odd{}); });
  std::vector<uint32_t> wanted;
  std::copy_if(in.begin(), in.end(), std::back_inserter(wanted), Odd{});
  return verdict(onHost(to, onHost(count, 1)[0]), wanted);
}
