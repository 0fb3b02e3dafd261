// sm_75
// Device functions in a table in memory, chosen by data.
#include "program.h"
typedef int (*Binary)(int, int);
HD int plus_(int a, int b) { return a + b; }
HD int minus_(int a, int b) { return a - b; }
HD int times_(int a, int b) { return a * b; }
HD int shift_(int a, int b) { return a << (b & 15); }
#ifdef __CUDACC__
__device__ Binary table[4] = {plus_, minus_, times_, shift_};
GLOBAL k(const int* ops, const int* a, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[ops[i]](a[i], i) + table[ops[i] ^ 1](i, a[i]);
}
#else
int main() {
  Binary table[4] = {plus_, minus_, times_, shift_};
  const int n = 200;
  std::vector<int> ops, a, out;
  for (int i = 0; i < n; i++) { ops.push_back((i * 7 + i / 5) & 3); a.push_back(i * 37 - 1000); }
  for (int i = 0; i < n; i++) out.push_back(table[ops[i]](a[i], i) + table[ops[i] ^ 1](i, a[i]));
  Program p;
  p.buffer("ops", ops); p.buffer("a", a); p.zeros<int>("out", n);
  p.launch("k", 4, 64, {p.at("ops"), p.at("a"), p.at("out"), p.value<int>(n)});
  p.expect("out", out);
  p.print();
}
#endif
