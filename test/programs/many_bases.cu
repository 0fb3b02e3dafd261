// sm_75
// Classes with several bases, one of them virtual: calls through each, members at the places the bases give them.
#include "program.h"
struct Named { u32 id; HD Named(u32 i) : id(i) {} HD virtual u32 tag() const { return id; } };
struct Left : virtual Named { u32 l; HD Left(u32 i) : Named(i), l(i * 3) {} HD virtual u32 go(u32 x) { return x + l + tag(); } };
struct Right : virtual Named { u64 r; HD Right(u32 i) : Named(i), r(i * 5ull) {} HD virtual u32 back(u32 x) { return (u32)(x * r) ^ tag(); } };
struct Both : Left, Right {
  u32 b; HD Both(u32 i) : Named(i + 100), Left(i), Right(i + 1), b(i & 7) {}
  HD u32 tag() const override { return id * 2 + b; }
  HD u32 go(u32 x) override { return Left::go(x) * 7; }
};
struct Last : Both { HD Last(u32 i) : Named(i), Both(i) {} HD u32 back(u32 x) override { return Right::back(x) + 1; } };
HD u32 asked(Left* l, Right* r, Named* n, u32 x) { return l->go(x) * 31 + r->back(x) + n->tag(); }
HD u32 value(int i) {
  Both a(i); Last b(i + 2); Both* which[2] = {&a, &b};
  u32 h = 0;
  for (int j = 0; j < 4; j++) { Both* o = which[(i + j) & 1]; h = h * 17 + asked(o, o, o, h + j); o->l += j; o->r ^= h; }
  return h;
}
EACH(96, u32, value(i))
