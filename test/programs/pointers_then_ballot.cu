// sm_75
// Lanes call different functions through pointers and come back at different times; then all of them vote.
#include "program.h"
HD u32 f0(u32 a, u32 b) { return a * 3 + b; }
HD u32 f1(u32 a, u32 b) { return a > b ? a - b : b ^ 5; }
HD u32 f2(u32 a, u32 b) { return (a << (b & 15)) | b; }
HD u32 f3(u32 a, u32 b) { return a % (b | 1); }
#ifdef __CUDACC__
__device__
#endif
u32 (*table[4])(u32, u32) = {f0, f1, f2, f3};
#ifdef __CUDACC__
GLOBAL k(const u32* in, u32* out, unsigned long long* all) {
  u32 t = threadIdx.x, x = in[t];
  u32 y = table[x & 3](x, t);
  atomicOr(all, (unsigned long long)y << (t & 31));
  out[2 * t] = y;
  out[2 * t + 1] = __ballot_sync(0xffffffffu, y & 1);
}
#else
int main() {
  std::vector<u32> in, out(128); std::vector<u64> all(1);
  for (u32 t = 0; t < 64; t++) in.push_back(t * 2654435761u >> 7);
  for (u32 t = 0; t < 64; t++) { out[2 * t] = table[in[t] & 3](in[t], t); all[0] |= (u64)out[2 * t] << (t & 31); }
  for (u32 t = 0; t < 64; t++) { u32 b = 0; for (u32 l = 0; l < 32; l++) b |= (out[2 * ((t & 32) + l)] & 1) << l; out[2 * t + 1] = b; }
  Program p; p.buffer("in", in); p.zeros<u32>("out", 128); p.zeros<u64>("all", 1);
  p.launch("k", 1, 64, {p.at("in"), p.at("out"), p.at("all")}); p.expect("out", out); p.expect("all", all); p.print();
}
#endif
