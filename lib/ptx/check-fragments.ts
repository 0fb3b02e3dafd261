/**
 * What ptxas says of `wmma.load` and `wmma.store` beside the rules that the tables can tell: how modifiers, shape and type belong together, and how long
 * fragments are. Measured on ptxas 13.0.88, in the order in which it says them.
 */
import type { OperandClass } from "./operand-types.js";
import type { Resolved } from "./resolve.js";

/** Instructions that are judged here. */
export const isFragment = (name: string): boolean => name.startsWith("wmma.load.") || name === "wmma.store.d";

const SHAPES: readonly string[] = ["m16n16k16", "m8n32k16", "m32n8k16", "m16n16k8", "m8n8k4", "m8n8k32", "m8n8k128"];
const SPACES: ReadonlySet<string> = new Set(["global", "shared", "shared::cta"]);
const FOREIGN: RegExp = /^(?:const|local|param|tex|shared::cluster)/;

/** Registers of the fragment by matrix, shape and type; null for what does not exist. */
function registers(matrix: string, shape: string, type: string): number | null {
  const wide = shape === "m16n16k16" || shape === "m8n32k16" || shape === "m32n8k16";
  const long = (matrix === "a" && shape === "m32n8k16") || (matrix === "b" && shape === "m8n32k16");
  const short = (matrix === "a" && shape === "m8n32k16") || (matrix === "b" && shape === "m32n8k16");
  if (matrix === "c" || matrix === "d") {
    if (type === "f16") return wide ? 4 : null;
    if (type === "f32") return wide || shape === "m16n16k8" ? 8 : null;
    if (type === "f64") return shape === "m8n8k4" ? 2 : null;
    return wide ? 8 : shape === "m8n8k32" || shape === "m8n8k128" ? 2 : null;
  }
  switch (type) {
    case "f16":
      return wide ? 8 : null;
    case "bf16":
      return wide ? (long ? 8 : short ? 2 : 4) : null;
    case "s8":
    case "u8":
      return wide ? (long ? 4 : short ? 1 : 2) : null;
    case "tf32":
      return shape === "m16n16k8" ? 4 : null;
    case "f64":
      return shape === "m8n8k4" ? 1 : null;
    default:
      return 1;
  }
}

const constant = (c: OperandClass | undefined): boolean => c?.kind === "int" || c?.kind === "float";

/** Results are no constants, and the stride is one word. */
export function fragmentArguments(name: string, classes: readonly OperandClass[]): boolean {
  const result = name === "wmma.store.d" ? undefined : classes[0];
  const written = result?.kind === "vector" ? result.elements : [result];
  const stride = classes[2]?.kind;
  return !written.some(constant) && stride !== "vector" && stride !== "variable";
}

/** Said when the arguments fit by their types. */
export function fragmentFaults(r: Resolved, classes: readonly OperandClass[]): string[] {
  const { name, words } = r;
  const out: string[] = [];
  const matrix = name.slice(-1);
  const type = r.types[0] as string;
  const spaces = words.filter((w) => SPACES.has(w) || FOREIGN.test(w));
  if (spaces.length === 1 && spaces.some((w) => FOREIGN.test(w)))
    out.push(`State space incorrect for instruction '${name}'`);
  const layouts = words.filter((w) => w === "row" || w === "col");
  const shape = words.find((w) => SHAPES.includes(w)) ?? "";
  if (!words.includes("sync")) out.push(`.sync modifier required for instruction '${name}'`);
  if (!words.includes("aligned")) out.push(`.aligned modifier required for instruction '${name}'`);
  if (layouts.length !== 1) out.push(`layout modifier required for instruction '${name}'`);
  if (shape === "") out.push(`Shape modifier required for instruction '${name}'`);
  const factor = matrix === "a" || matrix === "b";
  if (factor && type === "f32") out.push(`Illegal type for ${name}`);
  const at = matrix === "d" ? 1 : 0;
  const data = classes[at];
  const length = registers(matrix, shape, type);
  if (data?.kind !== "vector") out.push(`Vector expected for argument ${at}`);
  else if (
    shape !== "" &&
    (data.elements.length !== (length ?? (type === "f16" && factor ? 8 : 0)) ||
      (r.vector > 1 && r.vector !== data.elements.length))
  )
    out.push(`Argument vector size mismatch for instruction '${name}'`);
  if (length === null && type !== "f32")
    out.push(`Incorrect instruction type specified for ${name} with shape '${shape === "" ? "" : `.${shape}`}'`);
  const small = shape === "m8n8k32" || shape === "m8n8k128";
  const own = matrix === "a" ? "row" : "col";
  if (small && factor && layouts.length === 1 && layouts[0] !== own)
    out.push(`Illegal alayout '.${layouts[0]}' for instruction '${name}'`);
  return out;
}
