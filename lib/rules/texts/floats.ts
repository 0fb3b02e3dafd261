/** Floats: signs, factors of one, saturation, contraction. NaNs of any bits count as one. */
export const floats = `
rule product-of-one
  FMUL d, x, 0x3f800000   when reg(x)
  => MOV d, x

rule product-of-one-flushed
  FMUL.FTZ d, ?x, 0x3f800000
  => FADD.FTZ d, ?x, -RZ

rule product-of-minus-one-float with F = | .FTZ
  FMUL$F d, x, 0xbf800000
  => FADD$F d, -x, -RZ

rule saturated-product
  FADD.SAT d, (FMUL x, y), -RZ
  => FMUL.SAT d, x, y

rule minimum-of-saturated with S = FADD | FMUL
  FMNMX d, y@*($S.SAT ?a, ?b), #k, PT   when k >= 0x3f800000, k <= 0x7f800000
  => MOV d, y

rule maximum-of-saturated with S = FADD | FMUL
  FMNMX d, y@*($S.SAT ?a, ?b), RZ, !PT
  => MOV d, y

rule maximum-of-saturated-and-negative with S = FADD | FMUL
  FMNMX d, y@*($S.SAT ?a, ?b), #k, !PT   when k >= 0x80000000, k <= 0xff800000
  => MOV d, y

rule maximum-of-saturated-and-one with S = FADD | FMUL
  FMNMX d, ($S.SAT ?a, ?b), #k, !PT   when k >= 0x3f800000, k <= 0x7f7fffff
  => MOV d, #k

rule minimum-of-saturated-and-zero with S = FADD | FMUL
  FMNMX d, ($S.SAT ?a, ?b), RZ, PT
  => MOV d, RZ

rule minimum-of-saturated-and-negative with S = FADD | FMUL
  FMNMX d, ($S.SAT ?a, ?b), #k, PT   when k >= 0x80000001, k <= 0xff800000
  => MOV d, #k

rule minimum-of-saturated-product-and-sum
  FMNMX d, y@*(FFMA.SAT ?a, ?b, ?c), #k, PT   when k >= 0x3f800000, k <= 0x7f800000
  => MOV d, y

rule maximum-of-saturated-product-and-sum
  FMNMX d, y@*(FFMA.SAT ?a, ?b, ?c), RZ, !PT
  => MOV d, y

rule maximum-of-saturated-product-and-sum-and-negative
  FMNMX d, y@*(FFMA.SAT ?a, ?b, ?c), #k, !PT   when k >= 0x80000000, k <= 0xff800000
  => MOV d, y

rule maximum-of-saturated-product-and-sum-and-one
  FMNMX d, (FFMA.SAT ?a, ?b, ?c), #k, !PT   when k >= 0x3f800000, k <= 0x7f7fffff
  => MOV d, #k

rule minimum-of-saturated-product-and-sum-and-zero
  FMNMX d, (FFMA.SAT ?a, ?b, ?c), RZ, PT
  => MOV d, RZ

rule minimum-of-saturated-product-and-sum-and-negative
  FMNMX d, (FFMA.SAT ?a, ?b, ?c), #k, PT   when k >= 0x80000001, k <= 0xff800000
  => MOV d, #k

rule sum-of-saturated-and-one with S = FADD | FMUL
  FADD.SAT d, ($S.SAT ?a, ?b), #k   when k >= 0x3f800000, k <= 0x7f7fffff
  => MOV d, 0x3f800000

rule sum-of-saturated-and-minus-one with S = FADD | FMUL
  FADD.SAT d, ($S.SAT ?a, ?b), #k   when k >= 0xbf800000, k <= 0xff7fffff
  => MOV d, RZ

rule product-of-saturated-and-negative with S = FADD | FMUL
  FMUL.SAT d, ($S.SAT ?a, ?b), #k   when k >= 0x80000001, k <= 0xff7fffff
  => MOV d, RZ

rule product-of-saturated-and-zero with S = FADD | FMUL
  FMUL d, ($S.SAT ?a, ?b), RZ
  => MOV d, RZ

rule sum-of-saturated-product-and-sum-and-one
  FADD.SAT d, (FFMA.SAT ?a, ?b, ?c), #k   when k >= 0x3f800000, k <= 0x7f7fffff
  => MOV d, 0x3f800000

rule sum-of-saturated-product-and-sum-and-minus-one
  FADD.SAT d, (FFMA.SAT ?a, ?b, ?c), #k   when k >= 0xbf800000, k <= 0xff7fffff
  => MOV d, RZ

rule product-of-saturated-product-and-sum-and-negative
  FMUL.SAT d, (FFMA.SAT ?a, ?b, ?c), #k   when k >= 0x80000001, k <= 0xff7fffff
  => MOV d, RZ

rule product-of-saturated-product-and-sum-and-zero
  FMUL d, (FFMA.SAT ?a, ?b, ?c), RZ
  => MOV d, RZ

rule saturated-product-and-sum-again
  FADD.SAT d, y@*(FFMA.SAT ?a, ?b, ?c), -RZ
  => MOV d, y

rule sum-of-halves on halfOnFma off hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2, K = 0x3c003c00 | 0x3c003c00 | 0x3c003c00 | 0x3c003c00 | 0x3f803f80
  HADD2$F d, x, y
  => HFMA2$F d, x, $K, y

rule sum-of-halves-difference on halfOnFma off hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2, K = 0x3c003c00 | 0x3c003c00 | 0x3c003c00 | 0x3c003c00 | 0x3f803f80
  HADD2$F d, x, -y
  => HFMA2$F d, x, $K, -y

rule sum-of-halves-absolute on halfOnFma off hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2, K = 0x3c003c00 | 0x3c003c00 | 0x3c003c00 | 0x3c003c00 | 0x3f803f80
  HADD2$F d, |x|, y
  => HFMA2$F d, |x|, $K, y

rule product-of-halves on halfOnFma off hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2
  HMUL2$F d, x, y
  => HFMA2$F d, x, y, -RZ

rule product-of-halves-negative on halfOnFma off hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2
  HMUL2$F d, -x, y
  => HFMA2$F d, -x, y, -RZ

rule product-of-halves-absolute on halfOnFma off hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2
  HMUL2$F d, |x|, y
  => HFMA2$F d, |x|, y, -RZ

rule sum-of-halves-mma on hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2, K = 0x3c003c00 | 0x3c003c00 | 0x3c003c00 | 0x3c003c00 | 0x3f803f80
  HADD2$F d, x, y
  => HFMA2.MMA$F d, x, $K, y

rule sum-of-halves-mma-difference on hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2, K = 0x3c003c00 | 0x3c003c00 | 0x3c003c00 | 0x3c003c00 | 0x3f803f80
  HADD2$F d, x, -y
  => HFMA2.MMA$F d, x, $K, -y

rule sum-of-halves-mma-absolute on hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2, K = 0x3c003c00 | 0x3c003c00 | 0x3c003c00 | 0x3c003c00 | 0x3f803f80
  HADD2$F d, |x|, y
  => HFMA2.MMA$F d, |x|, $K, y

rule product-of-halves-mma on hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2
  HMUL2$F d, x, y
  => HFMA2.MMA$F d, x, y, -RZ

rule product-of-halves-mma-negative on hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2
  HMUL2$F d, -x, y
  => HFMA2.MMA$F d, -x, y, -RZ

rule product-of-halves-mma-absolute on hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2
  HMUL2$F d, |x|, y
  => HFMA2.MMA$F d, |x|, y, -RZ

rule product-and-sum-of-halves-mma on hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2
  HFMA2$F d, x, y, z
  => HFMA2.MMA$F d, x, y, z

rule product-and-sum-of-halves-mma-negative on hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2
  HFMA2$F d, -x, y, z
  => HFMA2.MMA$F d, -x, y, z

rule product-and-sum-of-halves-mma-absolute on hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2
  HFMA2$F d, |x|, y, z
  => HFMA2.MMA$F d, |x|, y, z

rule product-and-sum-of-halves-mma-difference on hfma2Mma with F = | .FTZ | .SAT | .FTZ.SAT | .BF16_V2
  HFMA2$F d, x, y, -z
  => HFMA2.MMA$F d, x, y, -z

rule half-of-float on f2fpTypes with T = F16 | F16 | BF16 | BF16, R = | .RZ | | .RZ
  F2F.$T.F32$R d, ?x
  => F2FP.$T.F32.PACK_AB$R d, RZ, ?x

rule half-of-float-untyped on f2fp off f2fpTypes with T = F16 | F16 | BF16 | BF16, P = | | .BF16 | .BF16, R = | .RZ | | .RZ
  F2F.$T.F32$R d, ?x
  => F2FP$P.PACK_AB$R d, RZ, ?x

rule extremum-of-same-float
  FMNMX d, x, x, ?p   when reg(x)
  => MOV d, x

rule sum-with-minus-zero
  FADD d, x, -RZ   when reg(x)
  => MOV d, x

rule flush-of-flushed with F = FADD | FMUL
  $F.FTZ d, (FADD.FTZ ?x, -RZ), ?y
  => $F.FTZ d, ?x, ?y

rule saturated-again with S = FADD | FMUL
  FADD.SAT d, y@*($S.SAT ?a, ?b), -RZ
  => MOV d, y

rule saturated-sum
  FADD.SAT d, (FADD ?x, ?y), -RZ
  => FADD.SAT d, ?x, ?y

rule saturated-product-and-sum
  FADD.SAT d, (FFMA ?x, ?y, ?z), -RZ
  => FFMA.SAT d, ?x, ?y, ?z

rule integer-of-floor with F = F2I.TRUNC.NTZ | F2I.U32.TRUNC.NTZ | F2I.TRUNC.NTZ | F2I.U32.TRUNC.NTZ, G = FLOOR | FLOOR | CEIL | CEIL, H = F2I.FLOOR.NTZ | F2I.U32.FLOOR.NTZ | F2I.CEIL.NTZ | F2I.U32.CEIL.NTZ
  $F d, (FRND.$G ?x)
  => $H d, ?x

rule byte-by-packing on i2fp with R = | .TRUNC
  F2I.U8$R.NTZ d, ?x
  => F2IP.U8.F32$R.NTZ d, RZ, ?x, RZ
`;
