// sm_75
// Quicksort of a private array with a stack of its own.
#include "program.h"
HD u32 value(int i) {
  u32 a[40]; short stack[32]; int top = 0; u32 x = i * 97 + 3;
  for (int j = 0; j < 40; j++) { x = x * 1664525u + 1013904223u; a[j] = x >> 22; }
  stack[top++] = 0; stack[top++] = 39;
  while (top) {
    int hi = stack[--top], lo = stack[--top], l = lo, r = hi; u32 pivot = a[(lo + hi) / 2];
    while (l <= r) { while (a[l] < pivot) l++; while (a[r] > pivot) r--; if (l <= r) { u32 t = a[l]; a[l++] = a[r]; a[r--] = t; } }
    if (lo < r) { stack[top++] = lo; stack[top++] = r; }
    if (l < hi) { stack[top++] = l; stack[top++] = hi; }
  }
  u32 h = 0; bool sorted = true;
  for (int j = 0; j < 40; j++) { h = h * 33 + a[j]; if (j && a[j - 1] > a[j]) sorted = false; }
  return sorted ? h : 0;
}
EACH(64, u32, value(i))
