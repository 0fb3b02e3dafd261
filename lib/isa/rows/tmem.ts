/**
 * Tensor memory of sm_100: loads and stores of a warp's part, copies into it, and products of whole CTAs whose operands
 * are in shared memory (gdesc) or tensor memory (tmem). idesc is the register after the accumulator's address.
 */
import type { Line, Row, Rows } from "../row.js";

const keepA = "{_|.A_REUSE@86}{_|.A_KEEP@84}";
const lanes = "{dp}{times}";

const keepB = "{_|.B_REUSE@82}{_|.B_KEEP@81}{_|.BUFFER1|.BUFFER2|.BUFFER3@79:2}";

/**
 * Both ways to give a (descriptor or tensor memory), without and with the help of a second CTA (which hides what is said
 * of b). `shift` is the bit of .ASHIFT, `tail` the operands after idesc.
 */
function products(op: string, is: string, tail: string, shift: number, sm = "100-110"): Line[] {
  return (["5eau", "9eau"] as const).flatMap((as, inTensor) =>
    [0, 1].map((two): Line => {
      const a = inTensor ? "tmem[t@24]" : "gdesc[a@24]";
      const head = `${op}${two ? ".2CTA" : ""}{_|.WS@83}${inTensor && shift ? `{_|.ASHIFT@${shift}}` : ""}`;
      const text = `${head} ${a}${keepA}, gdesc[b@32]${two ? "" : keepB}, tmem[d@64], tmem[e@40], idesc[e+1], ${tail}`;
      return { as, text, is: `${is} 85=${two}`, sm };
    }),
  );
}

/** Factors with scales, which are in tensor memory at s. */
function scaled(op: string, as: readonly [string, string], four: string, more: Omit<Line, "as" | "text">): Line[] {
  return as.map((code, i): Line => {
    const a = i === 0 ? "gdesc[a@24]" : "tmem[t@24]";
    return {
      as: code,
      text: `${op}{_|.2CTA@85}${four} ${a}${keepA}, gdesc[b@32], tmem[d@64], tmem[e@40], idesc[e+1], tmem[s@48], !pin@87`,
      ...more,
    };
  });
}

const product: Omit<Row, "op" | "does" | "lines"> = {
  slots: "<- a:UR*2=none t:UR=none b:UR*2 d:UR e:UR*2 c:UR*4=URZ s:UR*2=none pin:UP n:I=0",
  widths: ".WS c=2; .2CTA c=8",
  effect: true,
  time: "operands",
};

const rows: Rows = [
  {
    op: "LDTM",
    does: "d = tensor memory: rows (data path lanes) of so many bits, repeated",
    slots: "d*times <- a:UR off:I=0",
    // Keeps its place among stores and products, which no other row says.
    effect: true,
    widths: ".16dp128bit d*2; .16dp256bit d*4; .16dp128bit.x128 d=1; .16dp256bit.x64 d=1; .16dp256bit.x128 d=1",
    lines: [{ as: "9eeu", text: `LDTM${lanes}{_|.PACK16BIT@80} d, tmem[a@32?+off@40:24+72:8ss]`, sm: "100-110" }],
    time: "write",
    sets: "write",
  },
  {
    op: "LDTM.STAT",
    does: "the same; e = least or greatest of what was loaded",
    slots: "d*times e <- a:UR off:I=0",
    lines: [
      {
        as: "5eeu",
        text: `LDTM.STAT{?|?|_|?|.16dp32bit_t0_t15|.16dp32bit_t16_t31@81:2+87}{times2}{.MAX|.MAXABS|.MIN|.MINABS@66:2}{_|.S32|.F32@64:2}{_|.NAN@68} e@24, d@16, tmem[a@32?+off@40:24+72:8ss]`,
        sm: "103-110",
      },
    ],
    time: "write",
    sets: "write",
  },
  {
    op: "STTM",
    does: "tensor memory = data",
    slots: "<- a:UR off:I=0 data*times",
    widths:
      ".16dp128bit data*2; .16dp256bit data*4; .16dp128bit.x128 data=1; .16dp256bit.x64 data=1; .16dp256bit.x128 data=1",
    effect: true,
    lines: [
      { as: "9edu", text: `STTM${lanes}{_|.EXPAND16BIT@80} tmem[a@64?+off@40:24+72:8ss], data@32`, sm: "100-110" },
    ],
    time: "operands",
  },
  {
    op: "UTCCP",
    does: "copy shared memory into tensor memory",
    slots: "<- a:UR off:I=0 b:UR*2",
    effect: true,
    lines: [
      {
        as: "9e7u",
        text: "UTCCP{.T|...???@86}{.S|...???@87}{_|.2CTA@85}{_|?|.4dp256bit|.128dp128bit|.2x64dp128bit_lw02_lw13|.2x64dp128bit_lw01_lw23|.4x32dp128bit@83:2+88}{_|.U4x16P64|.U6x16P32@80:2} tmem[a@24?+off@40:24+72:8ss], gdesc[b@32]",
        sm: "100-110",
      },
    ],
    time: "operands",
    sets: "any",
  },
  {
    op: "UTCBAR",
    does: "arrive at a barrier when the products before it are done (b: its address, c: CTAs)",
    slots: "<- a:UR b:UR c:UR=URZ",
    effect: true,
    lines: [
      {
        as: "3e9u",
        text: "UTCBAR{_|.WAKEUP|.A0TX|.A0TX.WAKEUP|.2CTA|.2CTA|.2CTA.A0TX|.2CTA.A0TX@76:2+85}{_|.MULTICAST@75} [a@24], b@32, c@64?",
        sm: "100-110",
      },
    ],
    time: "operands",
  },
  {
    op: "UTCBAR.FLUSH",
    does: "wait for the arrivals before it",
    slots: "<-",
    effect: true,
    lines: [{ as: "9e9", text: "UTCBAR{_|...???@85}.FLUSH", sm: "100-110" }],
    time: "operands",
    sets: "write",
  },
  {
    op: "UTCATOMSWS",
    does: "allocate tensor memory: find free columns, compare and swap, and, or on the word that says which are taken",
    slots: "p:UP=none d:UR <- b:UR c:UR=none",
    widths: ".2CTA d=2 b=2 c=2; .FIND_AND_SET d=1 b=1",
    effect: true,
    lines: [
      { as: "3e3u", text: "UTCATOMSWS{_|.2CTA@85}.CAS p@81, d@16, b@32, c@64", sm: "100-110" },
      { as: "5e3u", text: "UTCATOMSWS{_|.2CTA@85}.FIND_AND_SET{_|.ALIGN@75} p@81, d@16, b@32", sm: "100-110" },
      { as: "9e3u", text: "UTCATOMSWS{_|.2CTA@85}{.AND|.OR@87} d@16, b@32", sm: "100-110" },
    ],
    time: "result",
  },
  {
    op: "UTCHMMA",
    does: "tensor memory at d = a * b (+ d if pin) on f16, bf16 or tf32; c: lanes left out, n: exponent of a scale of d",
    ...product,
    lines: products("UTCHMMA", "63=0 72:2=0", "c@48?, !pin@87, n@75:4?", 74),
  },
  {
    op: "UTCIMMA",
    does: "the same on 8-bit integers",
    ...product,
    lines: products("UTCIMMA", "63=0 72:2=1", "c@48?, !pin@87", 74, "100,110"),
  },
  {
    op: "UTCQMMA",
    does: "the same on 8-, 6- and 4-bit floats (s: scales in tensor memory)",
    ...product,
    lines: [
      ...products("UTCQMMA", "63=0 72:2=3", "c@48?, !pin@87", 74),
      ...scaled("UTCQMMA", ["deau", "feau"], "", { is: "63=0 72:2=3", sm: "100" }),
      ...scaled("UTCQMMA", ["deau", "feau"], "", { fill: "63=0 72:2=3", sm: "103-110" }),
    ],
  },
  {
    op: "UTCOMMA",
    does: "the same on 4-bit floats with scales",
    ...product,
    lines: [
      ...scaled("UTCOMMA", ["5eau", "9eau"], "{.4X|_@62}", { is: "63=1 72:2=0", sm: "100,110" }),
      ...scaled("UTCOMMA", ["5eau", "9eau"], "{.BLOCK16|_@62}", { is: "63=1 72:2=0", sm: "103" }),
    ],
  },
  {
    op: "UTCSHIFT",
    does: "shift rows of tensor memory down",
    slots: "<- a:UR off:I=0",
    effect: true,
    lines: [
      { as: "9e6u", text: "UTCSHIFT{_|.2CTA@85}{?|.DOWN|...???@80} tmem[a@24?+off@40:24+72:8ss]", sm: "100-110" },
    ],
    time: "operands",
    sets: "any",
  },
];

export const tmemRows: Rows = rows.map((row) => ({ guard: "UP", ...row }));
