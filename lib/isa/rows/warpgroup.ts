/**
 * Matrix multiplication by a warp group on sm_90: operands in shared memory after descriptors (gdesc), the accumulator
 * spread over the registers of four warps, results counted on a group scoreboard (gsb0).
 */
import { type Line, type Rows, shared } from "../row.js";

const step8 = Array.from({ length: 32 }, (_, i) => 8 * (i + 1));
const step16 = [8, 16, 24, ...step8.filter((n) => n >= 32 && n % 16 === 0)];

/** Shapes of depth k from code `from` on, `every` codes apart: `0=.64x8x16/16|1=.64x16x16/32…`, bytes of accumulator per thread. */
function shapes(ns: readonly number[], k: number, bytesPerColumn: number | null, from = 0, every = 1): string {
  return ns
    .map((n, i) => `${from + i * every}=.64x${n}x${k}/${bytesPerColumn === null ? 8 : n * bytesPerColumn}`)
    .join("|");
}

const end = "c@64, !pin@^87?, ";
const sb = "sb{gsb0|7=_|...I@84:3}?";

interface Sources {
  /** Both factors in shared memory; the first in registers. */
  readonly shared: string;
  readonly mixed: string;
}

/** The two opcodes of a kind of product for one list of shapes. */
function lines(op: string, code: string, head: string, from: Sources, is: string, sp: boolean): Line[] {
  const rest = `${end}${sp ? `e@40, n@48:2${code === "f0" ? "" : "?"}, ` : ""}${sb}`;
  const name = sp ? `${op}.SP{_|.REGOFFSET@74}` : op;
  const both = is === "" ? "" : is;
  return [
    { as: `9${code}u`, text: `${name}${head} d, ${from.shared}, ${rest}`, is: both, sm: "90" },
    { as: `d${code}u`, text: `${name}${head} d, ${from.mixed}, ${rest}`, is: both, sm: "90" },
  ];
}

const denseSlots = "d*size <- a*4=none ua:UR*4=none ub:UR*4=none c*size pin:UP=PT sb:WORD=7";
const sparseSlots = "d*size <- a*4=none ua:UR*4=none ub:UR*4=none c*size pin:UP=PT e n:I=0 sb:WORD=7";

const halfSources: Sources = {
  shared: "gdesc[ua@24]{_|.negA@72}{_|.negB@63}{_|.tnspA@61}{_|.tnspB@62}",
  mixed: "-a@24, gdesc[ub@32]{_|.negB@63}{_|.tnspB@62}",
};
const byteSources: Sources = {
  shared: "gdesc[ua@24]{_|.negA@72}{_|.negB@63}",
  mixed: "-a@24, gdesc[ub@32]{_|.negB@63}",
};
const plainSources: Sources = { shared: "gdesc[ua@24]", mixed: "a@24, gdesc[ub@32]" };

/** Depth that goes with tf32; nvdisasm counts two registers for it beside .F16 (there is no such product). */
const tf32Depth = (sp: boolean): number => (sp ? 16 : 8);

/** f16 and f32 accumulators, and the depths that go with the element types, from a code of the shape on. */
function half(sp: boolean, depths: readonly (readonly [k: number, from: number])[]): Line[] {
  return ([".F16", ".F32"] as const).flatMap((acc, i) =>
    lines(
      "HGMMA",
      "f0",
      `{${depths.map(([k, from]) => shapes(step8, k, i === 0 && k === tf32Depth(sp) ? null : i + 1, from)).join("|")}@53:7}${acc}{_|.BF16|.TF32|~@76:2}`,
      halfSources,
      `73=${sp ? 1 : 0} 75=${i}`,
      sp,
    ),
  );
}

function bytes(sp: boolean, k: number, from: number): Line[] {
  return ([".F16", ".F32"] as const).flatMap((acc, i) =>
    lines(
      "QGMMA",
      "f3",
      `{${shapes(step8, k, i + 1, from)}@53:6}${acc}{.E4M3|.E5M2@76}{.E4M3|.E5M2@77}`,
      byteSources,
      `73=${sp ? 1 : 0} 75=${i}`,
      sp,
    ),
  );
}

const integerTypes = "{.U8|.S8@76:2}{.U8|.S8@82:2}{_|.SAT@75}";

export const warpgroupRows: Rows = shared({ effect: true, time: "fixed", decoupled: true }, [
  {
    op: "HGMMA",
    does: "d = a * b + c on f16, bf16 or tf32",
    slots: denseSlots,
    lines: half(false, [
      [16, 0],
      [8, 32],
    ]),
  },
  {
    op: "HGMMA.SP",
    does: "the same with a sparse a",
    slots: sparseSlots,
    lines: half(true, [
      [16, 0],
      [32, 64],
    ]),
  },
  {
    op: "QGMMA",
    does: "d = a * b + c on 8-bit floats",
    slots: denseSlots,
    lines: bytes(false, 32, 0),
  },
  {
    op: "QGMMA.SP",
    does: "the same with a sparse a",
    slots: sparseSlots,
    lines: bytes(true, 64, 32),
  },
  {
    op: "IGMMA",
    does: "d = a * b + c on 8-bit integers",
    slots: denseSlots,
    lines: lines("IGMMA", "f1", `{${shapes(step16, 32, 2, 0, 3)}@53:6}${integerTypes}`, plainSources, "73=0", false),
  },
  {
    op: "IGMMA.SP",
    does: "the same with a sparse a",
    slots: sparseSlots,
    lines: lines("IGMMA", "f1", `{${shapes(step16, 64, 2, 1, 3)}@53:6}${integerTypes}`, plainSources, "73=1", true),
  },
  {
    op: "BGMMA",
    does: "d = c + number of ones in a and b",
    slots: denseSlots,
    lines: lines(
      "BGMMA",
      "f2",
      `{${shapes(step16, 256, 2)}@53:6}{?|?|.AND|...???@77:2}{?|.POPC|...???@80}`,
      plainSources,
      "",
      false,
    ),
  },
  {
    op: "WARPGROUP",
    does: "fence of the warp group before and after its products",
    slots: "<-",
    // .WAIT and .DEPBAR wait for no scoreboard.
    lines: [{ as: "9c5", text: "WARPGROUP{.ARRIVE|.WAIT@79}", is: "80=0", not: "79=1 116:6=!0", sm: "90" }],
  },
  {
    op: "WARPGROUP.DEPBAR",
    does: "wait until at most n groups of products are in flight",
    slots: "<- sb:WORD n:I",
    lines: [
      {
        as: "9c5",
        text: "WARPGROUP.DEPBAR{?|.LE|...???@47} sb{gsb0|...?@84:3}, n@72:3",
        is: "80=1",
        not: "79=1; 116:6=!0",
        sm: "90",
      },
    ],
  },
  {
    op: "WARPGROUPSET.AC",
    does: "sets the count of the warp group's accumulators",
    slots: "<- b:UR",
    lines: [{ as: "d5eu", text: "WARPGROUPSET.AC b@32", is: "79=0", sm: "90" }],
    decoupled: false,
  },
  {
    op: "WARPGROUPSET.SB",
    does: "sets the group scoreboard",
    slots: "<- b:UR sb:WORD",
    lines: [{ as: "d5eu", text: "WARPGROUPSET.SB b@32, sb{gsb0|...?@84:3}", is: "79=1", sm: "90" }],
    decoupled: false,
  },
]);
