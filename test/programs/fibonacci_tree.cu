// sm_75
// Two calls of itself, results kept across the first.
#include "program.h"
HD u64 fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
EACH(64, u64, fibonacci(i % 14))
