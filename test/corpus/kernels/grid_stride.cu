// Grid-stride loop with 8- and 16-bit data and vector accesses.
extern "C" __global__ void grid_stride(const uchar4 *in, const short2 *add, int4 *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uchar4 b = in[i];
    short2 s = add[i];
    out[i] = make_int4(b.x + s.x, b.y - s.y, b.z * s.x, (signed char)b.w / 3);
  }
}
