// One head of attention forward, in the way of FlashAttention: a warp has 16 queries, keys and values come by tiles of 16; scores and weighted values by
// mma.sync with ldmatrix, softmax with running maximum and sum. q, k, v: length × 32 f16 by rows; length is a multiple of 64.
// targets: sm_80 sm_90
#include <cuda_fp16.h>

__device__ __forceinline__ unsigned addressOf(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void load(unsigned (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(addressOf(p)));
}

__device__ __forceinline__ void loadTurned(unsigned (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(addressOf(p)));
}

__device__ __forceinline__ void product(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ unsigned pack(float low, float high) {
  __half2 h = __floats2half2_rn(low, high);
  return *(unsigned *)&h;
}

extern "C" __global__ void __launch_bounds__(128) attention(int length, float scale, const half *q, const half *k, const half *v, float *out) {
  __shared__ __align__(16) half qs[64][40], ks[16][40], vs[16][40];
  int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  int first = blockIdx.x * 64;
  for (int x = t; x < 64 * 4; x += 128) *(uint4 *)&qs[x >> 2][(x & 3) * 8] = *(const uint4 *)(q + (first + (x >> 2)) * 32 + (x & 3) * 8);
  __syncthreads();
  unsigned fq[2][4];
  for (int i = 0; i < 2; i++) load(fq[i], &qs[16 * warp + (lane & 15)][16 * i + 8 * (lane >> 4)]);
  float o[4][4] = {};
  float most[2] = {-1e30f, -1e30f}, sum[2] = {0.0f, 0.0f};
  for (int at = 0; at < length; at += 16) {
    if (t < 64) *(uint4 *)&ks[t >> 2][(t & 3) * 8] = *(const uint4 *)(k + (at + (t >> 2)) * 32 + (t & 3) * 8);
    else *(uint4 *)&vs[(t - 64) >> 2][(t & 3) * 8] = *(const uint4 *)(v + (at + ((t - 64) >> 2)) * 32 + (t & 3) * 8);
    __syncthreads();
    float s[2][4] = {};
    for (int j = 0; j < 2; j++) {
      unsigned fk[4];
      load(fk, &ks[8 * j + (lane & 7)][8 * (lane >> 3)]);
      product(s[j], fq[0], fk[0], fk[1]);
      product(s[j], fq[1], fk[2], fk[3]);
    }
    for (int r = 0; r < 2; r++) {
      float m = most[r];
      for (int j = 0; j < 2; j++) m = fmaxf(m, fmaxf(s[j][2 * r], s[j][2 * r + 1]) * scale);
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      float old = __expf(most[r] - m), part = 0.0f;
      most[r] = m;
      for (int j = 0; j < 2; j++)
        for (int e = 0; e < 2; e++) part += s[j][2 * r + e] = __expf(s[j][2 * r + e] * scale - m);
      sum[r] = sum[r] * old + part;
      for (int n = 0; n < 4; n++) o[n][2 * r] *= old, o[n][2 * r + 1] *= old;
    }
    unsigned p[4] = {pack(s[0][0], s[0][1]), pack(s[0][2], s[0][3]), pack(s[1][0], s[1][1]), pack(s[1][2], s[1][3])};
    for (int n = 0; n < 2; n++) {
      unsigned fv[4];
      loadTurned(fv, &vs[(lane & 15)][16 * n + 8 * (lane >> 4)]);
      product(o[2 * n], p, fv[0], fv[1]);
      product(o[2 * n + 1], p, fv[2], fv[3]);
    }
    __syncthreads();
  }
  for (int r = 0; r < 2; r++) {
    float all = sum[r] + __shfl_xor_sync(~0u, sum[r], 1);
    all += __shfl_xor_sync(~0u, all, 2);
    int row = first + 16 * warp + (lane >> 2) + 8 * r;
    for (int n = 0; n < 4; n++)
      *(float2 *)(out + row * 32 + 8 * n + 2 * (lane & 3)) = make_float2(o[n][2 * r] / all, o[n][2 * r + 1] / all);
  }
}
