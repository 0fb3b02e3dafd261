// sm_75
// A lock by compare-and-swap that every lane of a warp takes: it needs independent progress of lanes.
#include "program.h"
#ifdef __CUDACC__
__device__ int locked;
GLOBAL k(int* total) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&locked, 0, 1) == 0) {
      __threadfence();
      *(volatile int*)total = *(volatile int*)total + threadIdx.x;
      __threadfence();
      atomicExch(&locked, 0);
      done = true;
    }
  }
}
#else
int main() { std::vector<int> t(1, 64 * 63 / 2 * 1); Program p; p.zeros<int>("t", 1); p.launch("k", 1, 64, {p.at("t")}); p.expect("t", t); p.print(); }
#endif
