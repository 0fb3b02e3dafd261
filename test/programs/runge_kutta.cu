// sm_75 -fmad=false
// The Lorenz system by RK4, the derivative through a template and a lambda.
#include "program.h"
struct V { double x, y, z; };
template <class F> HD V step(V v, double h, F f) {
  V a = f(v), b = f(V{v.x + h / 2 * a.x, v.y + h / 2 * a.y, v.z + h / 2 * a.z}), c = f(V{v.x + h / 2 * b.x, v.y + h / 2 * b.y, v.z + h / 2 * b.z}), d = f(V{v.x + h * c.x, v.y + h * c.y, v.z + h * c.z});
  return V{v.x + h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x), v.y + h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y), v.z + h / 6 * (a.z + 2 * b.z + 2 * c.z + d.z)};
}
struct Lorenz { double rho; HD V operator()(V v) const { return V{10 * (v.y - v.x), v.x * (rho - v.z) - v.y, v.x * v.y - 8.0 / 3 * v.z}; } };
HD double value(int i) { V v{1, 1, 1.0 + i * 0.01}; for (int s = 0; s < 20; s++) v = step(v, 0.01, Lorenz{28.0}); return v.x + 2 * v.y + 4 * v.z; }
EACH(40, double, value(i))
