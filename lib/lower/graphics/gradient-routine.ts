/**
 * Gradients of three coordinates (3D, cubes, arrays of cubes): from sm_90 on ptxas has a routine of the driver for them, which takes its arguments by the ABI
 * (13.0.88, sm_90, 100, 120 at -O1 and -O3; test/oracle/gradients.test.ts):
 *
 *     R4:R5 handle, R6 what is compared with, R8 … R11 coordinates, R12 … R15 derivatives along x; on the stack those along y, then offsets
 *     R4 the texels are resident, R5 … R8 components, or R5, R6 with two halves each
 *
 * Four words stand where PTX has three coordinates, the fourth as PTX names it.
 */
import { constBank, imm } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Instruction } from "../../ptx/ast.js";
import type { Target } from "../../target/types.js";
import { callDriver, type Passed } from "../call.js";
import type { Context } from "../context.js";
import { Refusal } from "../refusal.js";
import { storeMemory } from "../slots.js";
import { B64 } from "../types.js";
import type { Handle } from "./handle.js";
import { kindBits } from "./references.js";

export interface GradientCall {
  readonly handle: Handle;
  readonly geometry: "3d" | "cube" | "acube";
  /** f32, s32, u32 or f16. */
  readonly type: string;
  /** PTX asks whether the texels are resident. */
  readonly predicate: boolean;
  readonly coordinates: readonly Operand[];
  readonly dx: readonly Operand[];
  readonly dy: readonly Operand[];
  readonly offsets: readonly Operand[] | null;
  readonly compare: Operand | null;
}

const WORDS = 4;
const VECTOR_BYTES = 16;

/** Bytes on the stack for the arguments of the routine that an instruction may call. */
export function gradientStackBytes(i: Instruction, target: Target): number {
  if (i.opcode !== "tex" || !i.modifiers.includes("grad") || !target.has("uniformHandles")) return 0;
  return ["3d", "cube", "acube"].some((g) => i.modifiers.includes(g)) ? 2 * VECTOR_BYTES : 0;
}

function handleWords(c: Context, h: Handle): [Operand, Operand] {
  if (h.kind === "uniform") return c.words(c.read(h.value, B64));
  if (h.kind !== "reference" || h.sampler !== null) throw new Refusal();
  return [constBank(0, 4 * h.word), imm(kindBits.texture)];
}

/** The registers of what the routine gives: whether texels are resident, then words. */
export function callGradient(c: Context, g: GradientCall): readonly Operand[] {
  const { coordinates, dx, dy, offsets, compare } = g;
  for (const v of [coordinates, dx, dy, offsets]) if (v !== null && v.length !== WORDS) throw new Refusal();
  const [low, high] = handleWords(c, g.handle);
  const name = [
    "__cuda_syscall_tex_grad",
    ...(g.predicate ? ["pred"] : []),
    g.geometry,
    "v4",
    g.type,
    "f32",
    ...(offsets === null ? [] : ["offset"]),
    ...(compare === null ? [] : ["depth_compare"]),
  ].join("_");
  [...dy, ...(offsets ?? [])].forEach((v, k) => {
    storeMemory(c, { base: c.stack, offset: 0 }, 4 * k, v, 4);
  });
  const passed: Passed[] = [
    [4, low],
    [5, high],
    ...(compare === null ? [] : [[6, compare] as const]),
    ...coordinates.map((v, k) => [8 + k, v] as const),
    ...dx.map((v, k) => [12 + k, v] as const),
  ];
  return callDriver(c, name, passed, 1 + (g.type === "f16" ? 2 : 4)).map((r) => c.copied(r, "kept"));
}
