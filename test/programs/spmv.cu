// sm_75
// A sparse matrix in CSR by one warp a row, summed by shuffles.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(const int* first, const int* column, const float* value, const float* x, float* y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float s = 0;
  for (int e = first[row] + lane; e < first[row + 1]; e += 32) s += value[e] * x[column[e]];
  for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (lane == 0) y[row] = s;
}
#else
int main() {
  const int rows = 37; std::vector<int> first, column; std::vector<float> value, x, y;
  for (int j = 0; j < 64; j++) x.push_back(j % 9 - 4);
  for (int r = 0; r < rows; r++) { first.push_back(column.size()); float s = 0; for (int e = 0; e < r * 3 % 50; e++) { column.push_back((r + e * 7) % 64); value.push_back((r * e) % 5); s += value.back() * x[column.back()]; } y.push_back(s); }
  first.push_back(column.size());
  Program p; p.buffer("first", first); p.buffer("column", column); p.buffer("value", value); p.buffer("x", x); p.zeros<float>("y", rows);
  p.launch("k", 10, 128, {p.at("first"), p.at("column"), p.at("value"), p.at("x"), p.at("y"), p.value<int>(rows)}); p.expect("y", y); p.print();
}
#endif
