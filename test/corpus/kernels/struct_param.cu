// A structure passed by value, with members of every size.
struct Params {
  signed char c;
  short s;
  int i;
  float f;
  double d;
  long long l;
  unsigned char bytes[5];
  int table[8];
};
extern "C" __global__ void struct_param(struct Params p, double *out) {
  int t = threadIdx.x;
  double v = p.c + 2.0 * p.s + 3.0 * p.i + p.f + p.d + (double)p.l;
  v += p.bytes[t % 5];
  v += p.table[t & 7];
  out[t] = v;
}
