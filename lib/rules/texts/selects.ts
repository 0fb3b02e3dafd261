/** Selections and comparisons. */
export const selects = `
rule select-of-same with S = SEL | FSEL
  $S d, x, x, ?p   when reg(x)
  => MOV d, x

rule select-of-equal
  SEL d, x, y, *(ISETP.EQ.AND x, y, PT)   when reg(y)
  => MOV d, y

rule select-of-not-equal
  SEL d, x, y, *(ISETP.NE.AND x, y, PT)   when reg(x)
  => MOV d, x

rule select-unless-equal
  SEL d, x, y, !*(ISETP.EQ.AND x, y, PT)   when reg(x)
  => MOV d, x

rule select-unless-not-equal
  SEL d, x, y, !*(ISETP.NE.AND x, y, PT)   when reg(y)
  => MOV d, y

rule select-literal-or-zero
  SEL d, #k, RZ, p   when k != 0
  => SEL d, RZ, #k, !p

rule select-literal-unless-zero
  SEL d, #k, RZ, !p   when k != 0
  => SEL d, RZ, #k, p

rule select-literal-first with S = SEL | FSEL
  $S d, #k, x, p   when unknown(x)
  => $S d, x, #k, !p

rule select-literal-first-inverted with S = SEL | FSEL
  $S d, #k, x, !p   when unknown(x)
  => $S d, x, #k, p

rule compare-upper-literal-first with C = LT | GT | LE | GE | EQ | NE | LT.U32 | GT.U32 | LE.U32 | GE.U32, D = GT | LT | GE | LE | EQ | NE | GT.U32 | LT.U32 | GE.U32 | LE.U32
  ISETP.$C.AND.EX p, #k, x, PT, q   when unknown(x)
  => ISETP.$D.AND.EX p, x, #k, PT, q

rule compare-of-negation with C = EQ | NE
  ISETP.$C.AND p, (IADD3 -x, RZ, RZ), RZ, PT   when reg(x)
  => ISETP.$C.AND p, x, RZ, PT

rule compare-of-absolute with C = EQ | NE
  ISETP.$C.AND p, (IABS x), RZ, PT   when reg(x)
  => ISETP.$C.AND p, x, RZ, PT

rule never-against-itself with C = LT | GT | NE
  ISETP.$C.AND p, x, x, PT   when reg(x)
  => PLOP3.LUT p, PT, PT, !PT, 0x80, 0

rule never-against-itself-unsigned with C = LT | GT
  ISETP.$C.U32.AND p, x, x, PT   when reg(x)
  => PLOP3.LUT p, PT, PT, !PT, 0x80, 0

rule always-against-itself with C = LE | GE | EQ | LE.U32 | GE.U32 | EQ.U32
  ISETP.$C.AND p, x, x, PT   when reg(x)
  => PLOP3.LUT p, PT, PT, PT, 0x80, 0

rule selected-extremum with C = LT | LE | GT | GE, P = PT | PT | !PT | !PT
  SEL d, x, y, (ISETP.$C.AND x, y, PT)   when reg(x), reg(y)
  => VIMNMX d, x, y, $P

rule selected-other-extremum with C = LT | LE | GT | GE, P = !PT | !PT | PT | PT
  SEL d, y, x, (ISETP.$C.AND x, y, PT)   when reg(x), reg(y)
  => VIMNMX d, x, y, $P

rule unselected-extremum with C = LT | LE | GT | GE, P = !PT | !PT | PT | PT
  SEL d, x, y, !(ISETP.$C.AND x, y, PT)   when reg(x), reg(y)
  => VIMNMX d, x, y, $P

rule unselected-other-extremum with C = LT | LE | GT | GE, P = PT | PT | !PT | !PT
  SEL d, y, x, !(ISETP.$C.AND x, y, PT)   when reg(x), reg(y)
  => VIMNMX d, x, y, $P

rule known-select-of-floats
  FSEL d, x, y, PT
  => MOV d, x

rule known-other-select-of-floats
  FSEL d, x, y, !PT
  => MOV d, y
`;
