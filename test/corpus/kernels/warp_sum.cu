// Sum of a warp by shuffles, ballots and votes.
extern "C" __global__ void warp_sum(const int *in, int *sums, unsigned *ballots, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  unsigned odd = __ballot_sync(0xffffffffu, v & 1);
  int any = __any_sync(0xffffffffu, v > 90), all = __all_sync(0xffffffffu, v < 100);
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  int first = __shfl_sync(0xffffffffu, v, 0);
  int up = __shfl_up_sync(0xffffffffu, v, 1), cross = __shfl_xor_sync(0xffffffffu, v, 5);
  if (i < n) sums[i] = first + (threadIdx.x % 32 == 31 ? up - cross : 0) + any * 1000 + all * 10000;
  if (threadIdx.x % 32 == 0 && i < n) ballots[i / 32] = odd;
}
