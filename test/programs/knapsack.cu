// sm_75
// The knapsack by rows: one block keeps two of them in dynamic shared memory.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(const int* weight, const int* worth, int items, int room, int* best) {
  extern __shared__ int rows[];
  int *from = rows, *to = rows + room + 1;
  for (int c = threadIdx.x; c <= room; c += blockDim.x) from[c] = 0;
  __syncthreads();
  for (int i = 0; i < items; i++) {
    for (int c = threadIdx.x; c <= room; c += blockDim.x) { int w = weight[i], t = c >= w ? from[c - w] + worth[i] : 0; to[c] = t > from[c] ? t : from[c]; }
    __syncthreads();
    int* x = from; from = to; to = x;
  }
  for (int c = threadIdx.x; c <= room; c += blockDim.x) best[c] = from[c];
}
#else
int main() {
  std::vector<int> weight, worth, best(301);
  for (int i = 0; i < 40; i++) { weight.push_back(i * i % 23 + 3); worth.push_back(i * 7 % 31 + 1); }
  for (int i = 0; i < 40; i++) for (int c = 300; c >= weight[i]; c--) { int t = best[c - weight[i]] + worth[i]; if (t > best[c]) best[c] = t; }
  Program p; p.buffer("weight", weight); p.buffer("worth", worth); p.zeros<int>("best", 301);
  p.launch("k", 1, 128, {p.at("weight"), p.at("worth"), p.value<int>(40), p.value<int>(300), p.at("best")}, 301 * 8); p.expect("best", best); p.print();
}
#endif
