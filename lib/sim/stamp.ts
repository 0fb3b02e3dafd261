/**
 * Lane loops. The meaning of an arithmetic instruction is a plain function of its operands (`(a, b, c) => a + b + c`);
 * what surrounds it is always the same: fetch each operand of each lane (a register row, or one value for all lanes),
 * apply sign and inversion, call, store, under a mask. A generic loop over such functions would call through one
 * megamorphic site and check every operand kind per lane. Instead the loop's text is written per shape of operands and
 * compiled once per function, so that the engine inlines the function into it; operands' numbers are closure variables.
 * The text depends only on the shape, never on data of a program.
 */
import { InternalError } from "../errors.js";
import { flush } from "./number/f32.js";
import type { Exec, Warp } from "./state.js";

/** Value for all lanes, read when the instruction runs. */
export type Getter = (warp: Warp) => number;

/** How an operand is read. */
export interface Source {
  /**
   * i: 32-bit integer; f: f32; b: bits of an f32 (sign operations on the bits, NaN payloads kept); d: f64 of a register
   * pair; l: pair as two arguments (low, high); p: predicate, 0 or 1.
   */
  readonly type: "i" | "f" | "b" | "d" | "l" | "p";
  /** First lane index of its row in I/F (row · 32), of its second row; for predicates the index in P. */
  readonly row: number;
  readonly row2: number;
  /** Set instead of rows when all lanes share the value; `high` for the upper word of an `l`. */
  readonly scalar: Getter | null;
  readonly high: Getter | null;
  readonly neg: boolean;
  readonly abs: boolean;
  readonly not: boolean;
  /** Subnormals count as zero. */
  readonly ftz: boolean;
}

/** Where the result goes. */
export interface Target {
  /** i, f, d as above; w: the function returns the low word and leaves the high one in `high.word`; none: no register. */
  readonly type: "i" | "f" | "d" | "w" | "none";
  readonly row: number;
  readonly row2: number;
  readonly ftz: boolean;
  readonly sat: boolean;
  /**
   * Predicates that receive bit 0, 1 … of the function's value (type none) or of `high.word` (otherwise); 7 = nowhere.
   */
  readonly preds: readonly number[];
}

/** Second result of a lane function. */
export const high: { word: number } = { word: 0 };

const f64: Float64Array = new Float64Array(1);
const f64Words: Int32Array = new Int32Array(f64.buffer);

const helpers = {
  high,
  f64,
  f64Words,
  flush,
  flushBits: (x: number): number => ((x & 0x7f800000) === 0 ? x & 0x80000000 : x),
};

export type LaneFunction = (...args: number[]) => number;
type Factory = (f: LaneFunction, h: typeof helpers, target: Target, sources: readonly Source[]) => Exec;

const cache = new WeakMap<LaneFunction, Map<string, Factory>>();

/** The instruction that runs `f` on every active lane. */
export function stamp(f: LaneFunction, target: Target, sources: readonly Source[]): Exec {
  const shape = `${target.type}${target.ftz ? "z" : ""}${target.sat ? "s" : ""}${target.preds.map((p) => (p === 7 ? "-" : "p")).join("")}:${sources.map(shapeOf).join(",")}`;
  let shapes = cache.get(f);
  if (shapes === undefined) {
    shapes = new Map();
    cache.set(f, shapes);
  }
  let factory = shapes.get(shape);
  if (factory === undefined) {
    factory = compile(target, sources);
    shapes.set(shape, factory);
  }
  return factory(f, helpers, target, sources);
}

function shapeOf(s: Source): string {
  return `${s.type}${s.scalar ? "S" : ""}${s.neg ? "-" : ""}${s.abs ? "|" : ""}${s.not ? "~" : ""}${s.ftz ? "z" : ""}`;
}

function compile(target: Target, sources: readonly Source[]): Factory {
  const setup: string[] = ["const I = w.I, F = w.F;"];
  const perLane: string[] = [];
  const args: string[] = [];
  sources.forEach((s, i) => {
    fetch(s, i, setup, perLane, args);
  });
  const wanted = target.preds.map((p, i) => ({ p, i })).filter((x) => x.p !== 7);
  for (const { i } of wanted) setup.push(`let m${i} = 0;`);
  const body = [...perLane, `const r = f(${args.join(", ")});`, ...store(target)];
  const bits = target.type === "none" ? "r" : "high.word";
  for (const { i } of wanted) body.push(`m${i} |= ((${bits} >>> ${i}) & 1) << l;`);
  const finish = wanted.map(({ i }) => `w.P[q${i}] = (w.P[q${i}] & ~m) | m${i};`).join("\n");
  const closure = [
    "const { high, f64, f64Words, flush, flushBits } = h;",
    "const d = t.row, d2 = t.row2;",
    ...target.preds.map((_, i) => `const q${i} = t.preds[${i}];`),
    ...sources.map((_, i) => `const { row: r${i}, row2: x${i}, scalar: g${i}, high: g${i}h } = s[${i}];`),
  ].join("\n");
  const loop = body.join("\n");
  const text = `${closure}
return function lanes(w, m) {
${setup.join("\n")}
if (m === -1) { for (let l = 0; l < 32; l++) {
${loop}
} } else { for (let l = 0; l < 32; l++) if ((m >>> l) & 1) {
${loop}
} }
${finish}
return 0;
};`;
  return new Function("f", "h", "t", "s", text) as Factory;
}

/** Text that brings operand `i` of lane `l` into argument position. */
function fetch(s: Source, i: number, setup: string[], perLane: string[], args: string[]): void {
  const to = s.scalar ? setup : perLane;
  const name = `a${i}`;
  switch (s.type) {
    case "i":
      to.push(`const ${name} = ${integer(s, s.scalar ? `g${i}(w)` : `I[r${i} + l]`)};`);
      args.push(name);
      return;
    case "b":
      to.push(`const ${name} = ${bits(s, s.scalar ? `g${i}(w)` : `I[r${i} + l]`)};`);
      args.push(name);
      return;
    case "f":
      to.push(`const ${name} = ${float(s, s.scalar ? `g${i}(w)` : `F[r${i} + l]`)};`);
      args.push(name);
      return;
    case "d":
      if (s.scalar) to.push(`const ${name} = ${float(s, `g${i}(w)`)};`);
      else to.push(`f64Words[0] = I[r${i} + l]; f64Words[1] = I[x${i} + l]; const ${name} = ${float(s, "f64[0]")};`);
      args.push(name);
      return;
    case "l":
      if (s.scalar) to.push(`let ${name} = g${i}(w), ${name}h = g${i}h(w);`);
      else to.push(`let ${name} = I[r${i} + l], ${name}h = I[x${i} + l];`);
      if (s.neg) to.push(`${name}h = (~${name}h + (${name} === 0 ? 1 : 0)) | 0; ${name} = -${name} | 0;`);
      if (s.not) to.push(`${name}h = ~${name}h; ${name} = ~${name};`);
      args.push(name, `${name}h`);
      return;
    case "p":
      if (s.scalar) to.push(`const ${name} = g${i}(w) & 1;`);
      else {
        setup.push(`const p${i} = ${s.not ? "~" : ""}w.P[r${i}];`);
        perLane.push(`const ${name} = (p${i} >>> l) & 1;`);
      }
      args.push(name);
      return;
    default:
      throw new InternalError(`simulator: operand type ${s.type satisfies never}`);
  }
}

function integer(s: Source, x: string): string {
  let text = x;
  if (s.abs) text = `(Math.abs(${text}) | 0)`;
  if (s.neg) text = `(-${text} | 0)`;
  if (s.not) text = `~${text}`;
  return text;
}

function bits(s: Source, x: string): string {
  let text = x;
  if (s.ftz) text = `flushBits(${text})`;
  if (s.abs) text = `(${text} & 0x7fffffff)`;
  return s.neg ? `(${text} ^ 0x80000000)` : text;
}

function float(s: Source, x: string): string {
  let text = x;
  if (s.ftz) text = `flush(${text})`;
  if (s.abs) text = `Math.abs(${text})`;
  return s.neg ? `-${text}` : text;
}

function store(target: Target): string[] {
  switch (target.type) {
    case "none":
      return [];
    case "i":
      return ["I[d + l] = r;"];
    case "w":
      return ["I[d + l] = r; I[d2 + l] = high.word;"];
    case "f": {
      let value = target.ftz ? "flush(r)" : "r";
      // NaN saturates to +0.
      if (target.sat) value = `(${value} > 0 ? (r < 1 ? ${value} : 1) : 0)`;
      return [`const v = ${value};`, "F[d + l] = v; if (v !== v) I[d + l] = 0x7fffffff;"];
    }
    case "d":
      return [
        "f64[0] = r; if (r !== r) { f64Words[0] = 0; f64Words[1] = -0x80000; }",
        "I[d + l] = f64Words[0]; I[d2 + l] = f64Words[1];",
      ];
    default:
      throw new InternalError(`simulator: result type ${target.type satisfies never}`);
  }
}
