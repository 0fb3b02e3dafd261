// sm_75
// Matching with . * ^ $ by recursion, after Kernighan and Pike.
#include "program.h"
HD bool here(const char* re, const char* t);
HD bool star(char c, const char* re, const char* t) { do { if (here(re, t)) return true; } while (*t && (*t++ == c || c == '.')); return false; }
HD bool here(const char* re, const char* t) {
  if (!re[0]) return true;
  if (re[1] == '*') return star(re[0], re + 2, t);
  if (re[0] == '$' && !re[1]) return !*t;
  if (*t && (re[0] == '.' || re[0] == *t)) return here(re + 1, t + 1);
  return false;
}
HD bool match(const char* re, const char* t) { if (re[0] == '^') return here(re + 1, t); do { if (here(re, t)) return true; } while (*t++); return false; }
HD u32 value(int i) {
  const char* res[6] = {"^a.*c$", "b*c", "x*y*z", "^.b", "c$", "a.a.a"};
  char t[9]; for (int j = 0; j < 8; j++) t[j] = 'a' + (i >> j) % 3; t[8] = 0;
  u32 r = 0; for (int j = 0; j < 6; j++) r |= match(res[j], t) << j;
  return r;
}
EACH(64, u32, value(i))
