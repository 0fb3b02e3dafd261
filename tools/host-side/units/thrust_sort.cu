#include "check.h"
#include <thrust/device_vector.h>
#include <thrust/sort.h>
struct ByLowBits {
  __host__ __device__ bool operator()(uint32_t a, uint32_t b) const { return (a & 0xffff) < (b & 0xffff); }
};
int main() {
  auto in = numbers(4000, 1u << 22);
  thrust::device_vector<uint32_t> v(in.begin(), in.end());
  thrust::stable_sort(v.begin(), v.end(), ByLowBits{});
  std::stable_sort(in.begin(), in.end(), ByLowBits{});
  return verdict(onHost(thrust::raw_pointer_cast(v.data()), in.size()), in);
}
