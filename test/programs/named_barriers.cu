// sm_75
// Producer and consumer warps that meet at two named barriers.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(const u32* in, u32* out, int rounds) {
  __shared__ u32 slot[64];
  int t = threadIdx.x;
  if (t < 64) {
    for (int r = 0; r < rounds; r++) {
      slot[t] = in[(r * 64 + t) % 256] * (r + 1);
      asm volatile("bar.sync 1, 128;" ::: "memory");
      asm volatile("bar.sync 2, 128;" ::: "memory");
    }
  } else {
    u32 s = 0;
    for (int r = 0; r < rounds; r++) {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      s = s * 31 + slot[(t * 5 + r) % 64];
      asm volatile("bar.sync 2, 128;" ::: "memory");
    }
    out[t - 64] = s;
  }
}
#else
int main() {
  std::vector<u32> in, out; for (int j = 0; j < 256; j++) in.push_back(j * 2654435761u);
  for (int t = 64; t < 128; t++) { u32 s = 0; for (int r = 0; r < 9; r++) s = s * 31 + in[(r * 64 + (t * 5 + r) % 64) % 256] * (r + 1); out.push_back(s); }
  Program p; p.buffer("in", in); p.zeros<u32>("out", 64); p.launch("k", 1, 128, {p.at("in"), p.at("out"), p.value<int>(9)}); p.expect("out", out); p.print();
}
#endif
