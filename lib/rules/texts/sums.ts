/** Sums, products and shifts with what is added to them. */
export const sums = `
rule shift-right-and-sum
  IADD3 d, (SHF.R.U32.HI RZ, #n, x), y, RZ   when n != 0, n <= 31, reg(x)
  => LEA.HI d, x, y, RZ, #(32 - n)

rule shift-right-and-sum-signed
  IADD3 d, (SHF.R.S32.HI RZ, #n, x), y, RZ   when n != 0, n <= 31, reg(x)
  => LEA.HI.SX32 d, x, y, #(32 - n)

rule high-product-and-sum
  IADD3 d, (IMAD.HI.U32 x, #k, RZ), ?y, RZ   when pow2(k), k != 1, reg(x)
  => LEA.HI d, x, ?y, RZ, #(log2(k))

rule high-product-and-sum-signed
  IADD3 d, (IMAD.HI x, #k, RZ), ?y, RZ   when pow2(k), k != 1, k < 0x80000000, reg(x)
  => LEA.HI.SX32 d, x, ?y, #(log2(k))

rule absolute-difference on vabsdiff with V = VIMNMX | IMNMX | VIMNMX | IMNMX, U = .U32 | .U32 | |
  IADD3 d, ($V$U x, y, !PT), -($V$U x, y, PT), z
  => VABSDIFF$U d, x, y, z

rule sum-of-plus-one-product
  IADD3 d, (LEA x, x, #n), y, RZ   when n <= 31, reg(x), notimm(y)
  => IMAD d, x, #((1 << n) + 1), y

rule sum-of-minus-one-product
  IADD3 d, (LEA x, -x, #n), y, RZ   when n <= 31, reg(x), notimm(y)
  => IMAD d, x, #((1 << n) - 1), y

rule literal-sum-of-plus-one-product off constantOperands
  IADD3 d, (LEA x, x, #n), #m, RZ   when n <= 31, m != 0, reg(x)
  => IMAD d, x, (MOV #((1 << n) + 1)), #m

rule literal-sum-of-minus-one-product off constantOperands
  IADD3 d, (LEA x, -x, #n), #m, RZ   when n <= 31, m != 0, reg(x)
  => IMAD d, x, (MOV #((1 << n) - 1)), #m

rule literal-sum-of-product
  IADD3 d, (IMAD x, #k, RZ), #m, RZ   when m != 0, reg(x)
  => IMAD d, x, (MOV #k), #m

rule product-of-minus-one
  IMAD d, x, 0xffffffff, RZ   when reg(x)
  => IADD3 d, -x, RZ, RZ

rule product-of-minus-one-and-sum
  IMAD d, x, 0xffffffff, y   when reg(x)
  => IADD3 d, -x, y, RZ

rule difference-with-shift
  IADD3 d, -(SHF.L.U32 x, #n, RZ), y, RZ   when n <= 31, reg(x), reg(y)
  => IMAD d, x, #(0 - (1 << n)), y

rule literal-difference-with-shift
  IADD3 d, -(SHF.L.U32 x, #n, RZ), #m, RZ   when n <= 31, m != 0, reg(x)
  => IMAD d, x, (MOV #(0 - (1 << n))), #m

rule negated-shift
  IADD3 d, -(SHF.L.U32 x, #n, RZ), RZ, RZ   when n <= 31, reg(x)
  => LEA d, -x, RZ, #n

rule minus-of-minus
  IADD3 d, -*(IADD3 -x, RZ, RZ), ?y, ?z
  => IADD3 d, x, ?y, ?z

rule plus-of-minus
  IADD3 d, *(IADD3 -x, RZ, RZ), y, RZ
  => IADD3 d, -x, y, RZ

rule minus-of-difference
  IADD3 d, -(IADD3 x, -y, RZ), z, RZ
  => IADD3 d, y, -x, z

rule shift-or-small
  OR d, (SHF.L.U32 x, #n, RZ), #k   when n <= 31, k < (1 << n), reg(x)
  => LEA d, x, #k, #n

rule shift-of-product
  SHF.L.U32 d, (IMAD x, #k, RZ), #n, RZ   when n <= 31, reg(x)
  => IMAD d, x, #(k << n), RZ

rule shift-of-plus-one-product
  SHF.L.U32 d, (LEA x, x, #m), #n, RZ   when n <= 31, m <= 31, reg(x)
  => IMAD d, x, #(((1 << m) + 1) << n), RZ

rule product-of-plus-one-product
  IMAD d, (LEA x, x, #n), #k, ?y   when n <= 31, reg(x)
  => IMAD d, x, #(((1 << n) + 1) * k), ?y

rule product-of-minus-one-product
  IMAD d, (LEA x, -x, #n), #k, ?y   when n <= 31, reg(x)
  => IMAD d, x, #(((1 << n) - 1) * k), ?y

rule product-of-product-and-sum
  IMAD d, (IMAD x, #k, RZ), #m, ?y   when reg(x)
  => IMAD d, x, #(k * m), ?y

rule shift-of-minus-one-product
  SHF.L.U32 d, (LEA x, -x, #m), #n, RZ   when n <= 31, m <= 31, reg(x)
  => IMAD d, x, #(((1 << m) - 1) << n), RZ

rule negated-product
  IADD3 d, -(IMAD x, #k, RZ), RZ, RZ   when reg(x)
  => IMAD d, x, #(-k), RZ

rule negated-plus-one-product
  IADD3 d, -(LEA x, x, #n), RZ, RZ   when n <= 31, reg(x)
  => IMAD d, x, #(~(1 << n)), RZ

rule negated-minus-one-product
  IADD3 d, -(LEA x, -x, #n), RZ, RZ   when n <= 31, reg(x)
  => IMAD d, x, #(1 - (1 << n)), RZ

rule difference-with-product
  IADD3 d, -(IMAD x, #k, RZ), y, RZ   when reg(x), reg(y)
  => IMAD d, x, #(-k), y

rule difference-with-plus-one-product
  IADD3 d, -(LEA x, x, #n), y, RZ   when n <= 31, reg(x), reg(y)
  => IMAD d, x, #(~(1 << n)), y

rule difference-with-minus-one-product
  IADD3 d, -(LEA x, -x, #n), y, RZ   when n <= 31, reg(x), reg(y)
  => IMAD d, x, #(1 - (1 << n)), y

rule difference-with-literal-sum
  IADD3 d, -(IADD3 x, #k, RZ), y, RZ   when reg(x), reg(y), k != 0
  => IADD3 d, y, #(-k), -x

rule shift-right-and-difference
  IADD3 d, (SHF.R.U32.HI RZ, #n, x), -y, RZ   when n != 0, n <= 31, reg(x), reg(y)
  => LEA.HI d, x, -y, RZ, #(32 - n)

rule shift-right-and-difference-signed
  IADD3 d, (SHF.R.S32.HI RZ, #n, x), -y, RZ   when n != 0, n <= 31, reg(x), reg(y)
  => LEA.HI.SX32 d, x, -y, #(32 - n)

rule sign-and-sum
  IADD3 d, (IMAD.HI x, 1, RZ), ?y, RZ   when reg(x)
  => LEA.HI.SX32 d, x, ?y, 0

rule shift-of-all with S = SHF.R.U64 | SHF.R.S64
  $S d, x, 32, y
  => MOV d, y

rule shift-of-all-left
  SHF.L.U64.HI d, x, 32, y
  => MOV d, x

rule shift-of-all-high
  SHF.R.U32.HI d, RZ, 32, x
  => MOV d, RZ

rule shift-of-all-low
  SHF.L.U32 d, x, 32, RZ
  => MOV d, RZ

rule shift-of-all-signed
  SHF.R.S32.HI d, RZ, 32, x
  => SHF.R.S32.HI d, RZ, 31, x

rule negated-sum
  IADD3 d, -(IADD3 x, y, RZ), RZ, RZ   when reg(x), reg(y)
  => IADD3 d, -x, -y, RZ

rule negated-literal-difference
  IADD3 d, -(IADD3 -x, #k, RZ), RZ, RZ   when reg(x)
  => IADD3 d, x, #(-k), RZ

rule product-of-literal-sum
  IMAD d, (IADD3 x, #k, RZ), #m, RZ   when k != 0, pow2(m) == 0, reg(x)
  => IMAD d, x, (MOV #m), #(k * m)

rule rotation-and-sum
  IADD3 d, (SHF.L.W.U32.HI x, #n, y), z, RZ   when n != 0, n <= 31, reg(x), reg(y)
  => LEA.HI d, x, z, y, #n

rule sign-and-sum-with-carry off wholePairs
  IADD3.X d, (SHF.R.S32.HI RZ, 31, x), ?y, RZ, p, !PT   when reg(x), notimm(y)
  => LEA.HI.X.SX32 d, x, ?y, 1, p

rule shift-right-and-sum-with-carry
  IADD3.X d, (SHF.R.U32.HI RZ, #n, x), y, RZ, p, !PT   when n != 0, n <= 31, reg(x), notimm(y)
  => LEA.HI.X d, x, y, RZ, #(32 - n), p
`;
