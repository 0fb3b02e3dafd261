/** What plain JavaScript says of folded operations and conversions, against the simulator, on edges and random operands. */
import { link } from "../../lib/elf/index.js";
import { form } from "../../lib/isa/form.js";
import { lower } from "../../lib/lower/index.js";
import { newInst } from "../../lib/ori/func.js";
import { clone, imm, register } from "../../lib/ori/operand.js";
import { slotDefault } from "../../lib/ori/slots.js";
import { File, type Func, Kind, type Operand } from "../../lib/ori/types.js";
import { runPhases } from "../../lib/phases/index.js";
import { parse } from "../../lib/ptx/index.js";
import { unwrap } from "../../lib/result.js";
import { conversions } from "../../lib/rules/conversions.js";
import { evaluations } from "../../lib/rules/evaluate.js";
import { encodeFunc } from "../../lib/sass/index.js";
import { simulate } from "../../lib/sim/index.js";
import type { TargetName } from "../../lib/target/index.js";
import { operandRows } from "../../tools/rules/samples.js";

const ROWS = 2048;
/** Sources that only literals can be, by form and place; the rows of truth tables have a test of their own (test/phases/rules.test.ts). */
const literals: Readonly<Record<string, readonly [at: number, value: number]>> = {
  "LOP3.LUT": [3, 0x6a],
  LEA: [2, 5],
};

const frame = (target: string): string => `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 i, l, u, r; .reg .b64 z, o, g; .reg .b32 w<3>;
  ld.param.u64 z, [in]; ld.param.u64 o, [out]; mov.u32 i, %ctaid.x; mov.u32 l, %ntid.x; mov.u32 u, %tid.x; mad.lo.u32 i, i, l, u;
  mul.wide.u32 g, i, 32; add.u64 z, z, g; mul.wide.u32 g, i, 4; add.u64 o, o, g;
  ld.global.u32 w0, [z]; ld.global.u32 w1, [z+4]; ld.global.u32 w2, [z+8];
  mov.u32 r, 0x5eed; st.global.u32 [o], r;
  ret;
}`;

/** What the instruction makes of the first words of each row. */
function machine(name: string, target: TargetName, operands: Uint32Array): Uint32Array {
  const program = unwrap(lower(unwrap(parse(frame(target))), { target }));
  const func = program.funcs[0] as Func;
  const named = (word: string): number => {
    for (let v = 0; v < func.values.count; v++) if (func.values.name(v).replace(/^%/, "") === word) return v;
    throw new Error(`no ${word}`);
  };
  for (const block of func.blocks) {
    const at = block.insts.findIndex((i) => i.srcs[0]?.kind === Kind.Imm && i.srcs[0].value === 0x5eed);
    if (at < 0) continue;
    const f = form(name);
    let word = 0;
    const srcs = f.srcs.map((s) => {
      if (s.file === File.P) return slotDefault(s);
      const [at, value] = literals[name] ?? [-1, 0];
      if (at === word) return imm(value);
      return register(File.R, named(`w${word++}`));
    });
    const dsts = f.dsts.map((s, k) =>
      k === f.dsts.findIndex((d) => d.file === File.R) ? register(File.R, named("r")) : slotDefault(s),
    );
    block.insts[at] = newInst(func, f, dsts.map(clone), srcs);
  }
  unwrap(runPhases(func, { level: 0 }));
  const out = new Uint32Array(ROWS);
  const cubin = unwrap(link([encodeFunc(func)], program));
  const ran = unwrap(simulate(cubin, { kernel: "k", grid: ROWS / 128, block: 128, params: [operands, out] }));
  if (ran.fault !== null) throw new Error(ran.fault.message);
  return out;
}

/** Operands of which the second and third are often small, as widths and distances are. */
function operandsFor(name: string): Uint32Array {
  const rows = operandRows(ROWS, 5);
  for (let n = 0; n < ROWS; n++) {
    if (n % 2 === 0) rows[8 * n + 1] = rows[8 * n + 1]! % 36;
    // Shifts to one side take no other word in.
    if (n % 4 < 2) rows[8 * n + (name.startsWith("SHF.R") ? 0 : 2)] = 0;
    if (name === "BMSK") rows[8 * n] = rows[8 * n]! % 36;
  }
  return rows;
}

test.each(Object.keys(evaluations))("%s", (name) => {
  const operands = operandsFor(name);
  const made = machine(name, "sm_90", operands);
  const evaluate = evaluations[name]!;
  let folded = 0;
  for (let n = 0; n < ROWS; n++) {
    const words = [...operands.subarray(8 * n, 8 * n + 3)];
    const [at, value] = literals[name] ?? [4, 0];
    words[at] = value;
    const said = evaluate(words);
    if (said === null) continue;
    folded++;
    expect([words, said]).toEqual([words, made[n]]);
  }
  expect(folded).toBeGreaterThan(ROWS / 16);
});

const pairs = (target: string): string => `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 i, l, u; .reg .b64 z, o, g, p, q;
  ld.param.u64 z, [in]; ld.param.u64 o, [out]; mov.u32 i, %ctaid.x; mov.u32 l, %ntid.x; mov.u32 u, %tid.x; mad.lo.u32 i, i, l, u;
  mul.wide.u32 g, i, 32; add.u64 z, z, g; mul.wide.u32 g, i, 8; add.u64 o, o, g;
  ld.global.u64 p, [z];
  mov.u64 q, 0x5eed; st.global.u64 [o], q;
  ret;
}`;

/** The words that a conversion of the first one or two words of each row makes, two a row; of one the second is 0. */
function converted(name: string, target: TargetName, operands: Uint32Array): Uint32Array {
  const { from, to } = conversions[name]!;
  const program = unwrap(lower(unwrap(parse(pairs(target))), { target }));
  const func = program.funcs[0] as Func;
  const named = (word: string, width: number): Operand => {
    for (let v = 0; v < func.values.count; v++)
      if (func.values.name(v).replace(/^%/, "") === word) return register(File.R, v, width);
    throw new Error(`no ${word}`);
  };
  for (const block of func.blocks) {
    const at = block.insts.findIndex((i) => i.srcs[0]?.kind === Kind.Imm && i.srcs[0].value === 0x5eed);
    if (at < 0) continue;
    const f = form(name);
    const srcs = f.srcs.map((s, k) => (k === 0 ? named("p", from) : slotDefault(s)));
    // The upper half of q is set after it.
    block.insts.splice(at, to, newInst(func, f, [named("q", to)], srcs));
  }
  unwrap(runPhases(func, { level: 0 }));
  const out = new Uint32Array(2 * ROWS);
  const cubin = unwrap(link([encodeFunc(func)], program));
  const ran = unwrap(simulate(cubin, { kernel: "k", grid: ROWS / 128, block: 128, params: [operands, out] }));
  if (ran.fault !== null) throw new Error(ran.fault.message);
  return out;
}

/** Numbers of which integers can be made, besides those of all sizes. */
function numbersFor(name: string): Uint32Array {
  const rows = operandRows(ROWS, 6);
  const doubles = new DataView(rows.buffer);
  if (name.startsWith("I2F")) return rows;
  for (let n = 0; n < ROWS; n += 2) {
    const x = (rows[8 * n]! - 2 ** 31) * 2 ** ((rows[8 * n + 1]! % 80) - 40);
    if (conversions[name]!.from === 2) doubles.setFloat64(32 * n, x, true);
    else doubles.setFloat32(32 * n, x, true);
  }
  return rows;
}

test.each(Object.keys(conversions))("%s", (name) => {
  const operands = numbersFor(name);
  const made = converted(name, name.startsWith("I2FP") ? "sm_90" : "sm_75", operands);
  let folded = 0;
  for (let n = 0; n < ROWS; n++) {
    const words = [operands[8 * n]!, operands[8 * n + 1]!] as const;
    const said = conversions[name]!.convert(...words);
    if (said === null) continue;
    folded++;
    const result = BigInt(made[2 * n]!) | (BigInt(made[2 * n + 1]!) << 32n);
    // What the machine approximates may be a unit or two in the last place away.
    const off = said > result ? said - result : result - said;
    expect([words, off <= (name.startsWith("MUFU") ? 2n : 0n)]).toEqual([words, true]);
  }
  expect(folded).toBeGreaterThan(ROWS / 16);
});
