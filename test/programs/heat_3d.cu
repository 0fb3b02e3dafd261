// sm_75 -fmad=false
// A stencil of seven points on a grid of 16³ in double precision.
#include "program.h"
HD double point(const double* a, int j) { return a[j] * 0.5 + (a[j - 1] + a[j + 1] + a[j - 16] + a[j + 16] + a[j - 256] + a[j + 256]) * 0.0625; }
#ifdef __CUDACC__
GLOBAL k(const double* a, double* b) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, x = j % 16, y = j / 16 % 16, z = j / 256;
  b[j] = x && y && z && x < 15 && y < 15 && z < 15 ? point(a, j) : a[j];
}
#else
int main() {
  std::vector<double> a, b; for (int j = 0; j < 4096; j++) a.push_back(j % 37 * 0.25 - j % 11);
  Program p; p.buffer("a", a); p.zeros<double>("b", 4096);
  for (int s = 0; s < 4; s++) { b = a; for (int j = 0; j < 4096; j++) { int x = j % 16, y = j / 16 % 16, z = j / 256; if (x && y && z && x < 15 && y < 15 && z < 15) b[j] = point(a.data(), j); } a = b; p.launch("k", 32, 128, s % 2 ? std::vector<std::string>{p.at("b"), p.at("a")} : std::vector<std::string>{p.at("a"), p.at("b")}); }
  p.expect("a", a); p.print();
}
#endif
