// Surfaces that are read and written: a stencil, a transposition, colours through the format, a volume, layers.
// targets: sm_75

/** A step of diffusion; outside of the surface is the nearest texel. */
extern "C" __global__ void stencil(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= width || j >= height) return;
  float c = surf2Dread<float>(from, i * 4, j), sum = 0;
  sum += surf2Dread<float>(from, i * 4 - 4, j, cudaBoundaryModeClamp) + surf2Dread<float>(from, i * 4 + 4, j, cudaBoundaryModeClamp);
  sum += surf2Dread<float>(from, i * 4, j - 1, cudaBoundaryModeClamp) + surf2Dread<float>(from, i * 4, j + 1, cudaBoundaryModeClamp);
  surf2Dwrite(c + 0.125f * (sum - 4.0f * c), to, i * 4, j);
}

/** Four bytes a texel. */
extern "C" __global__ void transpose(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int n) {
  int i = threadIdx.x, j = blockIdx.x;
  if (i >= n) return;
  uchar4 c = surf2Dread<uchar4>(from, i * 4, j);
  surf2Dwrite(make_uchar4(c.w, c.x, c.y, c.z), to, j * 4, i);
}

/** Stores beyond the edges are dropped, loads there are zero. */
extern "C" __global__ void shifted(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int dx, int dy, int dz) {
  int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
  short2 v = surf3Dread<short2>(from, (x - dx) * 4, y - dy, z - dz, cudaBoundaryModeZero);
  surf3Dwrite(make_short2(v.y, v.x + 1), to, x * 4, y, z, cudaBoundaryModeZero);
}

/** Layers in reverse order; a line of each. */
extern "C" __global__ void reverse(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int layers) {
  int i = threadIdx.x, l = blockIdx.x;
  int4 bits = surf2DLayeredread<int4>(from, i * 16, 1, l);
  surf2DLayeredwrite(make_int4(bits.w, bits.z, bits.y, bits.x), to, i * 16, 0, layers - 1 - l);
}

/** Counts of values in a surface of one line. */
extern "C" __global__ void counts(cudaTextureObject_t data, cudaSurfaceObject_t bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned char v = tex1Dfetch<unsigned char>(data, i);
  asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" ::"l"(bins), "r"((v & 31) * 4), "r"(1) : "memory");
}

/** Floats to bytes by the format. */
extern "C" __global__ void paint(cudaSurfaceObject_t to, const float4 *colours, int n) {
  int i = threadIdx.x, j = blockIdx.x;
  float4 c = colours[j * n + i];
  asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(to), "r"(i), "r"(j), "f"(c.x), "f"(c.y), "f"(c.z), "f"(c.w) : "memory");
}
