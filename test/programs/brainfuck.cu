// sm_75
// An interpreter over bytes, with jumps back and forth.
#include "program.h"
#ifdef __CUDACC__
__constant__
#endif
const char text_[] = "++++++[>++++++++<-]>+.>,[>+>+<<-]>>[<<+>>-]<[->++<]>.";
HD u32 value(int i) {
  u8 tape[16] = {}; int at = 0; u32 out = 0;
  for (int pc = 0; text_[pc]; pc++) {
    char c = text_[pc];
    if (c == '>') at++; else if (c == '<') at--; else if (c == '+') tape[at]++; else if (c == '-') tape[at]--;
    else if (c == '.') out = out << 8 | tape[at]; else if (c == ',') tape[at] = i % 20;
    else if (c == '[' && !tape[at]) { for (int d = 1; d;) { pc++; d += (text_[pc] == '[') - (text_[pc] == ']'); } }
    else if (c == ']' && tape[at]) { for (int d = 1; d;) { pc--; d += (text_[pc] == ']') - (text_[pc] == '['); } }
  }
  return out;
}
EACH(40, u32, value(i))
