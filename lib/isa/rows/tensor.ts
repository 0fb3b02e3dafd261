/**
 * Matrix multiplication on fragments in registers, and moving fragments between shared memory and registers. Widths of
 * the fragments follow from the shape (facts: register life ranges of nvdisasm, defuse).
 */
import type { Line, Row, Rows } from "../row.js";

interface Generation {
  readonly sm: string;
  /** Reuse bits of a and e. */
  readonly a: string;
  readonly e: string;
  /** From sm_86 on: accumulate only if the uniform predicate says so (!UPT: c counts as zero). */
  readonly pin: string;
}

const pin = ", !pin@^87?";
const ampere: Generation = { sm: "80", a: "%122", e: "%50", pin: "" };
const laterAmpere: Generation = { sm: "86-89", a: "%122", e: "%50", pin };
const ada: Generation = { ...laterAmpere, sm: "89" };
const hopper: Generation = { ...laterAmpere, sm: "90" };
const blackwell: Generation = { ...laterAmpere, sm: "100-110" };
const consumer: Generation = { sm: "120-", a: "", e: "", pin };
const early = [ampere, laterAmpere];
const since80 = [ampere, laterAmpere, hopper, blackwell, consumer];

/** The same line for several generations: `&a`, `&e`, `&pin` stand for what differs. */
function each(
  over: readonly Generation[],
  as: string,
  text: string,
  more: Omit<Line, "as" | "text" | "sm"> = {},
): Line[] {
  return over.map((g) => ({
    as,
    text: text.replace("&a", g.a).replace("&e", g.e).replace("&pin", g.pin),
    sm: g.sm,
    ...more,
  }));
}

const dense = "d*acc <- a*mma b*mma/2 c*acc pin:UP=PT";
/** Sparse: e says which of each four elements are there, n which lanes hold e. */
const sparse = "d*acc <- a*mma b*mma c*acc pin:UP=PT e n:I";
const bytes = "{.U8|.S8@76:2+83}{.U8|.S8@78:2+84}";
const nibbles = "{.U8|.S8|?|?|.U4|.S4@76:2+83}{.U8|.S8|?|?|.U4|.S4@78:2+84}";
const sat = "{_|.SAT@82}";
const row = "a@24&a{.ROW|...???@73}";
const col = "b@32%123{?|.COL|...???@74}";
const en = ", e@40&e, n@48:2";
const products = `d, ${row}, ${col}, c@64&pin`;
const signed = "d, -a@24&a, -b@32%123, c@64&pin";
const doubles = "d, -|a|@24&a, -|b|@32%123, -|c|@64&pin";
const byteFloats = "{.E4M3|.E5M2@78}{.E4M3|.E5M2@79}";
const smallFloat = ".E4M3|.E5M2|~|.E3M2|.E2M3|.E2M1";
const smallFloats = `{${smallFloat}@78+82:2}{${smallFloat}@79+84:2}`;
const scales = "e@40, f@52%51, ur@60:3+73:5";
/** Bit 81 is no part of the sparse ones. */
const sparse81 = { hidden: "81=1" };

const scaled: Pick<Row, "does" | "slots" | "time"> = {
  does: "the same with a scale for each block of a (e) and of b (f); ur says which",
  slots: "d*4 <- a*4 b*2 c*4 pin:UP=PT e f ur:UR",
  time: "fixed",
};
const sparseScaled: Pick<Row, "does" | "slots" | "time"> = {
  does: "the same with a sparse a and scales",
  slots: "d*4 <- a*4 b*4 c*4 pin:UP=PT e*2 f ur:UR n:I",
  time: "fixed",
};

export const tensorRows: Rows = [
  {
    op: "HMMA",
    does: "d = a * b + c on f16, bf16 or tf32 fragments",
    slots: dense,
    lines: [
      { as: "23c", text: "HMMA{mma}{acc}{_|.SATFINITE@77} d, -a@24, -b@32%123, c@64", sm: "75", hidden: "82:2=1,2" },
      ...each(since80, "23c", `HMMA{mma}{acc}{_|.BF16@82:2} ${signed}`, { is: "73=0 83=0" }),
      ...each(since80, "23c", `HMMA{mmaT}{acc}.TF32 ${signed}`, { is: "73=0 82:2=2" }),
      ...each([ampere, blackwell, consumer], "23c", `HMMA{mma}{acc}{?|?|?|?@82:2} ${signed}`, { is: "73=0 82:2=3" }),
      ...each([laterAmpere, hopper], "23c", `HMMA{mma}{acc}{~|~|~|~@82:2} ${signed}`, { is: "73=0 82:2=3" }),
    ],
    time: "mma",
  },
  {
    op: "HMMA.SP",
    does: "the same with a sparse a",
    slots: sparse,
    lines: [
      ...each([ampere, blackwell, consumer], "23c", `HMMA.SP{mmaS}{acc}{_|.BF16@82:2} ${signed}${en}`, {
        is: "73=1",
        ...sparse81,
      }),
      ...each([laterAmpere, hopper], "23c", `HMMA.SP{mmaS}{acc}{_|.BF16|?|~@82:2} ${signed}${en}`, {
        is: "73=1",
        ...sparse81,
      }),
      ...each(since80, "23c", `HMMA.SP{mmaST}{acc}.TF32 ${signed}${en}`, { is: "73=1 82:2=2", ...sparse81 }),
    ],
    time: "mma",
  },
  {
    op: "HMMA.884",
    does: "one of the steps of d = a * b + c on 8 x 8 x 4",
    slots: "d*2 <- a*2 b*2 c*2",
    lines: [
      {
        as: "RRR=236",
        text: "HMMA.884.F16.F16{.STEP0|.STEP1@79:2}{_|.SATFINITE|...!@77:2} d, -a{.ROW|.COL@73}, -b{.ROW|.COL|...!@74:2}, c",
        is: "76=0",
        sm: "75",
      },
      {
        as: "RRR=236",
        text: "HMMA.884.F32{.F16|.F32@78}{.STEP0|.STEP1|.STEP2|.STEP3@79:2}{_|.SATFINITE@77} d, -a{.ROW|.COL@73}, -b{.ROW|.COL|...!@74:2}, c",
        is: "76=1",
        sm: "75",
      },
    ],
    time: "mma",
  },
  {
    op: "IMMA.8816",
    does: "d = a * b + c on 8 x 8 integer fragments",
    slots: "d*2 <- a b c*2 pin:UP=PT",
    lines: [
      {
        as: "RRR=237",
        text: "IMMA{.8816|...???@75+85}{.U8|.S8|...!@76:2}{.U8|.S8|...???@78:2+84}{_|.SAT@82} d, a{.ROW|...???@73}, b{?|.COL|...???@74}, c",
        is: "83=0",
        sm: "75",
      },
      {
        as: "RRR=237",
        text: "IMMA{?|?|.8832|...???@75+85}{.U4|.S4|...!@76:2}{?|?|?|?|.U4|.S4|...???@78:2+84}{_|.SAT@82} d, a{.ROW|...???@73}, b{?|.COL|...???@74}, c",
        is: "83=1",
        sm: "75",
      },
      ...each(early, "237", `IMMA{.8816|?|.8832@75+85}${nibbles}${sat} ${products}`, { is: "72=0 86=0" }),
      ...each([hopper], "237", `IMMA{.8816|?|?|?@75+85}${bytes}${sat} ${products}`, { is: "72=0 86=0" }),
    ],
    time: "imma",
  },
  {
    op: "IMMA",
    does: "d = a * b + c on 16 x 8 integer fragments",
    slots: "d*4 <- a*imma b*imma/2 c*4 pin:UP=PT",
    // Four-bit products of twice the depth fill the same registers; PTX has no others, and nvdisasm counts one register.
    widths: ".?4 a=1 b=1; .16832.?4.?4 a=2; .16864.?8 a=1 b=1; .16864.?4.?4 a=4 b=2",
    lines: [
      ...each(early, "237", `IMMA{imma}${nibbles}${sat} ${products}`, { is: "72=0 86=1" }),
      ...each([hopper], "237", `IMMA{imma90}${bytes}${sat} ${products}`, { is: "72=0 86=1" }),
      ...each([blackwell, consumer], "237", `IMMA{imma90}${bytes}${sat} ${products}`, { is: "72=0" }),
    ],
    time: "imma",
  },
  {
    op: "IMMA.SP.8832",
    does: "the same with a sparse a",
    slots: "d*2 <- a b*2 c*2 pin:UP=PT e n:I",
    lines: [
      ...each(early, "237", `IMMA.SP{?|?|.8832|.8864|?|?|?|?@75+85:2}${nibbles}${sat} ${products}${en}`, {
        is: "72=1 86=0",
        ...sparse81,
      }),
      ...each([hopper], "237", `IMMA.SP{?|?|.8832@75+85:2}${bytes}${sat} ${products}${en}`, {
        is: "72=1 86=0",
        ...sparse81,
      }),
    ],
    time: "imma",
  },
  {
    op: "IMMA.SP",
    does: "the same with a sparse a",
    slots: "d*4 <- a*imma b*imma c*4 pin:UP=PT e n:I",
    widths: ".?4 a=1 b=2; .16864.?4.?4 a=2 b=2; .168128.?8 a=1 b=2; .168128.?4.?4 a=4 b=4",
    lines: [
      ...each(early, "237", `IMMA.SP{immaS}${nibbles}${sat} ${products}${en}`, { is: "72=1 86=1", ...sparse81 }),
      ...each([hopper], "237", `IMMA.SP{immaS90}${bytes}${sat} ${products}${en}`, { is: "72=1 86=1", ...sparse81 }),
      ...each([blackwell, consumer], "237", `IMMA.SP{immaS90}${bytes}${sat} ${products}${en}`, {
        is: "72=1",
        ...sparse81,
      }),
    ],
    time: "imma",
  },
  ...(["75:2=0", "75:2=1", "75:2=2", "75:2=3"] as const).map(
    (is, i): Row => ({
      op: i === 0 ? "BMMA.88128" : "BMMA",
      does: "d = c + number of ones in a op b, on one-bit fragments",
      slots: [
        "d*2 <- a b c*2 pin:UP=PT",
        "d*4 <- a*2 b c*4 pin:UP=PT",
        "d*4 <- a*4 b*2 c*4 pin:UP=PT",
        "d <- a b c pin:UP=PT",
      ][i]!,
      lines: [
        {
          as: "RRR=23d",
          text: "BMMA{.88128|...???@75:2}{.XOR|...???@77}{?|.POPC|...???@80} d, a{.ROW|...???@73}, b{?|.COL|...???@74}, c",
          is,
          sm: "75",
        },
        ...each(early, "23d", `BMMA{bmma}{.XOR|?|.AND@77:2}{?|.POPC|...???@80} ${products}`, { is }),
        ...each([hopper], "23d", `BMMA{bmma}{?|?|.AND|...???@77:2}{?|.POPC|...???@80} ${products}`, { is }),
      ],
      time: "mma",
    }),
  ),
  {
    op: "QMMA",
    does: "d = a * b + c on fragments of 8-bit floats, from sm_120 on of smaller ones too",
    slots: dense.replaceAll("mma", "qmma"),
    lines: [
      ...each([ada], "27a", `QMMA{qmma}{acc@77}${byteFloats} d, -${row}, -${col}, c@64&pin`, { is: "80=0" }),
      ...each([consumer], "27a", `QMMA{qmma}{acc@77}${smallFloats} ${signed}`, { is: "80=0" }),
    ],
    time: "fixed",
  },
  {
    op: "QMMA.SP",
    does: "the same with a sparse a",
    slots: sparse.replaceAll("mma", "qmma"),
    lines: [
      ...each([ada], "27a", `QMMA.SP{_|.REGOFFSET@81}{qmmaS}{acc@77}${byteFloats} d, -${row}, -${col}, c@64&pin${en}`, {
        is: "80=1",
      }),
      ...each([consumer], "27a", `QMMA.SP{qmmaS}{acc@77}${smallFloats} ${signed}${en}`, { is: "80=1", ...sparse81 }),
    ],
    time: "fixed",
  },
  {
    op: "QMMA.SF",
    ...scaled,
    lines: each([consumer], "47a", `QMMA.SF.16832.F32${smallFloats}.E8 ${signed}, ${scales}`, { is: "80=0" }),
  },
  {
    op: "QMMA.SF.SP",
    ...sparseScaled,
    lines: each([consumer], "47a", `QMMA.SF.SP.16864.F32${smallFloats}.E8 ${signed}, ${scales}, n@48:2`, {
      is: "80=1",
      ...sparse81,
    }),
  },
  {
    op: "OMMA.SF",
    ...scaled,
    does: "d = a * b + c on fragments of 4-bit floats with a scale for each block of a (e) and of b (f); ur says which",
    lines: each([consumer], "47f", `OMMA.SF.16864.F32.E2M1.E2M1{.E8|.UE4M3@82}{.4X|_@83} ${signed}, ${scales}`, {
      is: "80=0",
      hidden: "78:2=!0",
    }),
  },
  {
    op: "OMMA.SF.SP",
    ...sparseScaled,
    lines: each(
      [consumer],
      "47f",
      `OMMA.SF.SP.168128.F32.E2M1.E2M1{.E8|.UE4M3@82}{.4X|_@83} ${signed}, ${scales}, n@48:2`,
      {
        is: "80=1",
        hidden: "81=1; 78:2=!0",
      },
    ),
  },
  {
    op: "DMMA",
    does: "d = a * b + c on f64 fragments",
    slots: "d*8 <- a*dmma b*dmma/2 c*8 pin:UP=PT",
    lines: [
      ...each([hopper], "23f", `DMMA{dmma}{rnd} ${doubles}`, { is: "76=1" }),
      ...each([hopper], "23f", `DMMA{dmma}{rnd} ${doubles}`, { is: "77=1" }),
    ],
    time: "result",
  },
  {
    op: "DMMA.8x8x4",
    does: "the same on 8 x 8 x 4",
    slots: "d*4 <- a*2 b*2 c*4 pin:UP=PT",
    lines: [
      ...each(early, "23f", `DMMA{.884|...???@76}{rnd} ${doubles}`),
      ...each([hopper], "23f", `DMMA{.8x8x4|?|?|?@76:2}{rnd} ${doubles}`, { is: "76:2=0" }),
      ...each([blackwell], "23f", `DMMA{.8x8x4|?|?|?@76:2}{rnd} ${doubles}`),
      ...each([consumer], "23f", `DMMA{.8x8x4|?|?|?@76:2}{rnd} ${doubles.replace("%123", "")}`),
    ],
    time: "result",
  },
  {
    op: "MOVM",
    does: "d = a transposed between lanes",
    slots: "d*mt <- a",
    lines: [
      { as: "23a", text: "MOVM{.16|~|~|~|~@75:3}{mt} d, a@24", sm: "-90" },
      { as: "23a", text: "MOVM{.16|.U4TO8|~|~|~@75:3}{mt} d, a@24", sm: "100-" },
    ],
    time: "result",
  },
  {
    op: "LDSM",
    does: "d = 8 x 8 matrices in shared memory, a row address per lane",
    slots: "d*lds <- base ur:UR=none off:I=0",
    widths: ".MT1616 d*2; .MT1616.4 d=1",
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
      {
        as: "844",
        text: "STSM{.16|...???@75}{.M88|.MT88|.M88|.MT88@78:2}{lds} [base@24+off@40:24ss], data@32",
        sm: "90",
      },
      {
        as: "844u",
        text: "STSM{.16|...???@75}{.M88|.MT88|.M88|.MT88@78:2}{lds} [base@24+ur@64+off@40:24ss], data@32",
        sm: "90",
      },
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
