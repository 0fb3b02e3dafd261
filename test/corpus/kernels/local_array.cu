// A per-thread array with run-time indices lives in local memory.
extern "C" __global__ void local_array(const int *in, int *out, int rounds) {
  int stack[24];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < 24; i++) stack[i] = in[(t + i * 7) & 127];
  int p = t % 24;
  for (int r = 0; r < rounds; r++) {
    int q = (stack[p] & 0x7fffffff) % 24;
    int v = stack[q];
    stack[q] = stack[p] + r;
    stack[p] = v ^ t;
    p = q;
  }
  int sum = 0;
  for (int i = 0; i < 24; i++) sum = sum * 31 + stack[i];
  out[t] = sum;
}
