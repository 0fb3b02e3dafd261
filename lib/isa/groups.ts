/**
 * Modifier groups: name → place and printed values in the order of their codes. `_` prints nothing, `?` and codes not
 * listed are undefined (nvdisasm prints `.INVALIDn`, or `.???n` where the list ends with `...???`), `!` and, where the list
 * ends with `...!`, codes not listed are refused, `~` is printed as nothing, `8=.X` skips to code 8, `.64/8` says that the
 * value means 8 bytes of data. Places are bit positions as in row.ts.
 */
export const groups: Readonly<Record<string, string>> = {
  // arithmetic
  x: "@74 _ .X",
  u32: "@73 .U32 _",
  wrap: "@75 _ .W",
  ftz: "@80 _ .FTZ",
  fmz: "@76+80 _ .FMZ .FTZ",
  fmo: "@76+80 _ .FMZ .FTZ .OOB",
  sat: "@77 _ .SAT",
  rnd: "@78:2 _ .RM .RP .RZ",
  round: "@78:2 _ .FLOOR .CEIL .TRUNC",
  ntz: "@77 _ .NTZ",
  scale: "@84:3 ? .D8 .D4 .D2 _ .M2 .M4 .M8",
  nan: "@81 _ .NAN",
  xorsign: "@82 _ .XORSIGN",
  icmp: "@76:3 .F .LT .EQ .LE .GT .NE .GE .T",
  fcmp: "@76:4 .F .LT .EQ .LE .GT .NE .GE .NUM .NAN .LTU .EQU .LEU .GTU .NEU .GEU .T",
  dcmp: "@76:4 .MIN .LT .EQ .LE .GT .NE .GE .NUM .NAN .LTU .EQU .LEU .GTU .NEU .GEU .MAX",
  bool: "@74:2 .AND .OR .XOR",
  shift: "@76 .L .R",
  shiftType: "@73:2 .S64 .U64 .S32 .U32",
  hi: "@80 _ .HI",
  prmt: "@72:3 _ .F4E .B4E .RC8 .ECL .ECR .RC16",
  mufu: "@74:4 .COS .SIN .EX2 .LG2 .RCP .RSQ .RCP64H .RSQ64H .SQRT .TANH",
  mufu2: "@74:4 ? ? .EX2",
  mufu16: "@74:4 .COS .SIN .EX2 .LG2 .RCP .RSQ ? ? .SQRT .TANH",
  vtype: "@72:2 .U32 _ .U16x2 .S16x2",
  vtype120: "@72:3 .U32 .S32 .U16x2 .S16x2 .U8x4 .S8x4",
  mnmx: "@73:2 .U32/4 _/4 .U64/8 .S64/8",
  byte: "@76:2 _ .B1 .B2 .B3",
  // half precision
  // Beside an operand, the place depends on where its register sits: 24, 32 or 64.
  h75: "@24>74:2,32>60:2,64>81:2 _ .F32 .H0_H0 .H1_H1",
  h: "@24>74:2,32>60:2,64>81:2 _ ? .H0_H0 .H1_H1",
  // The second factor of HFMA2; .H0_NH1 takes the upper half negated.
  hb: "@32>60:2+86,64>81:2+86 _ .F32 .H0_H0 .H1_H1 .H0_NH1",
  half72: "@72 _ .H1",
  half: "@60:2 _ .H1",
  // conversions
  itype75: "@72+75+76 .U8/1 .S8/1 .U16/2 .S16/2 .U32/4 _/4 ! !",
  itype: "@72+75+76 .U8/1 .S8/1 .U16/2 .S16/2 .U32/4 _/4 ...???",
  itype64: "@72+75+76 .U8/1 .S8/1 .U16/2 .S16/2 .U32/4 _/4 .U64/8 .S64/8",
  fto16a: "@75:2 ! .F16 _ !",
  fto16b: "@75:2 ? .F16 _ ? ...???",
  fto16: "@75:3 ? .F16 _ ? .BF16 ...???",
  // 64 bits: other types are refused.
  fto64a: "@75:2 ! .F16 _ !",
  fto64: "@75:3 ! .F16 _ ! .BF16 ...!",
  int8: "@74 .U8 .S8",
  int16: "@74 .U16 .S16",
  byteOf: "@60:2 _ .B1 .B2 .B3",
  // memory
  e: "@72 _/4 .E/8",
  eW: "@72 ?/8 .E/8 ...???",
  size: "@73:3 .U8/1 .S8/1 .U16/2 .S16/2 _/4 .64/8 .128/16",
  sizeQ: "@73:3 .U8/1 .S8/1 .U16/2 .S16/2 _/4 .64/8 .128/16 ...???",
  sizeU: "@73:3 .U8/1 .S8/1 .U16/2 .S16/2 _/4 .64/8 .128/16 !",
  size75: "@73:3 .U8/1 .S8/1 .U16/2 .S16/2 _/4 .64/8 .128/16 .U.128/16",
  sizeC: "@73:3 .U8/1 .S8/1 .U16/2 .S16/2 _/4 .64/8",
  atype80: "@73:4 _/4 .S32/4 .64/8 .F32.FTZ.RN/4 .F16x2.RN/4 .S64/8 .F64.RN/8",
  evict: "@84:3 .EF _ .EL .LU .EU .NA",
  ltc75: "@68:2 _ .LTC64B .LTC128B",
  ltc: "@68:2 _ .LTC64B .LTC128B .LTC256B",
  strong75: "@79:2 .CONSTANT _ .STRONG .MMIO",
  strongS75: "@79:2 ? _ .STRONG .MMIO",
  strongA75: "@79:2 ? _ .STRONG",
  scope75: "@77:2 .CTA .SM .GPU .SYS",
  private75: "@76 _ .PRIVATE",
  scope:
    "@77:4 _ .CONSTANT.PRIVATE .CONSTANT.CTA .CONSTANT.CTA.PRIVATE .CONSTANT .STRONG.SM .STRONG.GPU.PRIVATE .STRONG.GPU .MMIO.GPU .CONSTANT.SM .STRONG.SYS .CONSTANT.SM.PRIVATE .MMIO.SYS .CONSTANT.VC .CONSTANT.VC.PRIVATE .CONSTANT.GPU",
  // Stores, atomics and reductions; stores from sm_100 on.
  scopeA:
    "@77:4 _ .CONSTANT.PRIVATE .CONSTANT.CTA .CONSTANT.CTA.PRIVATE .STRONG.SM.PRIVATE .STRONG.SM .STRONG.GPU.PRIVATE .STRONG.GPU .MMIO.GPU .CONSTANT.SM .STRONG.SYS .CONSTANT.SM.PRIVATE .MMIO.SYS .CONSTANT.VC .CONSTANT.VC.PRIVATE .CONSTANT.GPU",
  scopeS:
    "@77:4 _ .CONSTANT.PRIVATE .CONSTANT.CTA .CONSTANT.CTA.PRIVATE .STRONG.SM.PRIVATE .STRONG.SM .STRONG.GPU.PRIVATE .STRONG.GPU .MMIO.GPU .CONSTANT.SM .STRONG.SYS .CONSTANT.SM.PRIVATE .MMIO.SYS .SYS.ORDERED .STRONG.SYS.ORDERED .MMIO.SYS.ORDERED",
  // Bulk copies; copies to another CTA's shared memory on sm_90, whose names are those of no other instruction.
  scopeB: "@77:4 _ ! ! ! ! .STRONG.SM ! .STRONG.GPU ! ! .STRONG.SYS ...!",
  scopeT:
    "@77:4 _ .???0.PRIVATE .???0.???1 .???0.???1.PRIVATE .???2.PRIVATE .???2.???1 .???3.PRIVATE .???2.???3 .???3.???4 .???0.???2 .???2.SYS .???0.???2.PRIVATE .???3.SYS .???0.???3 .???0.???3.PRIVATE .???0.???4",
  // All GPUs' memory.
  scopeG: "@77:4 ! ! ! ! ! ! ! .STRONG.GPU .MMIO.GPU ! .STRONG.SYS ! .MMIO.SYS ...!",
  unpack: "@80:2 _ .TEXUNPACK .HDRUNPACK",
  // Asynchronous copies.
  scopeC:
    "@77:4 _ .CONSTANT.PRIVATE .CONSTANT.CTA .CONSTANT.CTA.PRIVATE .CONSTANT .MMIO.CTA .GPU.PRIVATE .MMIO.CTA.PRIVATE .MMIO.SM .CONSTANT.SM .MMIO.VC .CONSTANT.SM.PRIVATE .MMIO.GPU .CONSTANT.VC .CONSTANT.VC.PRIVATE .CONSTANT.GPU",
  xscale: "@78:2 _ .X4 .X8 .X16",
  ldcMode: "@78:2 _ .IL .IS .ISL",
  atomOp: "@87:4 .ADD .MIN .MAX .INC .DEC .AND .OR .XOR .EXCH",
  atomOpG: "@87:4 .ADD .MIN .MAX .INC .DEC .AND .OR .XOR .EXCH .SAFEADD",
  atomOpR: "@87:4 .ADD .MIN .MAX .INC .DEC .AND .OR .XOR",
  redOp: "@87:3 .ADD .MIN .MAX .INC .DEC .AND .OR .XOR",
  atomFop: "@88:2 .ADD .MIN .MAX",
  atype75: "@73:3 _/4 .S32/4 .64/8 .F32.FTZ.RN/4 .F16x2.RN/4 .S64/8 .F64.RN/8",
  atype: "@73:3 _/4 .S32/4 .64/8 .S64/8 .128/16",
  atypeS: "@73:2 _/4 .S32/4 .64/8",
  atypeR: "@73:3 _/4 .S32/4 .64/8 .S64/8",
  atypeC: "@73:3 _/4 .S32/4 .64/8 ? .128/16",
  atypeF:
    "@73:4+87 .F16x2.RN/4 .F16x4.RN/8 .F16x8.RN/16 .BF16x2.RN/4 .BF16x4.RN/8 .BF16x8.RN/16 ? ? ? .F32.FTZ.RN/4 .F32x2.FTZ.RN/8 .F32x4.FTZ.RN/16 .F32.RN/4 .F32x2.RN/8 .F32x4.RN/16 .F64.RN/8",
  // warp and control
  vote: "@72:2 .ALL .ANY .EQ",
  // What BMOV moves beside convergence barriers (16 lower codes), up to sm_89 and from 90 on.
  state75:
    "@24:6 16=THREAD_STATE_ENUM.0 THREAD_STATE_ENUM.1 THREAD_STATE_ENUM.2 THREAD_STATE_ENUM.3 THREAD_STATE_ENUM.4 TRAP_RETURN_PC.LO TRAP_RETURN_PC.HI TRAP_RETURN_MASK MEXITED MKILL MACTIVE MATEXIT OPT_STACK API_CALL_DEPTH ATEXIT_PC.LO ATEXIT_PC.HI ...?",
  state:
    "@24:6 16=THREAD_STATE_ENUM.0 THREAD_STATE_ENUM.1 THREAD_STATE_ENUM.2 THREAD_STATE_ENUM.3 THREAD_STATE_ENUM.4 TRAP_RETURN_PC.LO TRAP_RETURN_PC.HI TRAP_RETURN_MASK MEXITED MKILL MACTIVE MATEXIT OPT_STACK API_CALL_DEPTH ATEXIT_PC.LO ATEXIT_PC.HI MCOLLECTIVE ...?",
  inc: "@85:2 _ .INC .DEC",
  defer: "@79:2 _ ! .DEFER_BLOCKING !",
  deferQ: "@79:2 _ ~ .DEFER_BLOCKING ~",
  cctlCache: "@78:3 _ .U .C .I ...???",
  cctlAll: "@78:3 _ .U .C .I ...!",
  cctlOp75: "@87:4 .PF1 .PF2 .WB .IV ! .RS ...!",
  cctlOpU: "@87:4 .PF1 .PF2 .WB .IV ? .RS ? ? ? .PML2 .DML2 .RML2 ...???",
  cctlOp: "@87:4 .PF1 .PF2 .WB .IV ! .RS ! ! ! .PML2 .DML2 .RML2 ...!",
  mw: "@73 _/4 .U64/8",
  redux: "@78:3 _ .OR .XOR .SUM .MIN .MAX",
  // matrix fragments: shape with the bytes of a (of d and c: acc, lds)
  mma: "@75+78 .1688/8 .16816/16 .1684/8",
  mmaT: "@75+78 .1688/16 .16816/8 .1684/8",
  mmaS: "@75+78 .1688/8 .16816/8 ? .16832/16",
  mmaST: "@75+78 .1688/8 .16816/16 ? .16832/8",
  acc: "@76 .F16/8 .F32/16",
  imma: "@75+85:2 ? ? ? ? .16816/8 .16832/16 .16864/16",
  imma90: "@75+85:2 ? ? ? ? .16816/8 .16832/16 ?/8 ?/8",
  immaS: "@75+85:2 ? ? ? ? ? .16832/8 .16864/16 .168128/16",
  immaS90: "@75+85:2 ? ? ? ? ? .16832/8 .16864/16",
  qmma: "@75:2 .16816/8 .16832/16",
  qmmaS: "@75:2 ? .16832/8 .16864/16",
  mt: "@78:2 .MT88/4 .M832/8 .M864/8",
  bmma: "@75:2 .88128 .168128 .168256",
  dmma: "@76:2 ? .16x8x4/16 .16x8x8/32 .16x8x16/64",
  // tensor copies: registers of coordinates and what stands with them, in bytes
  dims: "@79:3 .1D/12 .2D/16 .3D/20 .4D/24 .5D/28",
  dimsC: "@79:3 .1D/4 .2D/8 .3D/12 .4D/16 .5D/20",
  dimsS: "@79:3 .1D/8 .2D/12 .3D/16 .4D/20 .5D/24",
  dp: "@81:2+87 .16dp128bit .16dp256bit _ .16dp64bit .16dp32bit_t0_t15 .16dp32bit_t16_t31",
  times2: "@83:3 ? .x2/8 .x4/16 .x8/32 .x16/64 .x32/128 .x64/256 .x128/512",
  times: "@83:3 _/4 .x2/8 .x4/16 .x8/32 .x16/64 .x32/128 .x64/256 .x128/512",
  // surfaces: dimensions with the bytes of coordinates
  sdim: "@61:3 .1D/4 .1D_BUFFER/4 .1D_ARRAY/8 .2D/8 .2D_ARRAY/12 .3D/12",
  rgba: "@72:4 ? .R/4 ? .RG/8 15=_/16",
  stype: "@73:3 _/4 .S32/4 .U64/8 .F32.FTZ.RN/4 .F16x2.RN/4 .S64/8 .SD32/4 .SD64/8",
  scas80: "@73:3 _/8 .S32/8 .U64/16",
  scas: "@73:3 _/8 .S32/8 .64/16",
  vec: "@74:2 _/4 .64/8 .96/12 .128/16",
  lds: "@72:2 _/4 .2/8 .4/16",
  ldsm: "@75:3 .16 ~ ~ ~ ~ .U4x16P64TO8 .U6x16P32TO8 .8",
  ldsm75: "@75:3 .16 ~ ~ ~ ~",
  shfl: "@58:2 .IDX .UP .DOWN .BFLY",
};
