// sm_75
// Canonical Huffman codes read bit by bit.
#include "program.h"
HD u32 value(int i) {
  const u8 counts[5] = {0, 0, 3, 1, 2}; const u8 symbols[6] = {'a', 'b', 'c', 'd', 'e', 'f'};
  u64 bits = 0x9d3c5ab17e264f08ull * (2 * i + 1); u32 h = 0; int used = 0;
  for (int s = 0; s < 12; s++) {
    int code = 0, first = 0, index = 0;
    for (int n = 1; n < 5; n++) {
      code |= bits >> (used++ & 63) & 1;
      if (code - counts[n] < first) { h = h * 31 + symbols[index + code - first]; break; }
      index += counts[n]; first = (first + counts[n]) << 1; code <<= 1;
    }
  }
  return h ^ used;
}
EACH(128, u32, value(i))
