// C = A · B, f16 with f32 sums: tiles of 64 × 64 by four warps with ldmatrix and mma.sync, three stages of cp.async, rows of 64 bytes swizzled.
// targets: sm_80 sm_90
#include <cuda_fp16.h>

constexpr int TILE = 64, DEPTH = 32, STAGES = 3;

__device__ __forceinline__ unsigned addressOf(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void copy16(unsigned to, const void *from, bool inside) {
  int bytes = inside ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

__device__ __forceinline__ void load4(unsigned (&r)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(from));
}

__device__ __forceinline__ void product(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Byte offset of eight halves: chunk c of row r, four chunks a row, moved by the row against conflicts of banks.
__device__ __forceinline__ int placeOf(int r, int c) { return (r * 4 + (c ^ ((r >> 1) & 3))) * 16; }

// A is m × k by rows, B n × k by rows; all multiples of 8, and tiles may stand out.
extern "C" __global__ void __launch_bounds__(128) gemm(int m, int n, int k, const half *a, const half *b, float *c) {
  __shared__ __align__(128) unsigned char as[STAGES][TILE * DEPTH * 2], bs[STAGES][TILE * DEPTH * 2];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int row = blockIdx.y * TILE, col = blockIdx.x * TILE;
  auto stage = [&](int s, int k0) {
    for (int i = 0; i < 2; i++) {
      int r = t / 4 + 32 * i, q = t % 4;
      bool deep = k0 + q * 8 < k;
      copy16(addressOf(&as[s][placeOf(r, q)]), a + (long long)(row + r) * k + k0 + q * 8, deep && row + r < m);
      copy16(addressOf(&bs[s][placeOf(r, q)]), b + (long long)(col + r) * k + k0 + q * 8, deep && col + r < n);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float d[2][4][4] = {};
  int wr = (warp / 2) * 32, wc = (warp % 2) * 32;
  for (int s = 0; s < STAGES - 1; s++) stage(s, s * DEPTH);
  for (int k0 = 0, s = 0; k0 < k; k0 += DEPTH, s = s + 1 == STAGES ? 0 : s + 1) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    int ahead = s + STAGES - 1;
    stage(ahead >= STAGES ? ahead - STAGES : ahead, k0 + (STAGES - 1) * DEPTH);
#pragma unroll
    for (int kk = 0; kk < DEPTH / 8; kk += 2) {
      unsigned fa[2][4], fb[2][4];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        load4(fa[i], addressOf(&as[s][placeOf(wr + 16 * i + lane % 16, kk + lane / 16)]));
        load4(fb[i], addressOf(&bs[s][placeOf(wc + 16 * i + lane % 8 + (lane / 16) * 8, kk + (lane / 8) % 2)]));
      }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) product(d[i][j], fa[i], fb[j / 2][(j % 2) * 2], fb[j / 2][(j % 2) * 2 + 1]);
    }
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++)
      for (int h = 0; h < 4; h++) {
        int r = row + wr + 16 * i + lane / 4 + 8 * (h / 2), q = col + wc + 8 * j + (lane % 4) * 2 + h % 2;
        if (r < m && q < n) c[(long long)r * n + q] = d[i][j][h];
      }
}
