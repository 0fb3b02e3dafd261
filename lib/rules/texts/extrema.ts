/** Minimum, maximum, sums under them, absolute values. */
export const extrema = `
rule extremum-of-literals on viaddmnmx with V = VIMNMX | VIMNMX | VIMNMX.U32 | VIMNMX.U32, W = VIMNMX3 | VIMNMX3 | VIMNMX3.U32 | VIMNMX3.U32, P = PT | !PT | PT | !PT
  $V d, ($V x, #k, $P), #m, $P   when reg(x)
  => $W d, x, #m, (MOV #k), $P

rule extremum-of-three on viaddmnmx with V = VIMNMX | VIMNMX | VIMNMX.U32 | VIMNMX.U32, W = VIMNMX3 | VIMNMX3 | VIMNMX3.U32 | VIMNMX3.U32, P = PT | !PT | PT | !PT
  $V d, ($V x, y, $P), z, $P   when reg(x)
  => $W d, x, y, z, $P

rule extremum-of-sum on viaddmnmx with V = VIMNMX | VIMNMX | VIMNMX.U32 | VIMNMX.U32, W = VIADDMNMX | VIADDMNMX | VIADDMNMX.U32 | VIADDMNMX.U32, P = PT | !PT | PT | !PT
  $V d, (IADD3 x, ?y, RZ), z, $P   when reg(x), reg(y)
  => $W d, x, ?y, z, $P

rule extremum-of-literal-sum on viaddmnmx with V = VIMNMX | VIMNMX | VIMNMX.U32 | VIMNMX.U32, W = VIADDMNMX | VIADDMNMX | VIADDMNMX.U32 | VIADDMNMX.U32, P = PT | !PT | PT | !PT
  $V d, (IADD3 x, #k, RZ), z, $P   when reg(x), notimm(z)
  => $W d, x, #k, z, $P

rule extremum-of-literal-difference on viaddmnmx with V = VIMNMX | VIMNMX | VIMNMX.U32 | VIMNMX.U32, W = VIADDMNMX | VIADDMNMX | VIADDMNMX.U32 | VIADDMNMX.U32, P = PT | !PT | PT | !PT
  $V d, (IADD3 -x, #k, RZ), z, $P   when k != 0, reg(x), notimm(z)
  => $W d, (IADD3 -x, RZ, RZ), #k, z, $P

rule literal-extremum-of-literal-sum on viaddmnmx with V = VIMNMX | VIMNMX | VIMNMX.U32 | VIMNMX.U32, W = VIADDMNMX | VIADDMNMX | VIADDMNMX.U32 | VIADDMNMX.U32, P = PT | !PT | PT | !PT
  $V d, (IADD3 x, #k, RZ), #m, $P   when reg(x), m != 0
  => $W d, x, (MOV #k), #m, $P

rule literal-extremum-of-literal-difference on viaddmnmx with V = VIMNMX | VIMNMX | VIMNMX.U32 | VIMNMX.U32, W = VIADDMNMX | VIADDMNMX | VIADDMNMX.U32 | VIADDMNMX.U32, P = PT | !PT | PT | !PT
  $V d, (IADD3 -x, #k, RZ), #m, $P   when k != 0, m != 0, reg(x)
  => $W d, (IADD3 -x, RZ, RZ), (MOV #k), #m, $P

rule extremum-of-same with V = VIMNMX | IMNMX | VIMNMX.U32 | IMNMX.U32
  $V d, x, x, ?p   when reg(x)
  => MOV d, x

rule absolute-of-absolute
  IABS d, y@*(IABS x)
  => MOV d, y

rule absolute-of-negation
  IABS d, (IADD3 -x, RZ, RZ)   when reg(x)
  => IABS d, x

`;
