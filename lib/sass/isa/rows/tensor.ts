/**
 * Matrix multiplication on fragments in registers, and moving fragments between shared memory and registers. Widths of
 * the fragments follow from the shape (facts: register life ranges of nvdisasm, defuse).
 */
import type { Rows } from "../row.js";

/** From sm_80 on: accumulate only if the uniform predicate says so (!UPT: c counts as zero). */
const pin = "!pin@^87?";
const dense = "d*acc <- a*mma b*mma/2 c*acc pin:UP=PT";
/** Sparse: e says which of each four elements are there, n which lanes hold e. */
const sparse = "d*acc <- a*mma b*mma c*acc pin:UP=PT e n:I";
const integer = "{.U8|.S8|?|?|.U4|.S4@76:2+83}{.U8|.S8|?|?|.U4|.S4@78:2+84}";
const sat = "{_|.SAT@82}";
const rowCol = "a@24%122{.ROW|...???@73}, b@32%123{?|.COL|...???@74}";

export const tensorRows: Rows = [
  {
    op: "HMMA",
    does: "d = a * b + c on f16, bf16 or tf32 fragments",
    slots: dense,
    lines: [
      { as: "RRR=23c", text: "HMMA{mma}{acc}{_|.SATFINITE@77} d, -a, -b, c", sm: "75" },
      {
        as: "23c",
        text: `HMMA{mma}{acc}{_|.BF16@82:2} d, -a@24%122, -b@32%123, c@64, ${pin}`,
        is: "73=0 83=0",
        sm: "80-",
      },
      { as: "23c", text: `HMMA{mmaT}{acc}.TF32 d, -a@24%122, -b@32%123, c@64, ${pin}`, is: "73=0 82:2=2", sm: "80-" },
    ],
    time: "fixed",
  },
  {
    op: "HMMA.SP",
    does: "the same with a sparse a",
    slots: sparse,
    lines: [
      {
        as: "23c",
        text: `HMMA.SP{mmaS}{acc}{_|.BF16|.TF32@82:2} d, -a@24%122, -b@32%123, c@64, ${pin}, e@40%124, n@48:2`,
        is: "73=1",
        sm: "80-",
      },
    ],
    time: "fixed",
  },
  {
    op: "HMMA.884",
    does: "one of the steps of d = a * b + c on 8 x 8 x 4",
    slots: "d*2 <- a*2 b*2 c*2",
    lines: [
      {
        as: "RRR=236",
        text: "HMMA.884.F16.F16{.STEP0|.STEP1@79:2}{_|.SATFINITE@77:2} d, -a{.ROW|.COL@73}, -b{.ROW|.COL@74:2}, c",
        is: "76=0",
        sm: "75",
      },
      {
        as: "RRR=236",
        text: "HMMA.884.F32{.F16|.F32@78}{.STEP0|.STEP1|.STEP2|.STEP3@79:2}{_|.SATFINITE@77} d, -a{.ROW|.COL@73}, -b{.ROW|.COL@74:2}, c",
        is: "76=1",
        sm: "75",
      },
    ],
    time: "fixed",
  },
  {
    op: "IMMA.8816",
    does: "d = a * b + c on 8 x 8 integer fragments",
    slots: "d*2 <- a b c*2 pin:UP=PT",
    lines: [
      {
        as: "RRR=237",
        text: "IMMA{.8816.U8|?|.8816.S8@75:3+85}{.U8|.S8@78:2}{_|.SAT@82} d, a{.ROW|...???@73}, b{?|.COL|...???@74}, c",
        is: "83=0 84=0",
        sm: "75",
      },
      {
        as: "RRR=237",
        text: "IMMA{?|?|.8832@75+85}{.U4|.S4@76:2}{.U4|.S4@78:2}{_|.SAT@82} d, a{.ROW|...???@73}, b{?|.COL|...???@74}, c",
        is: "83=1 84=1",
        sm: "75",
      },
      {
        as: "237",
        text: `IMMA{.8816|?|.8832@75+85}${integer}${sat} d, ${rowCol}, c@64, ${pin}`,
        is: "72=0 86=0",
        sm: "80-90",
      },
    ],
    time: "fixed",
  },
  {
    op: "IMMA",
    does: "d = a * b + c on 16 x 8 integer fragments",
    slots: "d*4 <- a*mma b*mma/2 c*4 pin:UP=PT",
    lines: [
      {
        as: "237",
        text: `IMMA{immaL}${integer}${sat} d, ${rowCol}, c@64, ${pin}`,
        is: "72=0 86=1",
        sm: "80-90",
      },
      { as: "237", text: `IMMA{imma}${integer}${sat} d, ${rowCol}, c@64, ${pin}`, is: "72=0", sm: "100-" },
    ],
    time: "fixed",
  },
  {
    op: "IMMA.SP",
    does: "the same with a sparse a",
    slots: "d*4 <- a*mma b*mma c*4 pin:UP=PT e n:I",
    lines: [
      {
        as: "237",
        text: `IMMA.SP{immaS}${integer}${sat} d, ${rowCol}, c@64, ${pin}, e@40%124, n@48:2`,
        is: "72=1",
        sm: "80-",
      },
    ],
    time: "fixed",
  },
  {
    op: "BMMA",
    does: "d = c + number of ones in a op b, on one-bit fragments",
    slots: "d*4 <- a*mma b*mma/2 c*4 pin:UP=PT",
    lines: [
      {
        as: "23d",
        text: `BMMA{bmma}{?|?|.AND|...???@77:2}{?|.POPC|...???@80} d, ${rowCol}, c@64, ${pin}`,
        is: "75:2=1",
        sm: "80-90",
      },
      {
        as: "23d",
        text: `BMMA{bmma}{?|?|.AND|...???@77:2}{?|.POPC|...???@80} d, ${rowCol}, c@64, ${pin}`,
        is: "75:2=2",
        sm: "80-90",
      },
    ],
    time: "fixed",
  },
  {
    op: "BMMA.88128",
    does: "the same on 8 x 8 x 128",
    slots: "d*2 <- a b c*2 pin:UP=PT",
    lines: [
      {
        as: "RRR=23d",
        text: "BMMA.88128{.XOR|...???@77}{?|.POPC|...???@80} d, a{.ROW|...???@73}, b{?|.COL|...???@74}, c",
        is: "75:2=0",
        sm: "75",
      },
      {
        as: "23d",
        text: `BMMA.88128{?|?|.AND|...???@77:2}{?|.POPC|...???@80} d, ${rowCol}, c@64, ${pin}`,
        is: "75:2=0",
        sm: "80-90",
      },
    ],
    time: "fixed",
  },
  {
    op: "DMMA",
    does: "d = a * b + c on f64 fragments",
    slots: "d*8 <- a*mma b*mma/2 c*8 pin:UP=PT",
    lines: [
      { as: "23f", text: `DMMA{dmma}{rnd} d, -|a|@24%122, -|b|@32%123, -|c|@64, ${pin}`, is: "76=1", sm: "90" },
      { as: "23f", text: `DMMA{dmma}{rnd} d, -|a|@24%122, -|b|@32%123, -|c|@64, ${pin}`, is: "77=1", sm: "90" },
    ],
    time: "result",
  },
  {
    op: "DMMA.8x8x4",
    does: "the same on 8 x 8 x 4",
    slots: "d*4 <- a*2 b*2 c*4 pin:UP=PT",
    lines: [
      {
        as: "23f",
        text: `DMMA{.8x8x4|?|?|?@76:2}{rnd} d, -|a|@24%122, -|b|@32%123, -|c|@64, ${pin}`,
        is: "76:2=0",
        sm: "80-",
      },
    ],
    time: "result",
  },
  {
    op: "MOVM",
    does: "d = a transposed between lanes",
    slots: "d <- a",
    lines: [{ as: "23a", text: "MOVM{.16|.U4TO8@75:3}{.MT88|.M832|.M864@78:2} d, a@24" }],
    time: "result",
  },
  {
    op: "LDSM",
    does: "d = 8 x 8 matrices in shared memory, a row address per lane",
    slots: "d*lds <- base ur:UR=none off:I=0",
    memory: ["shared", "load"],
    bytes: "lds",
    lines: [
      { as: "83b", text: "LDSM{ldsm75}{.M88|.MT88|.M816|.M832@78:2}{lds} d, [base@24+off@40:24s]", sm: "75" },
      { as: "83bu", text: "LDSM{ldsm75}{.M88|.MT88|.M816|.M832@78:2}{lds} d, [base@24+ur@32+off@40:24su]", sm: "75" },
      { as: "83b", text: "LDSM{ldsm75}{.M88|.MT88|.M816|.M832@78:2}{lds} d, [base@24+off@40:24ss]", sm: "80-90" },
      {
        as: "83bu",
        text: "LDSM{ldsm75}{.M88|.MT88|.M816|.M832@78:2}{lds} d, [base@24+ur@32+off@40:24ss]",
        sm: "80-90",
      },
      { as: "83b", text: "LDSM{ldsm}{.M88|.MT88|.M816|.M832|.MT1616@78:3}{lds} d, [base@24+off@40:24ss]", sm: "100-" },
      {
        as: "83bu",
        text: "LDSM{ldsm}{.M88|.MT88|.M816|.M832|.MT1616@78:3}{lds} d, [base@24+ur@32+off@40:24ss]",
        sm: "100-",
      },
    ],
    time: "result",
  },
  {
    op: "STSM",
    does: "8 x 8 matrices in shared memory = data",
    slots: "<- base ur:UR=none off:I=0 data*lds",
    memory: ["shared", "store"],
    bytes: "lds",
    effect: true,
    lines: [
      { as: "844", text: "STSM{.16|...???@75}{.M88|.MT88@78:2}{lds} [base@24+off@40:24ss], data@32", sm: "90" },
      { as: "844u", text: "STSM{.16|...???@75}{.M88|.MT88@78:2}{lds} [base@24+ur@64+off@40:24ss], data@32", sm: "90" },
      { as: "844", text: "STSM{.16|.8@75}{.M88|.MT88|.MT168@78:2}{lds} [base@24+off@40:24ss], data@32", sm: "100-" },
      {
        as: "844u",
        text: "STSM{.16|.8@75}{.M88|.MT88|.MT168@78:2}{lds} [base@24+ur@64+off@40:24ss], data@32",
        sm: "100-",
      },
    ],
    time: "operands",
  },
];
