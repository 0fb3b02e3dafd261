// Bitonic sort of one block's keys in shared memory.
extern "C" __global__ void bitonic(unsigned *keys) {
  __shared__ unsigned s[256];
  unsigned t = threadIdx.x, base = blockIdx.x * 256;
  s[t] = keys[base + t];
#pragma unroll 1
  for (unsigned k = 2; k <= 256; k *= 2)
#pragma unroll 1
    for (unsigned j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      unsigned other = t ^ j;
      if (other > t) {
        unsigned a = s[t], b = s[other];
        if (((t & k) == 0) == (a > b)) {
          s[t] = b;
          s[other] = a;
        }
      }
    }
  __syncthreads();
  keys[base + t] = s[t];
}
