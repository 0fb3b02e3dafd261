// Volumes, layers, cubes and levels of detail.
// targets: sm_75

/** Sums along rays through a volume with a linear filter. */
extern "C" __global__ void march(cudaTextureObject_t volume, float *y, int width, int steps) {
  int i = threadIdx.x, j = blockIdx.x;
  float u = (i + 0.5f) / width, v = (j + 0.5f) / gridDim.x, sum = 0;
  for (int k = 0; k < steps; k++) sum += tex3D<float>(volume, u, v, (k + 0.5f) / steps);
  y[j * width + i] = sum;
}

/** Each block blends two layers; integers as they are. */
extern "C" __global__ void blend(cudaTextureObject_t layers, int4 *y, int width) {
  int i = threadIdx.x;
  short4 a = tex2DLayered<short4>(layers, i + 0.5f, 1.5f, blockIdx.x), b = tex2DLayered<short4>(layers, i + 0.5f, 2.5f, blockIdx.x + 1);
  y[blockIdx.x * width + i] = make_int4(a.x + b.x, a.y - b.y, a.z * b.z, a.w ^ b.w);
}

/** Lines of a table, with a shift for each. */
extern "C" __global__ void lines(cudaTextureObject_t table, const float *shift, float *y, int width) {
  int i = threadIdx.x, line = blockIdx.x;
  y[line * width + i] = tex1DLayered<float>(table, i + shift[line], line);
}

/** What is seen in each direction. */
extern "C" __global__ void surroundings(cudaTextureObject_t cube, const float3 *direction, float4 *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float3 d = direction[i];
  y[i] = texCubemap<float4>(cube, d.x, d.y, d.z);
}

/** The same in several cubes, with the nearest texel. */
extern "C" __global__ void many(cudaTextureObject_t cubes, const float3 *direction, unsigned *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float3 d = direction[i];
  y[i] = texCubemapLayered<unsigned>(cubes, d.x, d.y, d.z, i % 3);
}

/** Further away is coarser. */
extern "C" __global__ void floors(cudaTextureObject_t image, float *y, int width) {
  int i = threadIdx.x, j = blockIdx.x;
  float u = (i + 0.5f) / width, level = j * 0.375f;
  y[j * width + i] = tex2DLod<float>(image, u, 1.0f - u, level);
}

/** The level of detail from how far the next sample is. */
extern "C" __global__ void slopes(cudaTextureObject_t image, float *y, int width) {
  int i = threadIdx.x, j = blockIdx.x;
  float u = (i + 0.5f) / width, far = exp2f((float)(int)j) / 16.0f;
  y[j * width + i] = tex2DGrad<float>(image, u, u, make_float2(far, 0.0f), make_float2(0.0f, far * 0.5f));
}
