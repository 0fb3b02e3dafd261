// sm_75
// Run-length coding: ends found by a scan over the block, lengths from neighbours.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(const u8* in, u8* values, int* lengths, int* runs) {
  __shared__ int at[256], start[257];
  int t = threadIdx.x;
  int head = t == 0 || in[t] != in[t - 1];
  at[t] = head;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) { int v = t >= d ? at[t - d] : 0; __syncthreads(); at[t] += v; __syncthreads(); }
  if (head) { start[at[t] - 1] = t; values[at[t] - 1] = in[t]; }
  if (t == 255) { start[at[t]] = 256; *runs = at[t]; }
  __syncthreads();
  if (head) lengths[at[t] - 1] = start[at[t]] - start[at[t] - 1];
}
#else
int main() {
  std::vector<u8> in, v(256, 0); std::vector<int> l(256, 0), r(1, 0);
  for (int i = 0; i < 256; i++) in.push_back(i / (1 + i % 64 / 9) % 5);
  for (int i = 0; i < 256; i++) { if (i == 0 || in[i] != in[i - 1]) v[r[0]++] = in[i]; l[r[0] - 1]++; }
  Program p; p.buffer("in", in); p.zeros<u8>("v", 256); p.zeros<int>("l", 256); p.zeros<int>("r", 1);
  p.launch("k", 1, 256, {p.at("in"), p.at("v"), p.at("l"), p.at("r")}); p.expect("v", v); p.expect("l", l); p.expect("r", r); p.print();
}
#endif
