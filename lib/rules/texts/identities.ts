/** What leaves an operand as it is, literals that meet, products of powers of two, and what is added to a product or a shift. */
export const identities = `
rule sum-of-one
  IADD3 d, x, RZ, RZ   when reg(x)
  => MOV d, x

rule product-of-one-integer
  IMAD d, x, 1, RZ   when reg(x)
  => MOV d, x

rule product-of-zero-and-sum
  IMAD d, ?x, RZ, y   when reg(y)
  => MOV d, y

rule product-of-zero
  IMAD d, ?x, RZ, RZ
  => MOV d, RZ

rule high-product-of-zero with U = .U32 |
  IMAD.HI$U d, ?x, RZ, RZ
  => MOV d, RZ

rule high-product-of-one
  IMAD.HI.U32 d, ?x, 1, RZ
  => MOV d, RZ

rule rotation-by-zero-left
  SHF.L.W.U32.HI d, ?x, 0, y   when reg(y)
  => MOV d, y

rule rotation-by-zero-right
  SHF.R.W.U32 d, x, 0, ?y   when reg(x)
  => MOV d, x

rule shift-of-zero-left
  SHF.L.U32 d, RZ, n, RZ   when reg(n)
  => MOV d, RZ

rule shift-of-zero-right with S = SHF.R.U32.HI | SHF.R.S32.HI
  $S d, RZ, n, RZ   when reg(n)
  => MOV d, RZ

rule shift-of-zero-and-sum
  LEA d, RZ, y, #n   when n <= 31, reg(y)
  => MOV d, y

rule shift-by-zero-left
  SHF.L.U32 d, x, 0, RZ   when reg(x)
  => MOV d, x

rule shift-by-zero-right with S = SHF.R.U32.HI | SHF.R.S32.HI
  $S d, RZ, 0, x   when reg(x)
  => MOV d, x

rule shift-by-zero-upper
  SHF.L.U64.HI d, ?x, 0, y   when reg(y)
  => MOV d, y

rule shift-by-zero-lower with S = SHF.R.U64 | SHF.R.S64
  $S d, x, 0, ?y   when reg(x)
  => MOV d, x

rule field-of-all with S = SGXT | SGXT.U32
  $S d, x, 32   when reg(x)
  => MOV d, x

rule select-always
  SEL d, x, ?y, PT   when reg(x)
  => MOV d, x

rule select-always-literal
  SEL d, #k, ?y, PT
  => MOV d, #k

rule select-never
  SEL d, ?x, y, !PT   when reg(y)
  => MOV d, y

rule select-never-literal
  SEL d, ?x, #k, !PT
  => MOV d, #k

rule select-of-equal-literals
  SEL d, #k, #m, ?p   when k == m
  => MOV d, #k

rule extremum-of-two-literals with V = VIMNMX | VIMNMX | IMNMX | IMNMX | VIMNMX.U32 | VIMNMX.U32 | IMNMX.U32 | IMNMX.U32, P = PT | !PT | PT | !PT | PT | !PT | PT | !PT, F = smin | smax | smin | smax | umin | umax | umin | umax
  $V d, #k, #m, $P
  => MOV d, #($F(k, m))

rule product-of-power
  IMAD d, x, #k, RZ   when pow2(k), reg(x)
  => SHF.L.U32 d, x, #(log2(k)), RZ

rule product-of-power-and-sum
  IMAD d, x, #k, y   when pow2(k), k != 1, reg(x), reg(y)
  => LEA d, x, y, #(log2(k))

rule shift-of-shift-left
  SHF.L.U32 d, (SHF.L.U32 x, #m, RZ), #n, RZ   when m <= 31, n <= 31, m + n <= 31, reg(x)
  => SHF.L.U32 d, x, #(m + n), RZ

rule shift-of-shift-right with S = SHF.R.U32.HI | SHF.R.S32.HI
  $S d, RZ, #n, ($S RZ, #m, x)   when m <= 31, n <= 31, m + n <= 31
  => $S d, RZ, #(m + n), x

rule product-and-sum
  IADD3 d, (IMAD ?x, ?y, RZ), z, RZ   when reg(z)
  => IMAD d, ?x, ?y, z

rule rotated-by-sum-of-word
  IADD3 d, (SHF.L.U32 x, #n, RZ), (SHF.R.U32.HI RZ, #m, x), RZ   when n <= 31, n != 0, m == 32 - n, reg(x)
  => SHF.L.U32.HI d, x, #n, x

rule shift-and-sum
  IADD3 d, (SHF.L.U32 x, #n, RZ), ?y, RZ   when n <= 31, reg(x)
  => LEA d, x, ?y, #n
`;
