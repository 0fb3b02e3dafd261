/** Logic with literals, fields of bits, bytes. */
export const logic = `
rule halves-together
  LOP3.LUT d, x, 0xffff, (SHF.L.U32 y, 16, RZ), 0xea   when reg(x), reg(y)
  => PRMT d, x, 0x5410, y

rule low-half
  PRMT d, x, 0x7710, RZ   when reg(x)
  => AND d, x, 0xffff

rule low-byte
  PRMT d, x, 0x7770, RZ   when reg(x)
  => AND d, x, 0xff

rule low-half-of-permute
  AND d, (PRMT x, #s, RZ), 0xffff   when reg(x)
  => PRMT d, x, #((s & 0xff) | 0x7700), RZ

rule low-byte-of-permute
  AND d, (PRMT x, #s, RZ), 0xff   when reg(x)
  => PRMT d, x, #((s & 0xf) | 0x7770), RZ

rule low-half-of-two
  AND d, (PRMT x, #s, y), 0xffff   when reg(x), (s & 0x44) == 0
  => PRMT d, x, #((s & 0xff) | 0x7700), RZ

rule and-of-and
  AND d, (AND x, #k), #m
  => AND d, x, #(k & m)

rule or-of-or
  OR d, (OR x, #k), #m
  => OR d, x, #(k | m)

rule xor-of-xor
  XOR d, (XOR x, #k), #m
  => XOR d, x, #(k ^ m)

rule field-of-byte
  SGXT.U32 d, (SHF.R.U32.HI RZ, #n, x), 8   when n == 8 or n == 16 or n == 24, reg(x)
  => PRMT d, x, #(0x7770 | (n >>> 3)), RZ

rule field-of-half
  SGXT.U32 d, (SHF.R.U32.HI RZ, 16, x), 16   when reg(x)
  => PRMT d, x, 0x7732, RZ

rule insert-byte with K = 8 | 16 | 24, M = 0xff00 | 0xff0000 | 0xff000000, S = 0x7604 | 0x7054 | 0x0654
  LOP3.LUT d, (SHF.L.U32 y, $K, RZ), $M, x, 0xe2   when reg(y), reg(x)
  => PRMT d, y, $S, x

rule insert-low with M = 0xff | 0xffff, S = 0x7650 | 0x7610
  LOP3.LUT d, y, $M, x, 0xe2   when reg(y), reg(x)
  => PRMT d, y, $S, x

rule insert-half with K = 8 | 16, M = 0xffff00 | 0xffff0000, S = 0x7104 | 0x1054
  LOP3.LUT d, (SHF.L.U32 y, $K, RZ), $M, x, 0xe2   when reg(y), reg(x)
  => PRMT d, y, $S, x

rule mask-without-effect-right
  AND d, y@(SHF.R.U32.HI RZ, #n, x), #m   when n <= 31, (~m & (0xffffffff >>> n)) == 0
  => SHF.R.U32.HI d, RZ, #n, x

rule mask-without-effect-field
  AND d, y@*(SGXT.U32 x, #w), #m   when w <= 31, (~m & ((1 << w) - 1)) == 0
  => MOV d, y

rule mask-of-selected
  AND d, (SEL #j, #k, ?p), #m
  => SEL d, (MOV #(j & m)), #(k & m), ?p

rule shift-of-selected
  SHF.L.U32 d, (SEL RZ, #k, ?p), #n, RZ   when n <= 31
  => SEL d, RZ, #(k << n), ?p

rule field-without-effect
  SGXT.U32 d, y@*(SHF.R.U32.HI RZ, #n, x), #w   when n <= 31, w + n >= 32, w <= 32
  => MOV d, y

rule shift-of-mask
  SHF.L.U32 d, (AND x, #m), #n, RZ   when n <= 31, reg(x)
  => AND d, (SHF.L.U32 x, #n, RZ), #(m << n)

rule shift-out-right
  SHF.R.U32.HI d, RZ, #n, (AND x, #m)   when n <= 31, n != 0, (m >>> n) == 0
  => MOV d, RZ

rule spread-of-masked-half
  PRMT d, (AND x, #m), 0x9910, RZ   when (m & 0xffff) == 0xffff, reg(x)
  => PRMT d, x, 0x9910, RZ

rule spread-of-masked-byte
  PRMT d, (AND x, #m), 0x8880, RZ   when (m & 0xff) == 0xff, reg(x)
  => PRMT d, x, 0x8880, RZ

rule spread-of-positive-half
  PRMT d, y@*(AND x, #m), 0x9910, RZ   when m <= 0x7fff
  => MOV d, y

rule spread-of-positive-byte
  PRMT d, y@*(AND x, #m), 0x8880, RZ   when m <= 0x7f
  => MOV d, y

rule shift-out-all
  SHF.R.U32.HI d, RZ, #n, x   when n >= 32, n <= 0x7fffffff
  => MOV d, RZ

rule whole-field
  SGXT.U32 d, x, #w   when w >= 32, w <= 0x7fffffff, reg(x)
  => MOV d, x

rule shift-out-right-signed
  SHF.R.S32.HI d, RZ, #n, (AND x, #m)   when n <= 31, n != 0, m <= 0x7fffffff, (m >>> n) == 0
  => MOV d, RZ

rule mask-without-effect-extremum with V = VIMNMX.U32 | IMNMX.U32
  AND d, y@*($V x, #k, PT), #m   when (m & (m + 1)) == 0, k <= m
  => MOV d, y

rule low-byte-of-shared-permute
  AND d, *(PRMT x, #s, RZ), 0xff   when reg(x), s != 0x7770
  => PRMT d, x, #((s & 0xf) | 0x7770), RZ

rule long-left-shift
  SHF.L.U32 d, x, #n, RZ   when n >= 64, n <= 0x7fffffff, reg(x)
  => MOV d, RZ

rule long-left-shift-upper
  SHF.L.U64.HI d, x, #n, ?y   when n >= 64, n <= 0x7fffffff, reg(x)
  => MOV d, RZ

rule long-right-shift-lower
  SHF.R.U64 d, x, #n, ?y   when n >= 64, n <= 0x7fffffff, reg(x)
  => MOV d, RZ

rule long-right-shift-signed
  SHF.R.S64 d, x, #n, y   when n >= 64, n <= 0x7fffffff, reg(x)
  => SHF.R.S32.HI d, RZ, 31, y

rule whole-field-signed
  SGXT d, x, #w   when w >= 32, w <= 0x7fffffff, reg(x)
  => MOV d, x
`;
