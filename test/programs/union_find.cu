// sm_75
// Connected components by hooking and pointer jumping with atomicMin.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(const int* a, const int* b, int* of, int edges, int n) {
  // Read and written beside atomics.
  volatile int* parent = of;
  volatile __shared__ int changed;
  do {
    __syncthreads();
    if (threadIdx.x == 0) changed = 0;
    __syncthreads();
    for (int e = threadIdx.x; e < edges; e += blockDim.x) {
      int x = parent[a[e]], y = parent[b[e]];
      if (x != y) { int hi = x > y ? x : y, lo = x > y ? y : x; if (atomicMin(&of[hi], lo) > lo) changed = 1; }
    }
    __syncthreads();
    for (int v = threadIdx.x; v < n; v += blockDim.x) while (parent[v] != parent[parent[v]]) parent[v] = parent[parent[v]];
    __syncthreads();
  } while (changed);
}
#else
int main() {
  const int n = 200; std::vector<int> a, b, parent;
  for (int v = 0; v < n; v++) parent.push_back(v);
  for (int e = 0; e < 150; e++) { a.push_back(e * 37 % n); b.push_back(e * 91 % n / 3 * 3 % n); }
  Program p; p.buffer("a", a); p.buffer("b", b); p.buffer("parent", parent);
  for (bool changed = true; changed;) { changed = false; for (int e = 0; e < 150; e++) { int m = std::min(parent[a[e]], parent[b[e]]); for (int v : {a[e], b[e]}) if (parent[v] != m) { parent[v] = m; changed = true; } } }
  p.launch("k", 1, 64, {p.at("a"), p.at("b"), p.at("parent"), p.value<int>(150), p.value<int>(n)}); p.expect("parent", parent); p.print();
}
#endif
