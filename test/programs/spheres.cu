// sm_75 -fmad=false
// Rays meet spheres and are thrown back, three times; structures by value, roots and divisions rounded as IEEE has them.
#include "program.h"
#ifdef __CUDACC__
#define ROOT __fsqrt_rn
#else
#define ROOT sqrtf
#endif
struct V { float x, y, z; };
HD V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
HD V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
HD V operator*(V a, float k) { return {a.x * k, a.y * k, a.z * k}; }
HD float dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
HD V unit(V a) { return a * (1 / ROOT(dot(a, a))); }
struct Sphere { V centre; float radius, shine; };
HD float value(int i) {
  const Sphere all[4] = {{{0, 0, 6}, 2, 0.5f}, {{2, 1, 4}, 1, 0.25f}, {{-2, -1, 5}, 1.5f, 0.75f}, {{0, -103, 5}, 100, 0.3f}};
  V from = {0, 0, -2}, to = unit({(i % 16 - 7.5f) / 8, (i / 16 - 3.5f) / 6, 1});
  float light = 0, left = 1;
  for (int bounce = 0; bounce < 3; bounce++) {
    float near = 1e9f; int hit = -1;
    for (int s = 0; s < 4; s++) {
      V d = all[s].centre - from; float along = dot(d, to), h = all[s].radius * all[s].radius - (dot(d, d) - along * along);
      if (h <= 0) continue;
      float t = along - ROOT(h);
      if (t > 0.001f && t < near) near = t, hit = s;
    }
    if (hit < 0) { light += left * (to.y + 1) * 0.5f; break; }
    V p = from + to * near, n = unit(p - all[hit].centre);
    float l = dot(n, unit({1, 2, -1}));
    light += left * (1 - all[hit].shine) * (l > 0 ? l : 0);
    left *= all[hit].shine; from = p; to = to - n * (2 * dot(n, to));
  }
  return light;
}
EACH(128, float, value(i))
