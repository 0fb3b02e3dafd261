/**
 * Atomic operations and reductions. Lanes act one after another in ascending order: one of the orders that a GPU may
 * choose, always the same here.
 */
import { File, Kind } from "../../isa/operand.js";
import { type AccessSpace, addressOf, locate, place, shortAddress, wideAddress, windowOf } from "../access.js";
import type { Combine } from "../async/transfer.js";
import { add32, bitsOfF32, f32OfBits, flush, max32, min32 } from "../number/f32.js";
import { doubleOf, highOf, lowOf } from "../number/f64.js";
import { BF16, bf16Value, F16, f16Value, shortBits } from "../number/half.js";
import { Rounding } from "../number/rounding.js";
import type { Maker, Makers, Site } from "../site.js";
import { type Exec, LANES, Step } from "../state.js";
import { atomicArrive } from "./mbarrier.js";

/** New words of memory from the old and the operand: works on the arrays in place of values, `to` receives them. */
type Update = (old: Int32Array, value: Int32Array, to: Int32Array) => void;

type Word = (old: number, value: number) => number;

/** 32-bit operations; INC and DEC wrap at the operand. */
const words: Readonly<Record<string, Word>> = {
  ADD: (a, b) => (a + b) | 0,
  MIN: (a, b) => (a >>> 0 < b >>> 0 ? a : b),
  MAX: (a, b) => (a >>> 0 > b >>> 0 ? a : b),
  INC: (a, b) => (a >>> 0 >= b >>> 0 ? 0 : a + 1),
  DEC: (a, b) => (a === 0 || a >>> 0 > b >>> 0 ? b : a - 1),
  AND: (a, b) => a & b,
  OR: (a, b) => a | b,
  XOR: (a, b) => a ^ b,
  EXCH: (_a, b) => b,
};
const signedWords: Readonly<Record<string, Word>> = {
  ...words,
  MIN: Math.min,
  MAX: Math.max,
};

type Long = (old: bigint, value: bigint) => bigint;
const longs: Readonly<Record<string, Long>> = {
  ADD: (a, b) => a + b,
  MIN: (a, b) => {
    if (a < b) return a;
    return b;
  },
  MAX: (a, b) => {
    if (a > b) return a;
    return b;
  },
  INC: (a, b) => (a >= b ? 0n : a + 1n),
  DEC: (a, b) => (a === 0n || a > b ? b : a - 1n),
  AND: (a, b) => a & b,
  OR: (a, b) => a | b,
  XOR: (a, b) => a ^ b,
  EXCH: (_a, b) => b,
};

function each(f: Word): Update {
  return (old, value, to) => {
    to[0] = f(old[0]!, value[0]!);
  };
}

function long(f: Long, signed: boolean): Update {
  const read = (x: Int32Array): bigint => {
    const u = (BigInt(x[1]! >>> 0) << 32n) | BigInt(x[0]! >>> 0);
    return signed ? BigInt.asIntN(64, u) : u;
  };
  return (old, value, to) => {
    const r = BigInt.asUintN(64, f(read(old), read(value)));
    to[0] = Number(r & 0xffffffffn) | 0;
    to[1] = Number(r >> 32n) | 0;
  };
}

const floats: Readonly<Record<string, Word>> = {
  ADD: (a, b) => add32(a, b, Rounding.RN),
  MIN: min32,
  MAX: max32,
};

function f32(f: Word, ftz: boolean): Update {
  const z = ftz ? flush : (x: number): number => x;
  return (old, value, to) => {
    to[0] = bitsOfF32(z(f(z(f32OfBits(old[0]!)), z(f32OfBits(value[0]!)))));
  };
}

const NAN_HIGH = 0xfff80000 | 0;

const f64Add: Update = (old, value, to) => {
  const r = doubleOf(old[0]!, old[1]!) + doubleOf(value[0]!, value[1]!);
  // No number has the bits that DADD gives it.
  to[0] = Number.isNaN(r) ? 0 : lowOf(r);
  to[1] = Number.isNaN(r) ? NAN_HIGH : highOf(r);
};

/** Both halves of a word as short floats. */
function halves(f: Word, bf: boolean): Update {
  const value16 = bf ? bf16Value : f16Value;
  const format = bf ? BF16 : F16;
  const half = (a: number, b: number): number => shortBits(f(value16(a), value16(b)), 0, format, Rounding.RN);
  return (old, value, to) => {
    const a = old[0]!;
    const b = value[0]!;
    to[0] = half(a & 0xffff, b & 0xffff) | (half(a >>> 16, b >>> 16) << 16);
  };
}

const plainFloats: Readonly<Record<string, Word>> = { ...floats, ADD: (a, b) => a + b };
/** Vectors have extrema, too; a number wins over none. */
const shortFloats: Readonly<Record<string, Word>> = {
  ADD: (a, b) => a + b,
  MIN: number(Math.min),
  MAX: number(Math.max),
};

function number(f: Word): Word {
  return (a, b) => {
    if (Number.isNaN(a)) return b;
    return Number.isNaN(b) ? a : f(a, b);
  };
}

const opNames: Readonly<Record<string, string>> = Object.fromEntries(Object.keys(words).map((k) => [k, k]));

/** The operation and how many words it works on. */
function updateOf(s: Site): Updates {
  const op = s.choose(opNames, "ADD");
  const types = {
    S32: "S32",
    "64": "64",
    U64: "64",
    S64: "S64",
    F16: "F16",
    BF16: "BF16",
    F32: "F32",
    F64: "F64",
    F16x2: "F16x2",
    BF16_V2: "BF16x2",
    BF16x2: "BF16x2",
    F16x4: "F16x4",
    F16x8: "F16x8",
    BF16x4: "BF16x4",
    BF16x8: "BF16x8",
    F32x2: "F32x2",
    F32x4: "F32x4",
    "128": "128",
  };
  const type = s.choose(types, "U32");
  const ftz = s.has("FTZ");
  s.has("RN");
  return updateBy(op, type, ftz) ?? s.unsupported(op);
}

interface Updates {
  readonly update: Update;
  /** Words that it works on. */
  readonly n: number;
}

/** A 32-bit operation, unless there is none. */
const onWord = (f: Word | undefined, make: (g: Word) => Update): Updates | null =>
  f === undefined ? null : { update: make(f), n: 1 };

/** Null: there is no such operation. */
function updateBy(op: string, type: string, ftz: boolean): Updates | null {
  switch (type) {
    case "S32":
      return { update: each(signedWords[op]!), n: 1 };
    case "64":
    case "S64":
      return { update: long(longs[op]!, type === "S64"), n: 2 };
    case "F32":
      return onWord(floats[op], (f) => f32(f, ftz));
    case "F64":
      return op === "ADD" ? { update: f64Add, n: 2 } : null;
    case "F16x2":
    case "BF16x2":
      return onWord(plainFloats[op], (f) => halves(f, type === "BF16x2"));
    case "F16":
    case "BF16":
      return onWord(shortFloats[op], (f) => halves(f, type === "BF16"));
    case "F16x4":
    case "F16x8":
    case "BF16x4":
    case "BF16x8": {
      const f = shortFloats[op];
      return f === undefined ? null : elements(halves(f, type.startsWith("B")), Number(type.at(-1)) / 2);
    }
    case "128":
      return op === "EXCH" ? elements(each(words.EXCH!), 4) : null;
    case "F32x2":
    case "F32x4": {
      const f = floats[op];
      return f === undefined ? null : elements(f32(f, ftz), Number(type.at(-1)));
    }
    default:
      return { update: each(words[op]!), n: 1 };
  }
}

/** The same on each of `n` words. */
function elements(one: Update, n: number): Updates {
  const update: Update = (old, value, to) => {
    for (let i = 0; i < n; i++) one(old.subarray(i, i + 1), value.subarray(i, i + 1), to.subarray(i, i + 1));
  };
  return { update, n };
}

/** A reduction of runs of bytes, element by element. */
export function combineOf(s: Site): Combine {
  return combining(updateOf(s));
}

/** The same by the type of a tensor's elements; null: there is no such operation. */
export function combineBy(op: string, type: string): Combine | null {
  const name = elementTypes[type];
  const updates = name === undefined ? null : updateBy(op, name, type.endsWith(".ftz"));
  return updates === null ? null : combining(updates);
}

const elementTypes: Readonly<Record<string, string>> = {
  u32: "U32",
  s32: "S32",
  u64: "64",
  s64: "S64",
  f16: "F16",
  bf16: "BF16",
  f32: "F32",
  "f32.ftz": "F32",
  f64: "F64",
};

function combining({ update, n }: Updates): Combine {
  const [old, value, to] = [new Int32Array(n), new Int32Array(n), new Int32Array(n)];
  const bytes = [old, value, to].map((x) => new Uint8Array(x.buffer)) as [Uint8Array, Uint8Array, Uint8Array];
  return (memory, operand) => {
    for (let i = 0; i < memory.length; i += 4 * n) {
      bytes[0].set(memory.subarray(i, i + 4 * n));
      bytes[1].set(operand.subarray(i, i + 4 * n));
      update(old, value, to);
      // A short float may stand at the end alone.
      memory.set(bytes[2].subarray(0, memory.length - i), i);
    }
  };
}

function operation(space: AccessSpace): Maker {
  return (s) => {
    if (s.has("CAS") || s.has("CAST")) return compareAndSwap(space, s);
    const { update, n } = updateOf(s);
    return run(space, s, n, "data", update);
  };
}

/** `value` holds the comparison, `second` the new words. */
const swapped: { value: Int32Array } = { value: new Int32Array(4) };

function compareAndSwap(space: AccessSpace, s: Site): Exec {
  const success = s.has("CAST");
  s.has("SPIN");
  const n = s.has("64") ? 2 : s.has("128") ? 4 : 1;
  const update: Update = (old, value, to) => {
    for (let i = 0; i < n; i++) {
      if (old[i] !== value[i]) {
        to.set(old);
        return;
      }
    }
    to.set(swapped.value);
  };
  return run(space, s, n, "cmp", update, "data", success);
}

function rowsOf(s: Site, slot: string): readonly number[] {
  const o = s.operand(slot);
  if (o.kind !== Kind.Reg || o.file !== File.R) s.unsupported(`operand ${slot}`);
  return [0, 1, 2, 3].map((i) => s.row(o, i));
}

function run(
  space: AccessSpace,
  s: Site,
  n: number,
  slot: string,
  update: Update,
  second: string = "",
  success: boolean = false,
): Exec {
  // A compare-and-swap in shared memory tells by it that memory was what was expected.
  const done = s.pred("pout");
  const told = success && space === "shared" && (done & 7) !== 7;
  // The predicate of wide and floating-point ones on generic addresses says that they were done: they are in global memory only (ptxas's
  // code then asks QSPC for the space and takes a path of its own there).
  const asks = (done & 7) !== 7 && !told;
  if (asks && space !== "generic") s.unsupported("predicate result");
  const a = addressOf(s);
  const wide = space === "global" || space === "generic";
  const d = s.find("d");
  const dst = [0, 1, 2, 3].map((i) => s.dstRow(d, i));
  const src = rowsOf(s, slot);
  const other = second === "" ? null : rowsOf(s, second);
  const old = new Int32Array(4);
  const value = new Int32Array(4);
  const to = new Int32Array(4);
  return (w, m) => {
    const add = a.add(w);
    const I = w.I;
    if (asks) w.P[done] = w.P[done]! | m;
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      const address = wide ? wideAddress(w, a, add, l) : shortAddress(w, a, add, l);
      if (asks && windowOf(address) !== "global") {
        w.P[done] = w.P[done]! & ~(1 << l);
        continue;
      }
      if (!locate(w, space, address, n * 4, l)) return Step.Fault;
      const at = place.at >> 2;
      for (let i = 0; i < n; i++) {
        old[i] = place.words[at + i * place.stride]!;
        value[i] = I[src[i]! + l]!;
        if (other !== null) swapped.value[i] = I[other[i]! + l]!;
      }
      if (place.words === w.machine.global.words && w.machine.global.shared)
        updateShared(place.words, at, n, update, old, value, to);
      else {
        update(old, value, to);
        for (let i = 0; i < n; i++) place.words[at + i * place.stride] = to[i]!;
      }
      if (success) {
        let equal = 1;
        for (let i = 0; i < n; i++) if (old[i] !== value[i]) equal = 0;
        if (told) {
          w.P[done] = (w.P[done]! & ~(1 << l)) | (equal << l);
          continue;
        }
        // As wide as the operands (ptxas compares both words with one).
        for (let i = 0; i < n; i++) I[dst[i]! + l] = i === 0 ? equal : 0;
      } else for (let i = 0; i < n; i++) I[dst[i]! + l] = old[i]!;
    }
    return Step.Next;
  };
}

/**
 * The same as one step on memory that other threads work on, too: tried again until nobody came between. Of wider operands none can come
 * here with other threads at work (threads/order.ts).
 */
function updateShared(
  words: Int32Array,
  at: number,
  n: number,
  update: Update,
  old: Int32Array,
  value: Int32Array,
  to: Int32Array,
): void {
  if (n > 2) {
    update(old, value, to);
    words.set(to.subarray(0, n), at);
    return;
  }
  if (n === 1) {
    do {
      old[0] = Atomics.load(words, at);
      update(old, value, to);
    } while (Atomics.compareExchange(words, at, old[0]!, to[0]!) !== old[0]);
    return;
  }
  const pair = new BigInt64Array(words.buffer, words.byteOffset + 4 * at, 1);
  const both = (x: Int32Array): bigint => (BigInt(x[1]!) << 32n) | BigInt(x[0]! >>> 0);
  for (;;) {
    const before = Atomics.load(pair, 0);
    old[0] = Number(BigInt.asIntN(32, before));
    old[1] = Number(before >> 32n);
    update(old, value, to);
    if (Atomics.compareExchange(pair, 0, before, both(to)) === before) return;
  }
}

/** QSPC: is the generic address in the window of a space? Every shared address is in that of the cluster. */
function querySpace(s: Site): Exec {
  const wanted = s.choose<"global" | "shared" | "local">(
    { G: "global", L: "local", S: "shared", D: "shared" },
    "global",
  );
  const own = s.has("S");
  const d = s.find("d");
  if (d !== null && d.id >= 0) s.unsupported("register result");
  const a = addressOf(s);
  const p = s.pred("p");
  return (w, m) => {
    const add = a.add(w);
    let found = 0;
    for (let l = 0; l < LANES; l++) {
      const address = wideAddress(w, a, add, l);
      const rank = Math.floor(address / 0x1000000) & 0xff;
      if (windowOf(address) === wanted && !(own && rank !== w.cta.rank)) found |= 1 << l;
    }
    if ((p & 7) !== 7) w.P[p] = (w.P[p]! & ~m) | (found & m);
    return Step.Next;
  };
}

/** ATOMS.POPC.INC: adds one per lane (a count of the lanes that hit the address); d gets the old value. */
function atoms(s: Site): Exec {
  if (s.inst.form.mods.includes("ARRIVE")) return atomicArrive(s);
  if (!s.has("POPC")) return operation("shared")(s);
  s.has("INC");
  s.has("32");
  const a = addressOf(s);
  const d = s.dstRow(s.find("d"));
  return (w, m) => {
    const add = a.add(w);
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      if (!locate(w, "shared", shortAddress(w, a, add, l), 4, l)) return Step.Fault;
      const at = place.at >> 2;
      const value = place.words[at]!;
      place.words[at] = value + 1;
      w.I[d + l] = value;
    }
    return Step.Next;
  };
}

export const atomic: Makers = {
  ATOMG: operation("global"),
  ATOM: operation("generic"),
  ATOMS: atoms,
  RED: operation("global"),
  REDG: operation("global"),
  REDS: operation("shared"),
  QSPC: querySpace,
};
