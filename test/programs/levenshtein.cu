// sm_75
// Edit distance with its row in local memory.
#include "program.h"
HD int value(int i) {
  u8 a[24], b[24]; int row[25];
  int n = 10 + i % 14, m = 8 + i % 16;
  for (int j = 0; j < 24; j++) { a[j] = 'a' + (i * 7 + j * j) % 5; b[j] = 'a' + (i * 3 + j * j + j / 3) % 5; }
  for (int j = 0; j <= m; j++) row[j] = j;
  for (int x = 1; x <= n; x++) {
    int diagonal = row[0]; row[0] = x;
    for (int y = 1; y <= m; y++) {
      int cost = diagonal + (a[x - 1] != b[y - 1]);
      diagonal = row[y];
      if (diagonal + 1 < cost) cost = diagonal + 1;
      if (row[y - 1] + 1 < cost) cost = row[y - 1] + 1;
      row[y] = cost;
    }
  }
  return row[m];
}
EACH(64, int, value(i))
