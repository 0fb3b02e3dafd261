/** Random modules (generate.ts) as PTX, and what they are given. */
import { random } from "../../corpus/random.js";
import { type Helper, type RandomModule, type Shape, type Statement, shapes, signature } from "./generate.js";
import { accumulators, INTEGERS, OWN, PART, ROW } from "./memory.js";
import { counts, type File, types } from "./operations.js";

export const THREADS = 64;
const files = Object.keys(counts) as File[];

/** Statements as text; `MASK` becomes the register that holds the mask of those who are together. */
function render(list: readonly Statement[]): string {
  return list
    .map((s) => s.parts.map((p, i) => (i === 0 ? p : `${render(s.children[i - 1]!)}\n${p}`)).join("\n"))
    .join("\n")
    .replaceAll("MASK", "%mask");
}

const declarations = `${files.map((f) => `.reg .${types[f]} %${f}<${counts[f]}>;`).join("\n")}
.reg .b32 %l<5>, %u<5>, %m<3>, %t, %t2, %me, %ln, %mask, %depth, %turns;
.reg .b64 %a, %a2, %mine, %loc, %locg, %own, %owng, %acc, %part, %wpart, %result;
.reg .b16 %th, %th2;
.reg .pred %z1, %z2;
.local .align 16 .b8 stack[64];`;

/** What the kernel and every function begin with; %mine is there. */
const places = `mov.u32 %me, %tid.x;
mov.u32 %ln, %laneid;
mov.b32 %mask, -1;
mov.pred %z2, 0;
mov.u64 %loc, stack;
cvta.local.u64 %locg, %loc;
mov.u64 %own, own;
mul.wide.u32 %a, %me, ${OWN};
add.u64 %own, %own, %a;
cvta.shared.u64 %owng, %own;
mov.u64 %part, exchange;
mov.u64 %wpart, wexchange;
mul.wide.u32 %a, %me, ${PART};
add.u64 %part, %part, %a;
add.u64 %wpart, %wpart, %a;
mov.u64 %acc, accumulators;
cvta.global.u64 %acc, %acc;
st.local.v4.b32 [%loc], {%r0, %r1, %r2, %r3};
st.local.v4.b32 [%loc+16], {%r4, %r5, %r6, %r7};
st.local.v4.b32 [%loc+32], {%r7, %r2, %r1, %r5};
st.local.v2.b64 [%loc+48], {%d0, %d1};`;

/** The registers that are made of the eight words. */
const derived = [
  ...Array.from({ length: counts.d }, (_, i) => `mov.b64 %d${i}, {%r${2 * i}, %r${2 * i + 1}};`),
  ...Array.from({ length: counts.g }, (_, i) => `cvt.f64.f32 %g${i}, %f${i};`),
  ...Array.from({ length: counts.h }, (_, i) => `cvt.u16.u32 %h${i}, %r${i};`),
  ...Array.from(
    { length: counts.q },
    (_, i) => `cvt.rn.f16.f32 %th, %f${i}; cvt.rn.f16.s32 %th2, ${i + 3}; mov.b32 %q${i}, {%th, %th2};`,
  ),
  ...Array.from({ length: counts.p }, (_, i) => `setp.lt.s32 %p${i}, %r${i}, %r${i + 1};`),
].join("\n");

const argument: Readonly<Record<Shape, string>> = {
  words: "ld.param.b32 %r0, [in_a0]; ld.param.b32 %r1, [in_a1];",
  wide: "ld.param.b64 %d0, [in_a0]; mov.b64 {%r0, %r1}, %d0; ld.param.f32 %f0, [in_a1]; cvt.rzi.s32.f32 %r2, %f0; xor.b32 %r0, %r0, %r2; ld.param.b16 %h0, [in_a2]; cvt.u32.u16 %r2, %h0; add.u32 %r1, %r1, %r2;",
  struct:
    "ld.param.v2.b32 {%r0, %r1}, [in_a0]; ld.param.b64 %d0, [in_a0+8]; cvt.u32.u64 %r2, %d0; xor.b32 %r0, %r0, %r2; ld.param.b8 %r2, [in_a0+17]; add.u32 %r1, %r1, %r2; ld.param.v4.b8 {%h0, %h1, %h2, %th}, [in_a0+16]; cvt.u32.u16 %r2, %h2; add.u32 %r0, %r0, %r2; ld.param.b32 %r2, [in_a0+20]; sub.u32 %r1, %r1, %r2;",
  nothing: "ld.param.b32 %r0, [in_a0]; not.b32 %r1, %r0;",
};

const mixed =
  "xor.b32 %r0, %r0, %r3; add.u32 %r0, %r0, %r4; xor.b32 %r1, %r1, %r5; add.u64 %d0, %d0, %d1; xor.b64 %d0, %d0, %d2;";
const returned: Readonly<Record<Shape, string>> = {
  words: `${mixed}\nadd.u32 %r0, %r0, %r1;\nst.param.b32 [in_back], %r0;`,
  wide: `${mixed}\nst.param.b64 [in_back], %d0;`,
  struct: `${mixed}\nst.param.v2.b32 [in_back+8], {%r0, %r1};\nst.param.b64 [in_back], %d0;`,
  nothing: "st.b32 [%mine+4], %r2;\nst.b32 [%mine+16], %r6;",
};

function head(shape: Shape, name: string): string {
  const { declared, back } = signature(shape, "in_");
  const formal = declared.replace(/;$/, "").replaceAll(";\n", ", ");
  return `.func ${back === "" ? "" : `(.param ${back}) `}${name}(${formal})`;
}

const prototypes = shapes
  .map(
    (shape) =>
      `proto_${shape}: ${head(shape, "_")
        .replace(".func", ".callprototype")
        .replace(/\bin_\w+\b/g, "_")};`,
  )
  .join("\n");

function functionText(helper: Helper, k: number): string {
  return `${head(helper.shape, `f${k}`)}
{
${declarations}
${prototypes}
ld.param.b32 %depth, [in_depth];
ld.param.b64 %mine, [in_mine];
${argument[helper.shape]}
${Array.from({ length: counts.r - 2 }, (_, i) => `mad.lo.u32 %r${i + 2}, %r${i}, ${i * 2654 + 7}, %r${i + 1};`).join("\n")}
${Array.from({ length: counts.f }, (_, i) => `shr.s32 %t, %r${i}, ${8 + 3 * i}; cvt.rn.f32.s32 %f${i}, %t; mul.rn.f32 %f${i}, %f${i}, 0f3C23D70A;`).join("\n")}
${derived}
${places}
${render(helper.body)}
LEAVE:
${returned[helper.shape]}
ret;
}`;
}

const RESULTS = files
  .filter((f) => f !== "p")
  .flatMap((f) => Array.from({ length: counts[f] }, (_, i) => [f, i] as const));
/** 64-bit words that a thread writes at the end: its registers, and its predicates in one. */
export const RESULT_WORDS: number = RESULTS.length + 1;

function resultText(): string {
  const out = RESULTS.map(([f, i], k) => {
    if (f === "h") return `cvt.u32.u16 %t, %h${i}; st.global.u32 [%result+${8 * k}], %t;`;
    return `st.global.b${f === "d" || f === "g" ? 64 : 32} [%result+${8 * k}], %${f}${i};`;
  });
  const predicates = Array.from(
    { length: counts.p },
    (_, i) => `selp.u32 %t, ${1 << i}, 0, %p${i}; or.b32 %t2, %t2, %t;`,
  );
  return [...out, "mov.u32 %t2, 0;", ...predicates, `st.global.u32 [%result+${8 * RESULTS.length}], %t2;`].join("\n");
}

const hex = (v: bigint): string => `0x${v.toString(16)}`;
const tableBytes = Array.from({ length: 64 }, (_, i) => (i * 37 + 11) & 255).join(", ");

export function moduleText(module: RandomModule, target: string): string {
  const names = module.helpers.map((_, k) => `f${k}`).join(", ");
  const tables =
    names === ""
      ? ""
      : `.global .align 8 .u64 gFTABLE[${module.helpers.length}] = {${names}};\n.const .align 8 .u64 cFTABLE[${module.helpers.length}] = {${names}};`;
  return `.version 9.0
.target ${target}
.address_size 64
.const .align 16 .b8 TABLE[64] = {${tableBytes}};
.global .align 8 .u64 accumulators[${accumulators.length}] = {${accumulators.map((a) => hex(a.start)).join(", ")}};
.shared .align 16 .b8 own[${THREADS * OWN}];
.shared .align 16 .b8 exchange[${THREADS * PART}];
.shared .align 16 .b8 wexchange[${THREADS * PART}];
.shared .align 8 .b8 sacc[${8 * accumulators.length}];
${module.helpers.map((h, k) => `${head(h.shape, `f${k}`)};`).join("\n")}
${tables}
${module.helpers.map(functionText).join("\n")}
.visible .entry k(.param .u64 cells, .param .u64 out, .param .u64 sums, .param .u32 flags, .param .u32 turns)
{
${declarations}
${prototypes}
.reg .b64 %sums;
ld.param.u64 %mine, [cells];
ld.param.u64 %result, [out];
ld.param.u64 %sums, [sums];
ld.param.u32 %turns, [turns];
mov.u32 %t, %tid.x;
mad.wide.u32 %mine, %t, ${ROW}, %mine;
mad.wide.u32 %result, %t, ${8 * RESULT_WORDS}, %result;
mov.b32 %depth, 2;
${Array.from({ length: counts.r }, (_, i) => `ld.global.u32 %r${i}, [%mine+${4 * i}];`).join("\n")}
${Array.from({ length: counts.f }, (_, i) => `ld.global.f32 %f${i}, [%mine+${INTEGERS + 4 * i}];`).join("\n")}
${derived}
${places}
st.shared.v4.b32 [%own], {%r4, %r5, %r6, %r7};
st.shared.v4.b32 [%own+16], {%r0, %r1, %r2, %r3};
setp.ne.u32 %z1, %me, 0;
@%z1 bra READY;
${accumulators.map((a, i) => `st.shared.u64 [sacc+${8 * i}], ${hex(a.start)};`).join("\n")}
READY:
bar.sync 0;
${render(module.body)}
bar.sync 0;
${resultText()}
setp.ge.u32 %z1, %me, ${accumulators.length};
@%z1 bra END;
mul.wide.u32 %a, %me, 8;
mov.u64 %a2, sacc;
add.u64 %a2, %a2, %a;
ld.shared.u64 %a2, [%a2];
add.u64 %sums, %sums, %a;
st.global.u64 [%sums], %a2;
add.u64 %acc, %acc, %a;
atom.or.b64 %a2, [%acc], 0;
st.global.u64 [%sums+${8 * accumulators.length}], %a2;
END:
ret;
}
`;
}

/** What the kernel gets, in buffers of its own. */
export interface Inputs {
  readonly cells: Uint32Array;
  readonly out: Uint32Array;
  readonly sums: Uint32Array;
  readonly flags: number;
  readonly turns: number;
}

export function inputsOf(seed: number): Inputs {
  const { below, u32 } = random(seed + 17);
  const cells = new Uint32Array((THREADS * ROW) / 4);
  const view = new DataView(cells.buffer);
  const odd = [0, -0, Infinity, -Infinity, 1, 2 ** -126, 2 ** -140, 3.4e38];
  const float = (): number => (below(6) === 0 ? odd[below(odd.length)]! : (below(20001) - 10000) / (1 + below(500)));
  for (let t = 0; t < THREADS; t++) {
    const row = t * ROW;
    for (let i = 0; i < INTEGERS; i += 4) view.setUint32(row + i, u32() >>> below(32), true);
    for (let i = INTEGERS; i < INTEGERS + 16; i += 4) view.setFloat32(row + i, float(), true);
    for (let i = INTEGERS + 16; i < ROW; i += 8) view.setFloat64(row + i, float(), true);
  }
  return {
    cells,
    out: new Uint32Array(2 * THREADS * RESULT_WORDS),
    sums: new Uint32Array(4 * accumulators.length),
    flags: below(256),
    turns: 1 + below(4),
  };
}
