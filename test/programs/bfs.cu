// sm_75
// Breadth-first search: one launch per level, frontier by atomics.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(const int* first, const int* to, int* level, int depth, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || *(volatile int*)&level[v] != depth) return;
  for (int e = first[v]; e < first[v + 1]; e++) atomicCAS(&level[to[e]], -1, depth + 1);
}
#else
#include <queue>
int main() {
  const int n = 300; std::vector<int> first, to, level(n, -1);
  for (int v = 0; v < n; v++) { first.push_back(to.size()); for (int e = 0; e < v % 4; e++) to.push_back((v * 17 + e * 41 + 1) % n); }
  first.push_back(to.size()); level[0] = 0; level[7] = 0;
  Program p; p.buffer("first", first); p.buffer("to", to); p.buffer("level", level);
  for (int d = 0; d < 12; d++) { p.launch("k", 3, 128, {p.at("first"), p.at("to"), p.at("level"), p.value<int>(d), p.value<int>(n)});
    for (int v = 0; v < n; v++) if (level[v] == d) for (int e = first[v]; e < first[v + 1]; e++) if (level[to[e]] < 0) level[to[e]] = d + 1; }
  p.expect("level", level); p.print();
}
#endif
