/** Sums, products and shifts with what is added to them. */
export const sums = `
rule shift-right-and-sum
  IADD3 d, (SHF.R.U32.HI RZ, #n, x), y, RZ   when n != 0, n <= 31, reg(x)
  => LEA.HI d, x, y, RZ, #(32 - n)

rule shift-right-and-sum-signed
  IADD3 d, (SHF.R.S32.HI RZ, #n, x), y, RZ   when n != 0, n <= 31, reg(x)
  => LEA.HI.SX32 d, x, y, #(32 - n)

rule absolute-difference with V = VIMNMX | IMNMX, U = .U32 | .U32
  IADD3 d, ($V$U x, y, !PT), -($V$U x, y, PT), z
  => VABSDIFF$U d, x, y, z
`;
