// sm_75 -std=c++17
// Cooperative groups: tiles of 4 to 32 lanes reduce, scan and share; what is left goes on together.
#include "program.h"
#ifdef __CUDACC__
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <int N> __device__ int tile(int v) {
  auto g = cg::tiled_partition<N>(cg::this_thread_block());
  for (int d = N / 2; d; d /= 2) v += g.shfl_xor(v, d);
  return v * 10 + g.thread_rank() + g.meta_group_rank() + g.any(v % 3 == 0) - g.all(v > 5);
}
GLOBAL k(const int* in, int* out) {
  int i = threadIdx.x, v = in[i];
  int r = tile<4>(v) ^ tile<8>(v) << 3 ^ tile<16>(v) << 6 ^ tile<32>(v) << 9;
  if (v % 3) { auto g = cg::coalesced_threads(); r ^= g.size() << 20 ^ g.thread_rank() << 26; }
  out[i] = r;
}
#else
static std::vector<int> in;
template <int N> int tile(int i) {
  int s[32]; int first = i / N * N; int v = 0;
  for (int j = 0; j < N; j++) v += in[first + j];
  return v * 10 + i % N + i / N + (v % 3 == 0) - (v > 5);
}
int main() {
  std::vector<int> out;
  for (int i = 0; i < 64; i++) in.push_back(i * 13 % 29);
  for (int i = 0; i < 64; i++) {
    int r = tile<4>(i) ^ tile<8>(i) << 3 ^ tile<16>(i) << 6 ^ tile<32>(i) << 9, n = 0, rank = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; j++) if (in[j] % 3) { n++; if (j < i) rank++; }
    if (in[i] % 3) r ^= n << 20 ^ rank << 26;
    out.push_back(r);
  }
  Program p; p.buffer("in", in); p.zeros<int>("out", 64); p.launch("k", 1, 64, {p.at("in"), p.at("out")}); p.expect("out", out); p.print();
}
#endif
