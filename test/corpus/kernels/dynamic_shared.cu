// Two arrays of different type carved out of dynamic shared memory.
extern __shared__ unsigned char pool[];
extern "C" __global__ void dynamic_shared(const float *in, float *out, int n) {
  float *values = (float *)pool;
  int *order = (int *)(pool + n * sizeof(float));
  int t = threadIdx.x;
  if (t < n) {
    values[t] = in[blockIdx.x * n + t];
    order[t] = n - 1 - t;
  }
  __syncthreads();
  if (t < n) out[blockIdx.x * n + t] = values[order[t]] + (float)order[t];
}
