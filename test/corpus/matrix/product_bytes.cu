// C = A · B of floats of eight bits, one tile for each warp by mma.sync: e4m3 with e5m2.
// targets: sm_89 sm_120
extern "C" __global__ void __launch_bounds__(64) of_e4m3(int n, int words, const unsigned *a, const unsigned *b, float *c) {
  int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  int row = blockIdx.y * 16, col = blockIdx.x * 16 + threadIdx.x / 32 * 8;
  float d[4] = {};
  for (int k = 0; k < words; k += 8) {
    const unsigned *top = a + (row + g) * words + k + t, *low = top + 8 * words, *right = b + (col + g) * words + k + t;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(top[0]), "r"(low[0]), "r"(top[4]), "r"(low[4]), "r"(right[0]), "r"(right[4]));
  }
  for (int i = 0; i < 4; i++) c[(row + g + 8 * (i / 2)) * n + col + 2 * t + i % 2] = d[i];
}
