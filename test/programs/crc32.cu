// sm_75
// CRC-32 bit by bit and by a table made in the kernel.
#include "program.h"
HD u32 step(u32 c) { for (int b = 0; b < 8; b++) c = c & 1 ? 0xEDB88320u ^ c >> 1 : c >> 1; return c; }
#ifdef __CUDACC__
__shared__ u32 table_[256];
GLOBAL k(const u8* text, int length, u32* out) {
  for (int t = threadIdx.x; t < 256; t += blockDim.x) table_[t] = step(t);
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 c = ~0u;
  for (int j = 0; j < length; j++) c = table_[(c ^ text[(i + j) % length]) & 255] ^ c >> 8;
  out[i] = ~c;
}
#else
int main() {
  std::vector<u8> text; for (int j = 0; j < 77; j++) text.push_back(j * j * 31 + 5);
  std::vector<u32> out;
  for (int i = 0; i < 128; i++) { u32 c = ~0u; for (int j = 0; j < 77; j++) c = step((c ^ text[(i + j) % 77]) & 255) ^ c >> 8; out.push_back(~c); }
  Program p; p.buffer("text", text); p.zeros<u32>("out", 128);
  p.launch("k", 2, 64, {p.at("text"), p.value<int>(77), p.at("out")});
  p.expect("out", out); p.print();
}
#endif
