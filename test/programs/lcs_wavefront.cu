// sm_75
// Longest common subsequence, one antidiagonal per barrier.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(const u8* a, const u8* b, int* out) {
  __shared__ int t[33][33];
  for (int j = threadIdx.x; j < 33 * 33; j += 32) t[j / 33][j % 33] = 0;
  __syncthreads();
  for (int d = 0; d < 63; d++) {
    int x = threadIdx.x, y = d - x;
    if (y >= 0 && y < 32) {
      int up = t[x][y + 1], left = t[x + 1][y];
      t[x + 1][y + 1] = a[x] == b[y] ? t[x][y] + 1 : up > left ? up : left;
    }
    __syncthreads();
  }
  for (int y = 0; y < 33; y++) out[threadIdx.x * 33 + y] = t[threadIdx.x + 1][y];
}
#else
int main() {
  std::vector<u8> a, b; for (int j = 0; j < 32; j++) { a.push_back(j * j % 7); b.push_back(j * 5 % 11 % 7); }
  int t[33][33] = {};
  for (int x = 0; x < 32; x++) for (int y = 0; y < 32; y++) t[x + 1][y + 1] = a[x] == b[y] ? t[x][y] + 1 : std::max(t[x][y + 1], t[x + 1][y]);
  std::vector<int> out; for (int x = 1; x < 33; x++) for (int y = 0; y < 33; y++) out.push_back(t[x][y]);
  Program p; p.buffer("a", a); p.buffer("b", b); p.zeros<int>("out", 32 * 33);
  p.launch("k", 1, 32, {p.at("a"), p.at("b"), p.at("out")}); p.expect("out", out); p.print();
}
#endif
