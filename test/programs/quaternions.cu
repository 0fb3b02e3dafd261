// sm_75 -fmad=false
// Structures by value into and out of functions that are not inlined.
#include "program.h"
#ifdef __CUDACC__
#define APART __noinline__
#else
#define APART
#endif
struct Q { float w, x, y, z; };
APART HD Q product(Q a, Q b) { return Q{a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w}; }
struct Big { int v[12]; };
APART HD Big mixed(Big b, int by) { for (int j = 0; j < 12; j++) b.v[j] = b.v[j] * by + b.v[(j + 5) % 12]; return b; }
HD float value(int i) {
  Q q{1, i * 0.5f, 2, -1}; for (int j = 0; j < 3; j++) q = product(q, Q{0.5f, 0, j * 1.0f, 1});
  Big b; for (int j = 0; j < 12; j++) b.v[j] = j + i; b = mixed(mixed(b, 3), -2);
  int s = 0; for (int j = 0; j < 12; j++) s ^= b.v[j] << j % 3;
  return q.w + 2 * q.x + 4 * q.y + 8 * q.z + (s & 1023);
}
EACH(64, float, value(i))
