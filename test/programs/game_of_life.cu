// sm_75
// Ten generations on a torus in shared memory, as bytes.
#include "program.h"
HD int next(const u8* g, int x, int y) { int n = 0; for (int a = 31; a < 34; a++) for (int b = 31; b < 34; b++) n += g[(y + a) % 32 * 32 + (x + b) % 32]; return n == 3 || (n == 4 && g[y * 32 + x]); }
#ifdef __CUDACC__
GLOBAL k(u8* board, int generations) {
  __shared__ u8 g[2][1024];
  for (int j = threadIdx.x; j < 1024; j += blockDim.x) g[0][j] = board[j];
  __syncthreads();
  for (int s = 0; s < generations; s++) { for (int j = threadIdx.x; j < 1024; j += blockDim.x) g[~s & 1][j] = next(g[s & 1], j % 32, j / 32); __syncthreads(); }
  for (int j = threadIdx.x; j < 1024; j += blockDim.x) board[j] = g[generations & 1][j];
}
#else
int main() {
  std::vector<u8> g; for (int i = 0; i < 1024; i++) g.push_back(i * i * 7 / 5 % 3 == 0);
  Program p; p.buffer("g", g);
  for (int s = 0; s < 10; s++) { std::vector<u8> h(1024); for (int i = 0; i < 1024; i++) h[i] = next(g.data(), i % 32, i / 32); g = h; }
  p.launch("k", 1, 256, {p.at("g"), p.value<int>(10)}); p.expect("g", g); p.print();
}
#endif
