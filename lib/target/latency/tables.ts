/**
 * Least issue distances, one table per register file and kind of dependence. The later instruction is the row, the
 * earlier one the column. Numbers are upper bounds so far: the larger one of digest E §2L.2 (stalls of ptxas 13.0.88)
 * and of the tables published with Mesa NAK. `-` is a cell that a scoreboard guards.
 */
export const turing = {
  R: {
    raw: `
           ,alu, disp64, fma, wide, fp16, hfma2mma, fp64, mma, decoupled
alu,        4,   6,      5,   5,    8,    10,       9,    22,  -
fma,        5,   6,      4,   4,    8,    10,       9,    22,  -
wide,       5,   6,      6,   6,    8,    10,       9,    22,  -
fp16,       6,   6,      6,   6,    6,    10,       9,    22,  -
hfma2mma,   6,   6,      6,   6,    8,    10,       9,    22,  -
fp64,       6,   6,      6,   6,    8,    10,       8,    22,  -
mma,        8,   8,      8,   8,    8,    10,       9,    22,  -
decoupled,  9,   9,      9,   9,    9,    10,       9,    22,  -
agu,        9,   9,      9,   9,    9,    10,       9,    22,  -
`,
    waw: `
           ,alu, disp64, fma, wide, fp16, hfma2mma, fp64, mma, decoupled
alu,        1,   2,      1,   1,    4,    6,        5,    18,  -
disp64,     1,   1,      1,   1,    3,    6,        4,    17,  -
fma,        1,   2,      1,   2,    4,    6,        5,    18,  -
wide,       3,   4,      2,   2,    6,    8,        7,    20,  -
fp16,       2,   2,      2,   2,    1,    6,        2,    16,  -
hfma2mma,   2,   2,      2,   2,    2,    2,        2,    16,  -
fp64,       2,   2,      2,   2,    2,    2,        2,    14,  -
mma,        2,   2,      2,   2,    4,    4,        5,    22,  -
decoupled,  6,   6,      6,   6,    6,    10,       9,    18,  -
`,
  },
  P: {
    raw: `
           ,alu, disp, r2p, r2ur, fma, fp16, hfma2mma, fp64, decoupled
alu,        4,   4,    5,   8,    5,   8,    6,        9,    -
disp,       12,  12,   12,  12,   12,  14,   14,       15,   -
fma,        5,   5,    5,   13,   4,   8,    6,        9,    -
fp16,       12,  12,   12,  12,   12,  6,    14,       15,   -
hfma2mma,   12,  12,   12,  12,   12,  14,   6,        15,   -
fp64,       12,  12,   12,  12,   12,  14,   14,       8,    -
guard,      12,  12,   12,  12,   12,  14,   14,       15,   -
`,
    waw: `
           ,alu, disp, r2p, r2ur, fma, fp16, hfma2mma, fp64, decoupled
alu,        1,   1,    1,   8,    1,   4,    2,        5,    -
disp,       1,   1,    1,   8,    1,   4,    2,        5,    -
r2p,        1,   1,    1,   8,    1,   4,    2,        5,    -
r2ur,       1,   1,    1,   8,    1,   4,    2,        5,    -
fma,        3,   3,    3,   9,    2,   6,    2,        7,    -
fp16,       6,   6,    6,   6,    6,   1,    7,        9,    -
hfma2mma,   6,   6,    6,   6,    6,   7,    1,        7,    -
fp64,       4,   4,    4,   4,    4,   6,    6,        1,    -
decoupled,  12,  12,   12,  12,   12,  12,   13,       13,   -
`,
  },
};

export const ampere = {
  R: {
    raw: `
           ,alu, disp64, fma, wide, fp16, hfma2mma, fp64, mma, decoupled
alu,        4,   6,      5,   5,    5,    10,       10,   28,  -
fma,        5,   6,      4,   4,    5,    10,       10,   28,  -
wide,       5,   6,      6,   6,    5,    10,       10,   28,  -
fp16,       6,   6,      6,   6,    5,    10,       10,   28,  -
hfma2mma,   6,   6,      6,   6,    6,    10,       10,   28,  -
fp64,       6,   6,      6,   6,    6,    8,        8,    28,  -
mma,        8,   8,      8,   8,    8,    11,       11,   35,  -
decoupled,  6,   6,      6,   6,    6,    10,       10,   28,  -
agu,        6,   6,      6,   6,    6,    10,       11,   28,  -
`,
    waw: `
           ,alu, disp64, fma, wide, fp16, hfma2mma, fp64, mma, decoupled
alu,        1,   2,      1,   1,    1,    6,        6,    20,  -
disp64,     1,   1,      1,   1,    1,    4,        4,    20,  -
fma,        1,   2,      1,   2,    1,    6,        6,    20,  -
wide,       3,   4,      2,   2,    3,    8,        8,    20,  -
fp16,       1,   2,      1,   1,    1,    6,        6,    20,  -
hfma2mma,   1,   1,      1,   1,    1,    2,        3,    20,  -
fp64,       1,   1,      1,   1,    1,    2,        2,    20,  -
mma,        2,   2,      2,   2,    2,    2,        2,    20,  -
decoupled,  6,   6,      6,   6,    6,    10,       10,   26,  -
`,
  },
  P: {
    raw: `
           ,alu, disp, r2p, r2ur, fma, fp16, hfma2mma, fp64, decoupled
alu,        5,   5,    5,   8,    5,   5,    6,        6,    -
disp,       13,  13,   13,  13,   13,  13,   14,       14,   -
fma,        5,   5,    5,   13,   4,   5,    6,        6,    -
fp16,       13,  13,   13,  13,   13,  5,    14,       14,   -
hfma2mma,   13,  13,   13,  13,   13,  13,   6,        6,    -
fp64,       13,  13,   13,  13,   13,  13,   6,        6,    -
guard,      13,  13,   13,  13,   13,  13,   14,       14,   -
`,
    waw: `
           ,alu, disp, r2p, r2ur, fma, fp16, hfma2mma, fp64, decoupled
alu,        1,   1,    1,   8,    1,   1,    2,        2,    -
disp,       1,   1,    1,   8,    1,   1,    2,        2,    -
r2p,        1,   1,    1,   8,    1,   1,    2,        2,    -
r2ur,       1,   1,    1,   1,    1,   1,    2,        2,    -
fma,        1,   1,    1,   9,    1,   1,    2,        2,    -
fp16,       8,   8,    8,   8,    8,   1,    9,        9,    -
hfma2mma,   7,   7,    7,   7,    7,   7,    1,        1,    -
fp64,       7,   7,    7,   7,    7,   7,    1,        1,    -
decoupled,  12,  12,   12,  12,   12,  12,   13,       13,   -
`,
  },
};

export const uniform = {
  UR: {
    raw: `
           ,udp, uldc, umov, voteu, tour, decoupled
coupled,    6,   5,    5,    5,     13,   -
h2mma,      9,   5,    5,    5,     13,   -
decoupled,  9,   5,    5,    5,     13,   -
branch,     10,  5,    5,    5,     13,   -
bindless,   12,  5,    5,    5,     15,   -
udp,        4,   2,    2,    2,     13,   -
uldc,       12,  5,    5,    5,     15,   -
umov,       7,   2,    2,    2,     13,   -
`,
    waw: `
           ,udp, uldc, umov, voteu, tour, decoupled
udp,        1,   1,    1,    1,     9,    -
uldc,       7,   1,    1,    1,     11,   -
umov,       7,   1,    1,    1,     11,   -
voteu,      7,   1,    1,    1,     11,   -
tour,       11,  4,    4,    4,     14,   -
decoupled,  11,  4,    4,    4,     14,   -
`,
  },
  UP: {
    raw: `
           ,udp, voteu, tour
coupled,    6,   5,     13
udp,        4,   2,     13
bra,        9,   5,     13
uguard,     11,  5,     13
`,
    waw: `
           ,udp, voteu, tour
udp,        1,   1,     9
voteu,      7,   1,     11
tour,       7,   4,     14
`,
  },
};
