// sm_75
// Points gather round four centres; sums by atomics in shared memory, all in whole numbers.
#include "program.h"
HD int nearest(const int* c, int x, int y) {
  int best = 0; long least = 1L << 60;
  for (int j = 0; j < 4; j++) { long dx = x - c[2 * j], dy = y - c[2 * j + 1], d = dx * dx + dy * dy; if (d < least) least = d, best = j; }
  return best;
}
#ifdef __CUDACC__
GLOBAL k(const int* points, int* centres, int n, int rounds) {
  __shared__ int c[8], sum[12]; int t = threadIdx.x;
  if (t < 8) c[t] = centres[t];
  for (int r = 0; r < rounds; r++) {
    if (t < 12) sum[t] = 0;
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) {
      int j = nearest(c, points[2 * i], points[2 * i + 1]);
      atomicAdd(sum + 3 * j, points[2 * i]); atomicAdd(sum + 3 * j + 1, points[2 * i + 1]); atomicAdd(sum + 3 * j + 2, 1);
    }
    __syncthreads();
    if (t < 4 && sum[3 * t + 2]) { c[2 * t] = sum[3 * t] / sum[3 * t + 2]; c[2 * t + 1] = sum[3 * t + 1] / sum[3 * t + 2]; }
    __syncthreads();
  }
  if (t < 8) centres[t] = c[t];
}
#else
int main() {
  std::vector<int> points, c = {0, 0, 500, 0, 0, 500, 500, 500};
  u32 x = 9; for (int i = 0; i < 600; i++) { x = x * 1664525u + 1013904223u; points.push_back((int)(x >> 22) - 200 + (i & 1 ? 700 : 0)); }
  Program p; p.buffer("points", points); p.buffer("c", c);
  for (int r = 0; r < 6; r++) {
    int sum[12] = {};
    for (int i = 0; i < 300; i++) { int j = nearest(c.data(), points[2 * i], points[2 * i + 1]); sum[3 * j] += points[2 * i]; sum[3 * j + 1] += points[2 * i + 1]; sum[3 * j + 2]++; }
    for (int j = 0; j < 4; j++) if (sum[3 * j + 2]) { c[2 * j] = sum[3 * j] / sum[3 * j + 2]; c[2 * j + 1] = sum[3 * j + 1] / sum[3 * j + 2]; }
  }
  p.launch("k", 1, 96, {p.at("points"), p.at("c"), p.value<int>(300), p.value<int>(6)}); p.expect("c", c); p.print();
}
#endif
