// sm_75
// Loops whose length every lane has for itself.
#include "program.h"
HD int value(int i) { u64 n = i + 1; int steps = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; } return steps; }
EACH(200, int, value(i))
