// sm_75
// The same sort by recursion on a pointer into the frame of the caller.
#include "program.h"
HD void sort(int* a, int lo, int hi) {
  if (lo >= hi) return;
  int pivot = a[hi], m = lo;
  for (int j = lo; j < hi; j++) if (a[j] < pivot) { int t = a[j]; a[j] = a[m]; a[m++] = t; }
  a[hi] = a[m]; a[m] = pivot;
  sort(a, lo, m - 1); sort(a, m + 1, hi);
}
HD int value(int i) { int a[20]; for (int j = 0; j < 20; j++) a[j] = (j * 37 + i * 11) % 64; sort(a, 0, 19); int h = 0; for (int j = 0; j < 20; j++) h = h * 7 + a[j]; return h; }
EACH(48, int, value(i))
