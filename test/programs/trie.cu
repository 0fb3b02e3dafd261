// sm_75
// A trie of short words, built by each thread in its own memory from nodes with pointers, and asked for prefixes.
#include "program.h"
struct Node { Node* next[4]; u32 words; };
HD u32 letters(int i, int n) { u32 x = i * 40503u + n * 9973u + 7; x ^= x >> 7; return x * 2654435761u; }
HD u32 value(int i) {
  Node pool[48]; int used = 1; pool[0] = Node{};
  for (int n = 0; n < 9; n++) {
    u32 w = letters(i, n); Node* at = &pool[0];
    for (int l = 0; l <= (int)(w >> 30) + 1; l++) {
      Node*& to = at->next[w >> (2 * l) & 3];
      if (!to) { to = &pool[used++]; *to = Node{}; }
      at = to; at->words++;
    }
  }
  u32 h = used;
  for (int q = 0; q < 16; q++) { const Node* at = &pool[0]; for (int l = 0; l < 2 && at; l++) at = at->next[q >> (2 * l) & 3]; h = h * 31 + (at ? at->words + 1 : 0); }
  return h;
}
EACH(96, u32, value(i))
