/**
 * What ptxas computes by itself: the instruction kernels with literal operands, whose results it folds into constants. A second source
 * for what an instruction means, beside the machine code that it chooses.
 */
import { readCubin } from "../../lib/elf/index.js";
import { Kind, type MachineInst } from "../../lib/isa/operand.js";
import { unwrap } from "../../lib/result.js";
import { decodeCode } from "../../lib/sass/index.js";
import { target } from "../../lib/target/index.js";
import { BLOCK } from "./instruction-inputs.js";
import type { GpuKernel } from "./instruction-kernels.js";
import { make, Simulation, TARGET } from "./instruction-modules.js";

/** Rows of the inputs that are given as literals. */
export const FOLDED_ROWS = 24;

const LOAD = /ld\.global\.(\w)(\d+) (%\w+),\[%y2\+(\d+)\];/g;

/** The kernel with the operands of some rows as literals, one after the other; null where it reads other things. */
export function literalKernel(k: GpuKernel, inputs: Uint8Array): GpuKernel | null {
  const [head, , rest = ""] = k.text.split(/(mul\.wide\.u32 %y3, [\s\S]*?add\.u64 %y3, %y1, %y3;\n)/);
  if (
    k.scratch ||
    !/ld\.global\.\w\d+ %\w+,\[%y2\+/.test(rest) ||
    /ld\.param|%tid|%laneid|mask|\.sync|bar|%x3[^0-9]/.test(rest)
  )
    return null;
  const body = rest.replace(/ret;\n}\n$/, "");
  const view = new DataView(inputs.buffer, inputs.byteOffset);
  let text = `${head}mov.u64 %y3, %y1;\n`;
  for (let row = 0; row < FOLDED_ROWS; row++) {
    const at = (offset: string): bigint => view.getBigUint64(Number(offset) + 8 * row, true);
    const literal = body.replace(LOAD, (_, _cls: string, bits: string, r: string, offset: string) => {
      const value = BigInt.asUintN(Number(bits), at(offset)).toString(16);
      const digits = value.padStart(Number(bits) / 4, "0").toUpperCase();
      const f = r.startsWith("%f") ? "f32" : r.startsWith("%d") ? "f64" : `b${bits}`;
      return `mov.${f} ${r}, ${f === "f32" ? "0f" : f === "f64" ? "0d" : "0x"}${digits};`;
    });
    text += `{\n${literal.replace(/\[%y3\+(\d+)\]/g, (_, o: string) => `[%y3+${Number(o) + row * k.stride}]`)}}\n`;
  }
  return { ...k, text: `${text}ret;\n}\n` };
}

/** Opcodes that only bring and store constants; IMAD and HFMA2 do where they multiply by zero. */
const MOVES = new Set(["MOV", "STG", "LDC", "ULDC", "EXIT", "BRA", "NOP", "S2R", "CS2R", "UMOV"]);
const PRODUCTS = new Set(["IMAD", "HFMA2"]);

function computes(i: MachineInst | null): boolean {
  if (i === null || MOVES.has(i.form.op)) return false;
  return !(PRODUCTS.has(i.form.op) && i.srcs.slice(0, 2).some((o) => o.kind === Kind.Reg && o.id < 0));
}

export interface Fold {
  readonly kernel: GpuKernel;
  /** Results of the literal rows. */
  readonly output: Uint8Array;
  /** Every result is a constant in ptxas's code. */
  readonly folded: boolean;
}

/** The literal kernels through ptxas -O3. */
export function foldAll(kernels: readonly GpuKernel[], inputs: Uint8Array): Fold[] {
  const literal = kernels.map((k) => literalKernel(k, inputs)).filter((k) => k !== null);
  const made = make(literal, "ptxas-O3");
  if (made.cubin === null) return [];
  const simulation = new Simulation(made.cubin, inputs);
  const codes = new Map(unwrap(readCubin(made.cubin)).functions.map((f) => [f.name, f.words]));
  return made.kernels.flatMap((kernel) => {
    const folded = !decodeCode(codes.get(kernel.name)!, target(TARGET)).some(computes);
    const output = simulation.run(kernel, BLOCK);
    return typeof output === "string" ? [] : [{ kernel, output: output.slice(0, FOLDED_ROWS * kernel.stride), folded }];
  });
}
