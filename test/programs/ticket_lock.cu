// sm_75
// A lock that hands out numbers: lanes of one block take turns.
#include "program.h"
#ifdef __CUDACC__
__device__ u32 next_, serving;
GLOBAL k(u32* total, int n) {
  if (threadIdx.x % 32 == 0) {
    for (int j = 0; j < n; j++) {
      u32 mine = atomicAdd(&next_, 1);
      while (atomicAdd(&serving, 0) != mine) {}
      __threadfence();
      volatile u32* t = total;
      *t = *t + mine % 7 + 1;
      __threadfence();
      atomicAdd(&serving, 1);
    }
  }
}
#else
int main() {
  std::vector<u32> total(1, 0); for (int m = 0; m < 4 * 10; m++) total[0] += m % 7 + 1;
  Program p; p.zeros<u32>("total", 1); p.launch("k", 1, 128, {p.at("total"), p.value<int>(10)}); p.expect("total", total); p.print();
}
#endif
