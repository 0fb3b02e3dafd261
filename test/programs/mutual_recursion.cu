// sm_75
// Functions that call each other: an expression of one digit numbers, + - * and brackets, by recursive descent.
#include "program.h"
HD int sum(const char*& s);
HD int atom(const char*& s) {
  if (*s == '(') { s++; int v = sum(s); s++; return v; }
  return *s++ - '0';
}
HD int product(const char*& s) { int v = atom(s); while (*s == '*') { s++; v *= atom(s); } return v; }
HD int sum(const char*& s) {
  int v = product(s);
  while (*s == '+' || *s == '-') { char op = *s++; int w = product(s); v = op == '+' ? v + w : v - w; }
  return v;
}
HD int value(int i) {
  const char* texts[4] = {"1+2*3", "(1+2)*3-4", "2*(3+(4-1)*(5+6))*7", "((((9))))-8*(7-6*(5-4))"};
  const char* s = texts[i & 3];
  return sum(s) + i;
}
EACH(64, int, value(i))
