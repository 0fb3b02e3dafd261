// 64-bit integer mixing: multiply, shift, rotate, divide, compare.
extern "C" __global__ void mix64(const unsigned long long *in, unsigned long long *out, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long h = in[i];
  long long s = (long long)h;
  for (int r = 0; r < rounds; r++) {
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdULL;
    h = (h << (r & 63)) | (h >> ((64 - r) & 63));
    s = s > (long long)h ? s - (long long)(h >> 1) : s + r;
  }
  unsigned long long d = (in[(i + 1) % n] >> 7) | 1;
  out[4 * i] = h;
  out[4 * i + 1] = (unsigned long long)s;
  out[4 * i + 2] = h / d + h % d;
  out[4 * i + 3] = __umul64hi(h, d) + (unsigned long long)(s / (long long)(d & 0xffff | 1)) + __popcll(h) + __clzll(d);
}
