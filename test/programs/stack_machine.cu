// sm_75
// An interpreter with a dense switch.
#include "program.h"
#ifdef __CUDACC__
__constant__
#endif
const u8 code_[] = {0, 5, 0, 3, 1, 9, 2, 0, 7, 3, 10, 4, 0, 2, 5, 9, 6, 0, 12, 7, 8, 9, 1, 11};
HD int value(int i) {
  int s[16], n = 0, acc = 0; s[n++] = i;
  for (int pc = 0;; pc++) {
    switch (code_[pc]) {
      case 0: s[n++] = code_[++pc]; break;
      case 1: n--; s[n - 1] += s[n]; break;
      case 2: s[n - 1] = -s[n - 1]; break;
      case 3: n--; s[n - 1] *= s[n]; break;
      case 4: s[n] = s[n - 1]; n++; break;
      case 5: n--; s[n - 1] = s[n - 1] >> (s[n] & 31); break;
      case 6: n--; s[n - 1] ^= s[n]; break;
      case 7: n--; if (s[n - 1] > s[n]) s[n - 1] = s[n]; break;
      case 8: acc += s[n - 1] * 3; break;
      case 9: s[n] = i; n++; break;
      case 10: acc ^= n; break;
      case 11: return acc + s[n - 1] * 17;
      default: return -1;
    }
  }
}
EACH(128, int, value(i))
