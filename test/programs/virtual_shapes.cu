// sm_75
// Virtual calls: objects built on the device, called through their base.
#include "program.h"
struct Shape { HD virtual float area() const = 0; HD virtual float scaled(float k) const { return area() * k; } };
struct Square : Shape { float a; HD Square(float a) : a(a) {} HD float area() const override { return a * a; } };
struct Box : Shape { float a, b; HD Box(float a, float b) : a(a), b(b) {} HD float area() const override { return a * b; } HD float scaled(float k) const override { return a * k + b; } };
struct Triangle : Shape { float a, h; HD Triangle(float a, float h) : a(a), h(h) {} HD float area() const override { return 0.5f * a * h; } };
HD float value(int i) {
  Square s(i); Box b(i, 2); Triangle t(i + 1, 4);
  const Shape* all[3] = {&s, &b, &t};
  float total = 0;
  for (int j = 0; j < 5; j++) total += all[(i + j) % 3]->scaled(j);
  return total;
}
EACH(96, float, value(i))
