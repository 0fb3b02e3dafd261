/** `atom` and `red`: one thread after the other, so each is indivisible as it stands. */
import type { Operand } from "../../../ptx/index.js";
import type { Build, Site } from "../code.js";
import { add, compare, decode, encode, type Float, type Format, flushed } from "../exact.js";
import { locate, put, type Space, spaceOf, take } from "../memory.js";
import { integerOf, maskOf, type Type, type Value } from "../types.js";
import { HINTS, target } from "./memory.js";

/** Old value, operands, the type: the new value. */
type Update = (old: Value, b: Value, c: Value, t: Type) => Value;

const order =
  (keep: (a: bigint, b: bigint) => boolean): Update =>
  (old, b, _, t) =>
    keep(integerOf(old, t), integerOf(b, t)) ? old : b;

const updates: Readonly<Record<string, Update>> = {
  add: (old, b, _, t) => (old + b) & maskOf(t.bits),
  and: (old, b) => old & b,
  or: (old, b) => old | b,
  xor: (old, b) => old ^ b,
  exch: (_, b) => b,
  cas: (old, b, c) => (old === b ? c : old),
  inc: (old, b) => (old >= b ? 0n : old + 1n),
  dec: (old, b) => (old === 0n || old > b ? b : old - 1n),
  min: order((a, b) => a <= b),
  max: order((a, b) => a >= b),
};

/** The packed and the 16-bit floats have these, too: the number wins over NaN, −0 is below +0. */
function extreme(t: Type, format: Format, max: boolean): Update {
  return lanes(t, (a, b) => {
    const [x, y] = [decode(a, format), decode(b, format)];
    if (x.kind === "nan" || y.kind === "nan")
      return x.kind === "nan" && y.kind === "nan" ? format.nan! : x.kind === "nan" ? b : a;
    const d = compare(x, y) || Number(y.negative) - Number(x.negative);
    return d > 0 === max ? a : b;
  });
}

/** Sums of floats round to nearest; those of f32 in global memory flush subnormals (PTX ISA, atom). */
function sum(t: Type, format: Format, flush: boolean): Update {
  const of = (v: Value): Float => (flush ? flushed(decode(v, format), format) : decode(v, format));
  const one = (a: Value, b: Value): Value => encode(add(of(a), of(b), false), format, { ftz: flush });
  return lanes(t, one);
}

/** A function of elements on packed values. */
function lanes(t: Type, one: (a: Value, b: Value) => Value): Update {
  const e = BigInt(t.element);
  const mask = maskOf(t.element);
  return (old, b) => {
    let all = 0n;
    for (let i = 0n; i < BigInt(t.lanes); i++) all |= one((old >> (i * e)) & mask, (b >> (i * e)) & mask) << (i * e);
    return all;
  };
}

/** What an operation does in global memory (`flush`: subnormals of f32 go), and elsewhere. */
function updateOf(s: Site, name: string, t: Type, flush: boolean): Update {
  if (t.format === null || name === "exch") return updates[name]!;
  if (name === "add") return sum(t, t.format, flush && t.name === "f32");
  return name === "min" || name === "max" ? extreme(t, t.format, name === "max") : s.refuse("on floats");
}

const parts = (o: Operand): readonly Operand[] => (o.kind === "vector" ? o.elements : [o]);

function atomic(s: Site, result: boolean): ReturnType<Build> {
  const first = result ? 1 : 0;
  const { space, at } = target(s, s.operand(first));
  s.words.drop(HINTS);
  const name = s.words.oneOf(...Object.keys(updates)) ?? s.refuse("its operation");
  const vector = s.words.oneOf("v2", "v4", "v8");
  const t = s.words.types()[0] ?? s.refuse("no type");
  s.words.done();
  const size = t.bits / 8;
  const sources = parts(s.operand(first + 1)).map((o) => s.read(o, t));
  const c = name === "cas" ? s.read(s.operand(first + 2), t) : (): bigint => 0n;
  const writes = result ? parts(s.operand(0)).map((o) => s.write(o, t)) : [];
  const [flushing, exact] = [updateOf(s, name, t, true), updateOf(s, name, t, false)];
  const all = vector === null ? size : size * Number(vector[1]);
  const inGlobal = (where: Space, address: Value): boolean =>
    (where === "generic" ? spaceOf(address) : where) === "global";
  return (x) => {
    const address = at(x);
    locate(x, space, address, all);
    const update = inGlobal(space, address) ? flushing : exact;
    const values = sources.map((r) => r(x));
    const third = c(x);
    values.forEach((v, i) => {
      locate(x, space, address + BigInt(i * size), size);
      const old = take(size);
      put(size, update(old, v, third, t));
      writes[i]?.(x, old);
    });
  };
}

export const atomics: Readonly<Record<string, Build>> = {
  atom: (s) => atomic(s, true),
  // `red … _` has a result that nobody takes.
  red: (s) => atomic(s, s.ins.operands[0]?.kind === "sink"),
};
