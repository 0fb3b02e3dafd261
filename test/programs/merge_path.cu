// sm_75
// Two sorted runs merged: each thread finds its share by a search along the diagonal.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(const int* a, const int* b, int* out, int na, int nb) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, at = t * 8;
  if (at >= na + nb) return;
  int lo = at > nb ? at - nb : 0, hi = at < na ? at : na;
  while (lo < hi) { int m = (lo + hi) / 2; if (a[m] <= b[at - 1 - m]) lo = m + 1; else hi = m; }
  int i = lo, j = at - lo;
  for (int k = 0; k < 8 && at + k < na + nb; k++) out[at + k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}
#else
#include <algorithm>
int main() {
  std::vector<int> a, b, out; for (int i = 0; i < 333; i++) a.push_back(i * 7919 % 1000); for (int i = 0; i < 217; i++) b.push_back(i * 104729 % 1000);
  std::sort(a.begin(), a.end()); std::sort(b.begin(), b.end()); out = a; out.insert(out.end(), b.begin(), b.end()); std::sort(out.begin(), out.end());
  Program p; p.buffer("a", a); p.buffer("b", b); p.zeros<int>("out", 550);
  p.launch("k", 3, 32, {p.at("a"), p.at("b"), p.at("out"), p.value<int>(333), p.value<int>(217)}); p.expect("out", out); p.print();
}
#endif
