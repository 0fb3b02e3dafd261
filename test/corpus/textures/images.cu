// Images read through textures: bilinear resizing, rotation about the middle, edges by gathers, a product of a sparse matrix with a vector in linear memory.
// targets: sm_75

/** y: width × height floats from a texture with normalized coordinates and a linear filter. */
extern "C" __global__ void resize(cudaTextureObject_t image, float *y, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= width || j >= height) return;
  y[j * width + i] = tex2D<float>(image, (i + 0.5f) / width, (j + 0.5f) / height);
}

/** A quarter turn and a shift: colours of four channels, whatever lies outside is the border. */
extern "C" __global__ void turn(cudaTextureObject_t image, float4 *y, int n, float shift) {
  int i = threadIdx.x, j = blockIdx.x;
  float x = i + 0.5f - n * 0.5f, z = j + 0.5f - n * 0.5f;
  float4 c = tex2D<float4>(image, -z + n * 0.5f + shift, x + n * 0.5f);
  y[j * n + i] = make_float4(c.w, c.z, c.y, c.x);
}

/** Mean gradient over the four texels around each corner. */
extern "C" __global__ void edges(cudaTextureObject_t image, float2 *y, int n) {
  int i = threadIdx.x, j = blockIdx.x;
  float4 g = tex2Dgather<float4>(image, i + 1.0f, j + 1.0f, 1);
  y[j * n + i] = make_float2(g.z + g.y - g.w - g.x, g.x + g.y - g.w - g.z);
}

/** Sparse rows: columns and values in linear textures. */
extern "C" __global__ void sparse(cudaTextureObject_t columns, cudaTextureObject_t values, cudaTextureObject_t x, const int *rows, float *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int k = rows[row]; k < rows[row + 1]; k++) sum += tex1Dfetch<float>(values, k) * tex1Dfetch<float>(x, tex1Dfetch<int>(columns, k));
  y[row] = sum;
}
