#include <cub/cub.cuh>
int main() { size_t n = 0; int* k = nullptr; float* f = nullptr; char* c = nullptr; 
  cub::DeviceSelect::Flagged(nullptr, n, k, c, k, k, 1000);
  cub::DeviceRunLengthEncode::Encode(nullptr, n, k, k, k, k, 1000);
  cub::DeviceHistogram::HistogramEven(nullptr, n, f, k, 257, 0.f, 1.f, 1000);
  cub::DeviceReduce::ReduceByKey(nullptr, n, k, k, f, f, k, cuda::std::plus<>{}, 1000);
  return 0; }
