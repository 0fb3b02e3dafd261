// sm_75
// A search tree out of malloc, filled by a loop and read by recursion.
#include "program.h"
#ifndef __CUDACC__
#include <stdlib.h>
#endif
struct Node { u32 key; Node *l, *r; };
HD void insert(Node*& t, u32 key) {
  Node** at = &t;
  while (*at) at = key < (*at)->key ? &(*at)->l : &(*at)->r;
  *at = (Node*)malloc(sizeof(Node));
  (*at)->key = key; (*at)->l = (*at)->r = nullptr;
}
HD u32 walk(Node* t, u32 acc) { return t == nullptr ? acc : walk(t->r, walk(t->l, acc) * 31 + t->key); }
HD u32 depth(Node* t) { if (!t) return 0; u32 a = depth(t->l), b = depth(t->r); return 1 + (a > b ? a : b); }
HD u32 value(int i) {
  Node* t = nullptr;
  u32 x = i + 1;
  for (int j = 0; j < 12; j++) { x = x * 1664525u + 1013904223u; insert(t, x >> 20); }
  return walk(t, 0) ^ depth(t) << 28;
}
EACH(40, u32, value(i))
