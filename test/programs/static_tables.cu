// sm_75
// Tables with addresses in their initializers: functions, other variables, members, strings, nested structures.
#include "program.h"
#ifdef __CUDACC__
#define DATA static __device__
#else
#define DATA static
#endif
HD u32 twice(u32 x) { return x * 2; }
HD u32 square(u32 x) { return x * x; }
HD u32 flipped(u32 x) { return ~x; }
struct Inner { u8 tag; u16 weights[3]; u64 mask; };
struct Entry { u32 (*apply)(u32); const char* name; const u32* from; Inner inner; };
DATA const u32 numbers[6] = {3, 1, 4, 1, 5, 9};
DATA u32 scratch[2] = {7, 11};
DATA const Entry entries[3] = {
  {twice, "twice", numbers + 2, {1, {10, 20, 30}, 0xff00ff00ff00ff00ull}},
  {square, "sq", &numbers[5], {2, {0xffff, 1}, ~0ull}},
  {flipped, "", scratch, {255, {}, 1}},
};
DATA const Entry* const order[4] = {&entries[2], entries, &entries[1], entries + 1};
HD u32 length(const char* s) { u32 n = 0; while (s[n]) n++; return n; }
HD u64 value(int i) {
  const Entry& e = *order[i & 3];
  u64 r = e.apply(i) + length(e.name) + *e.from;
  return r * 31 + e.inner.weights[i % 3] + (e.inner.mask >> (i & 31)) + e.inner.tag;
}
EACH(128, u64, value(i))
