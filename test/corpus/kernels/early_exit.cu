// Threads leave at different times; the others go on. Collatz steps.
extern "C" __global__ void early_exit(const unsigned *start, int *steps, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = start[i];
  if (v == 0) {
    steps[i] = -1;
    return;
  }
  int count = 0;
  while (v != 1) {
    if (count == limit) {
      steps[i] = -2;
      return;
    }
    v = v & 1 ? 3 * v + 1 : v >> 1;
    count++;
  }
  steps[i] = count;
}
