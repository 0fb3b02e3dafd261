// sm_75
// A transform of 64 complex points per warp-sized block, twiddles from a table; its inverse brings the input back.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(float* data, const float* w) {
  __shared__ float re[64], im[64];
  int t = threadIdx.x;
  for (int dir = 0; dir < 2; dir++) {
    for (int j = t; j < 64; j += 32) { int r = __brev(j) >> 26; re[r] = data[2 * j]; im[r] = data[2 * j + 1]; }
    __syncthreads();
    for (int half = 1; half < 64; half *= 2) {
      int k = t % half, a = t / half * 2 * half + k, b = a + half;
      float c = w[k * (32 / half) * 2], s = w[k * (32 / half) * 2 + 1];
      if (dir) s = -s;
      float x = re[b] * c - im[b] * s, y = re[b] * s + im[b] * c;
      float p = re[a], q = im[a];
      re[a] = p + x; im[a] = q + y; re[b] = p - x; im[b] = q - y;
      __syncthreads();
    }
    for (int j = t; j < 64; j += 32) { data[128 * (1 - dir) + 2 * j] = re[j]; data[128 * (1 - dir) + 2 * j + 1] = im[j]; }
    __syncthreads();
    for (int j = t; j < 128 && dir == 0; j += 32) data[j] = data[128 + j];
    __syncthreads();
  }
}
#else
int main() {
  std::vector<float> d(256, 0), w, out;
  for (int j = 0; j < 128; j++) d[j] = j % 13 - 6;
  for (int j = 0; j < 32; j++) { w.push_back(cos(2 * M_PI * j / 64)); w.push_back(-sin(2 * M_PI * j / 64)); }
  std::vector<double> X(128, 0);
  for (int f = 0; f < 64; f++) for (int j = 0; j < 64; j++) { double a = -2 * M_PI * f * j / 64; X[2 * f] += d[2 * j] * cos(a) - d[2 * j + 1] * sin(a); X[2 * f + 1] += d[2 * j] * sin(a) + d[2 * j + 1] * cos(a); }
  Program p; p.buffer("d", d); p.buffer("w", w); p.zeros<float>("spare", 1);
  p.launch("k", 1, 32, {p.at("d"), p.at("w")});
  for (int j = 0; j < 128; j++) out.push_back(64 * (j % 13 - 6));
  for (int j = 0; j < 128; j++) out.push_back(X[j]);
  p.expect("d", out, 1e-5, 1e-3); p.print();
}
#endif
