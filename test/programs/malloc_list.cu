// sm_75
// A linked list from malloc in the kernel, walked and freed.
#include "program.h"
#ifndef __CUDACC__
#include <stdlib.h>
#endif
struct Node { int v; Node* next; };
HD int value(int i) {
  Node* head = nullptr;
  for (int j = 0; j <= i % 9; j++) {
    Node* n = (Node*)malloc(sizeof(Node));
    n->v = i * j + 3; n->next = head; head = n;
  }
  int s = 0;
  while (head) { Node* n = head; s = s * 5 + n->v; head = n->next; free(n); }
  return s;
}
EACH(64, int, value(i))
