#include "check.h"
#include <thrust/device_vector.h>
#include <thrust/unique.h>
int main() {
  auto in = numbers(6000, 4);
  thrust::device_vector<uint32_t> v(in.begin(), in.end());
  size_t n = thrust::unique(v.begin(), v.end()) - v.begin();
  in.erase(std::unique(in.begin(), in.end()), in.end());
  return verdict(onHost(thrust::raw_pointer_cast(v.data()), n), in);
}
