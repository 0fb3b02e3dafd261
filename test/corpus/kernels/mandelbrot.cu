// Iterations until escape; every operation rounded on its own, so that the counts are exact.
extern "C" __global__ void mandelbrot(int width, int height, float x0, float y0, float step, int limit, int *out) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = __fadd_rn(x0, __fmul_rn((float)px, step)), cy = __fadd_rn(y0, __fmul_rn((float)py, step));
  float x = 0, y = 0;
  int n = 0;
  while (n < limit) {
    float xx = __fmul_rn(x, x), yy = __fmul_rn(y, y);
    if (__fadd_rn(xx, yy) > 4.0f) break;
    float xy = __fmul_rn(x, y);
    x = __fadd_rn(__fsub_rn(xx, yy), cx);
    y = __fadd_rn(__fadd_rn(xy, xy), cy);
    n++;
  }
  out[py * width + px] = n;
}
