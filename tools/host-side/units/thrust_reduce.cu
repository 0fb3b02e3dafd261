#include "check.h"
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
int main() {
  auto in = numbers(10000, 1u << 22);
  thrust::device_vector<uint32_t> v(in.begin(), in.end());
  std::vector<uint64_t> got = {thrust::reduce(v.begin(), v.end(), uint64_t{0})};
  return verdict(got, {std::accumulate(in.begin(), in.end(), uint64_t{0})});
}
