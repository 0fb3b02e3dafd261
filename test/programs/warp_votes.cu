// sm_75
// Ballot, any, all, match and compaction within warps.
#include "program.h"
#ifdef __CUDACC__
GLOBAL k(const u32* in, u32* out) {
  int i = threadIdx.x, lane = i % 32;
  u32 v = in[i];
  u32 odd = __ballot_sync(~0u, v & 1);
  u32 same = __match_any_sync(~0u, v % 5);
  int all; u32 whole = __match_all_sync(~0u, v / 1000, &all);
  u32 r = __popc(odd & ((1u << lane) - 1)) | __popc(same) << 8 | __any_sync(~0u, v == 77) << 16 | __all_sync(~0u, v < 200) << 17 | all << 18 | (whole == ~0u) << 19;
  r |= __shfl_sync(~0u, v, __ffs(same) - 1) << 20;
  if (v & 1) r ^= __popc(__activemask()) << 28;
  out[i] = r;
}
#else
int main() {
  std::vector<u32> in, out;
  for (int i = 0; i < 128; i++) in.push_back(i * i * 7 % 193);
  for (int i = 0; i < 128; i++) {
    const u32* w = &in[i / 32 * 32]; u32 odd = 0, same = 0; int first = -1; bool any = false, all = true;
    for (int j = 0; j < 32; j++) { odd |= (w[j] & 1) << j; if (w[j] % 5 == in[i] % 5) { same |= 1u << j; if (first < 0) first = j; } any |= w[j] == 77; all &= w[j] < 200; }
    u32 r = __builtin_popcount(odd & ((1u << i % 32) - 1)) | __builtin_popcount(same) << 8 | any << 16 | all << 17 | 1 << 18 | 1 << 19 | w[first] << 20;
    if (in[i] & 1) r ^= __builtin_popcount(odd) << 28;
    out.push_back(r);
  }
  Program p; p.buffer("in", in); p.zeros<u32>("out", 128); p.launch("k", 1, 128, {p.at("in"), p.at("out")}); p.expect("out", out); p.print();
}
#endif
