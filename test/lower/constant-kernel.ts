/** Generic addresses of constants, in code and in initial values, and back; what it stores with n = 2. */
export const CONSTANT_ADDRESSES = [33, 22, 33, 8, 88] as const;

export const constantAddresses = (target: string): string => `.version 8.8
.target ${target}
.address_size 64
.const .u32 c[4] = {11, 22, 33, 44};
.const .u32 e[4] = {55, 66, 77, 88};
.global .u64 whole = generic(c);
.global .u64 place = c + 8;
.global .u64 last = generic(e) + 12;
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>;
  ld.param.u64 %d1, [p]; ld.param.u32 %r2, [n];
  cvta.const.u64 %d2, c;
  mul.wide.u32 %d3, %r2, 4; add.u64 %d2, %d2, %d3;
  ld.u32 %r1, [%d2]; st.global.u32 [%d1], %r1;
  ld.global.u64 %d4, [whole]; ld.u32 %r3, [%d4+4]; st.global.u32 [%d1+4], %r3;
  cvta.to.const.u64 %d5, %d2; ld.const.u32 %r4, [%d5]; st.global.u32 [%d1+8], %r4;
  ld.global.u64 %d6, [place]; st.global.u32 [%d1+12], %d6;
  ld.global.u64 %d7, [last]; ld.u32 %r5, [%d7]; st.global.u32 [%d1+16], %r5;
  ret;
}
`;
