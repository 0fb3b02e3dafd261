// C = alpha A B + beta C in double precision, one element per thread, no tiles.
extern "C" __global__ void dgemm(int m, int n, int k, double alpha, const double *a, const double *b, double beta,
                                 double *c) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  double sum = 0.0;
  for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = alpha * sum + beta * c[row * n + col];
}
