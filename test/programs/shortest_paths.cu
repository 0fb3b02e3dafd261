// sm_75
// Shortest paths by relaxing edges with atomicMin until a vote finds nothing new.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(const int* from, const int* to, const u32* length, int edges, u32* distance) {
  bool more = true;
  while (more) {
    bool mine = false;
    for (int e = threadIdx.x; e < edges; e += blockDim.x) {
      u32 d = *(volatile u32*)(distance + from[e]);
      if (d != ~0u && d + length[e] < atomicMin(distance + to[e], d + length[e])) mine = true;
    }
    more = __syncthreads_or(mine);
  }
}
#else
int main() {
  const int n = 70; std::vector<int> from, to; std::vector<u32> length, d(n, ~0u);
  for (int i = 0; i < 400; i++) { from.push_back(i * i % n); to.push_back((i * 13 + i / 7) % n); length.push_back(i * 37 % 101 + 1); }
  d[1] = 0; Program p; p.buffer("from", from); p.buffer("to", to); p.buffer("length", length); p.buffer("d", d);
  for (int r = 0; r < n; r++) for (int e = 0; e < 400; e++) if (d[from[e]] != ~0u && d[from[e]] + length[e] < d[to[e]]) d[to[e]] = d[from[e]] + length[e];
  p.launch("k", 1, 128, {p.at("from"), p.at("to"), p.at("length"), p.value<int>(400), p.at("d")}); p.expect("d", d); p.print();
}
#endif
