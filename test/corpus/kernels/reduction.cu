// Sum of a block in shared memory by halving strides; one partial sum per block.
extern "C" __global__ void reduction(const float *in, float *out, unsigned n) {
  __shared__ float part[256];
  unsigned t = threadIdx.x, i = blockIdx.x * 512 + t;
  float v = i < n ? in[i] : 0.0f;
  if (i + 256 < n) v += in[i + 256];
  part[t] = v;
  __syncthreads();
#pragma unroll 1
  for (unsigned s = 128; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
