/** Our own relocatable objects: the corpus, fuzz kernels, and all kernels of one instruction that the compiler takes, many in a module. */
import { type Compilation, compile } from "../../lib/compile.js";
import { isFailure } from "../../lib/diagnostics.js";
import type { TargetName } from "../../lib/target/index.js";
import { corpus, corpusPtx } from "../../test/corpus/cases.js";
import { generate, ptxText } from "../../test/fuzz/program.js";
import { programs } from "../../test/programs/programs.js";
import { moduleText } from "../harvest/compile.js";
import { allKernels, type Kernel } from "../harvest/kernels/index.js";
import { logicModules } from "./logic.js";

/** Kernels of one module, and bytes of constants that they declare: nvlink refuses more than 64 KB. */
const PART = 100;
const CONSTANT_BYTES = 0x10000;

export interface OwnObject {
  /** `k12: add.s32 …` by name of the function; of corpus and fuzz the file's name. */
  readonly names: ReadonlyMap<string, string>;
  readonly file: Uint8Array;
}

const targeted = (text: string, arch: TargetName): string => text.replace(/\.target sm_100\b/, `.target ${arch}`);

/** What the compiler refuses has no object; its own mistakes end the run. */
function compiled(text: string, target: TargetName, opt: number): Compilation {
  const made = compile(text, { target, opt, relocatable: true });
  for (const error of made.internalErrors) throw error;
  return made;
}

function object(text: string, arch: TargetName, opt: number): Uint8Array | null {
  return compiled(targeted(text, arch), arch, opt).cubin;
}

export function* corpusObjects(arch: TargetName, level: number): Generator<OwnObject> {
  for (const { name } of corpus) {
    const file = object(corpusPtx(name, "sm_100"), arch, level);
    if (file !== null) yield { file, names: new Map([[name, name]]) };
  }
}

/** Programs that the compiler refuses are left out. */
export function* programObjects(arch: TargetName, level: number): Generator<OwnObject> {
  for (const { name, ptx } of programs) {
    const file = compiled(ptx, arch, level).cubin;
    if (file !== null) yield { file, names: new Map([[name, name]]) };
  }
}

/** A module of logic.ts; the compiler has no predicate results of `lop3`. */
export function logicObject(text: string, arch: TargetName, level: number): Uint8Array {
  const file = object(text, arch, level);
  if (file === null) throw new Error(`lop3 on ${arch}: refused`);
  return file;
}

export function* logicObjects(arch: TargetName, level: number): Generator<OwnObject> {
  for (const text of logicModules(arch.slice(3), [false]))
    yield { file: logicObject(text, arch, level), names: new Map() };
}

export function* fuzzObjects(arch: TargetName, level: number, seed: number, count: number): Generator<OwnObject> {
  for (let i = 0; i < count; i++) {
    const file = object(ptxText(generate(seed + i), "sm_100"), arch, level);
    if (file !== null) yield { file, names: new Map() };
  }
}

/** Every `every`-th kernel of one instruction, without those that the compiler refuses. */
export function* singleObjects(arch: TargetName, level: number, every: number): Generator<OwnObject> {
  const kernels = allKernels().filter((_, i) => i % every === 0);
  let part: Kernel[] = [];
  let bytes = 0;
  for (const k of kernels) {
    const more = constantBytes(k);
    if (part.length === PART || bytes + more > CONSTANT_BYTES) {
      yield* moduleOf(part, arch, level);
      part = [];
      bytes = 0;
    }
    part.push(k);
    bytes += more;
  }
  yield* moduleOf(part, arch, level);
}

/** Arrays of bytes, as the kernels declare them. */
function constantBytes(k: Kernel): number {
  let bytes = 0;
  for (const m of k.declarations.matchAll(/\.const\b[^;]*\.b8 [^;[]*\[(\d+)\]/g)) bytes += Number(m[1]);
  return bytes;
}

/** What the compiler refuses is taken out and the rest compiled again; where it names no line, halves are tried. */
export function* moduleOf(kernels: readonly Kernel[], arch: TargetName, level: number): Generator<OwnObject> {
  let left = kernels;
  while (left.length > 0) {
    const { text, starts } = moduleText(left, arch.slice(3));
    const made = compiled(text, arch, level);
    if (made.cubin !== null) {
      yield { file: made.cubin, names: new Map(left.map((k) => [k.name, `${k.name}: ${k.tested}`])) };
      return;
    }
    const bad = new Set<number>();
    for (const d of made.diagnostics) {
      if (!isFailure(d) || d.span === null) continue;
      const { line } = d.span;
      bad.add(starts.findLastIndex((s) => s <= line));
    }
    bad.delete(-1);
    if (bad.size === 0) {
      if (left.length === 1) return;
      const half = left.length >> 1;
      yield* moduleOf(left.slice(0, half), arch, level);
      yield* moduleOf(left.slice(half), arch, level);
      return;
    }
    left = left.filter((_, i) => !bad.has(i));
  }
}
