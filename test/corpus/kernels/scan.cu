// Inclusive prefix sum of each block (Hillis and Steele, double buffered in shared memory).
extern "C" __global__ void scan(const int *in, int *out, int n) {
  __shared__ int buffer[2][256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t, side = 0;
  buffer[0][t] = i < n ? in[i] : 0;
  __syncthreads();
#pragma unroll 1
  for (int d = 1; d < 256; d *= 2) {
    buffer[side ^ 1][t] = t >= d ? buffer[side][t] + buffer[side][t - d] : buffer[side][t];
    side ^= 1;
    __syncthreads();
  }
  if (i < n) out[i] = buffer[side][t];
}
