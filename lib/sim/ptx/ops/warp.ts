/** What the threads of a warp do together. Each waits until all that its mask names have come. */
import type { Operand } from "../../../ptx/index.js";
import type { Build, Read, Site, Step } from "../code.js";
import { abs, compare, decode, encode, F32, type Float, NAN } from "../exact.js";
import type { Thread } from "../state.js";
import { Faulted, integerOf, type Type, typeNamed, type Value } from "../types.js";

const PRED: Type = typeNamed("pred")!;
const U32: Type = typeNamed("u32")!;
type Group = readonly (Thread | undefined)[];

/** Value `k` that the thread brought. */
function brought(t: Thread, k: number): Value {
  return t.wait?.kind === "collective" ? t.wait.values[k]! : 0n;
}

const members = (group: Group): Thread[] => group.filter((t): t is Thread => t !== undefined);

/** Waits with the values; `finish` then writes this thread's results and must read others' values only. */
function gather(name: string, mask: Read, values: readonly Read[], finish: (t: Thread, group: Group) => void): Step {
  return (t) => {
    const m = Number(mask(t));
    if (((m >>> t.lane) & 1) === 0)
      throw new Faulted("illegal-instruction", `${name}: lane ${t.lane} is not in its mask 0x${m.toString(16)}`);
    t.wait = {
      kind: "collective",
      name,
      mask: m,
      values: values.map((r) => r(t)),
      finish: (group) => finish(t, group),
    };
  };
}

const pair = (o: Operand): readonly [Operand, Operand | null] => (o.kind === "pair" ? [o.first, o.second] : [o, null]);

const shuffle: Build = (s) => {
  s.words.need("sync");
  const mode = s.words.need("up", "down", "bfly", "idx");
  const type = s.words.types()[0] ?? s.refuse("no type");
  s.words.done();
  const [to, p] = pair(s.operand(0));
  const write = s.write(to, type);
  const writeP = p === null ? null : s.write(p, PRED);
  const values = [s.read(s.operand(1), type), s.read(s.operand(2), U32), s.read(s.operand(3), U32)];
  return gather("shfl", s.read(s.operand(4), U32), values, (t, group) => {
    const { lane } = t;
    const b = Number(brought(t, 1)) & 31;
    const c = Number(brought(t, 2));
    const segment = (c >> 8) & 31;
    const most = (lane & segment) | (c & 31 & ~segment);
    const j = { up: lane - b, down: lane + b, bfly: lane ^ b, idx: (lane & segment) | (b & ~segment) }[mode];
    const inside = mode === "up" ? j >= most : j <= most;
    const from = group[inside ? j : lane];
    // From a lane that does not take part the value is not defined: zero here.
    write(t, from === undefined ? 0n : brought(from, 0));
    writeP?.(t, inside ? 1n : 0n);
  });
};

const vote: Build = (s) => {
  s.words.need("sync");
  const mode = s.words.need("all", "any", "uni", "ballot");
  const type = s.words.types()[0] ?? s.refuse("no type");
  s.words.done();
  const write = s.write(s.operand(0), type);
  return gather("vote", s.read(s.operand(2), U32), [s.read(s.operand(1), PRED)], (t, group) => {
    const all = members(group);
    const yes = all.filter((x) => brought(x, 0) === 1n);
    const truth = {
      all: yes.length === all.length,
      any: yes.length > 0,
      uni: yes.length === 0 || yes.length === all.length,
    };
    if (mode === "ballot")
      write(
        t,
        yes.reduce((m, x) => m | (1n << BigInt(x.lane)), 0n),
      );
    else write(t, truth[mode] ? 1n : 0n);
  });
};

const match: Build = (s) => {
  const all = s.words.need("any", "all") === "all";
  s.words.need("sync");
  const type = s.words.types()[0] ?? s.refuse("no type");
  s.words.done();
  const [to, p] = pair(s.operand(0));
  const write = s.write(to, U32);
  const writeP = p === null ? null : s.write(p, PRED);
  return gather("match", s.read(s.operand(2), U32), [s.read(s.operand(1), type)], (t, group) => {
    const same = members(group).filter((x) => brought(x, 0) === brought(t, 0));
    const lanes = same.reduce((m, x) => m | (1n << BigInt(x.lane)), 0n);
    const whole = same.length === members(group).length;
    write(t, all && !whole ? 0n : lanes);
    writeP?.(t, whole ? 1n : 0n);
  });
};

function extremeFloat(max: boolean, nan: boolean, magnitude: boolean): (a: Value, b: Value) => Value {
  const of = (v: Value): Float => (magnitude ? abs(decode(v, F32)) : decode(v, F32));
  return (a, b) => {
    const [x, y] = [of(a), of(b)];
    if (x.kind === "nan" || y.kind === "nan") return encode(nan ? NAN : x.kind === "nan" ? y : x, F32);
    const d = compare(x, y) || Number(y.negative) - Number(x.negative);
    return encode(d > 0 === max ? x : y, F32);
  };
}

const redux: Build = (s) => {
  s.words.need("sync");
  const name = s.words.need("add", "min", "max", "and", "or", "xor");
  const nan = s.words.take("NaN");
  const magnitude = s.words.take("abs");
  const type = s.words.types()[0] ?? s.refuse("no type");
  s.words.done();
  const write = s.write(s.operand(0), type);
  const lesser = (a: Value, b: Value): boolean => integerOf(a, type) < integerOf(b, type);
  const joins = {
    add: (a: Value, b: Value) => (a + b) & 0xffffffffn,
    min: (a: Value, b: Value) => (lesser(a, b) ? a : b),
    max: (a: Value, b: Value) => (lesser(a, b) ? b : a),
    and: (a: Value, b: Value) => a & b,
    or: (a: Value, b: Value) => a | b,
    xor: (a: Value, b: Value) => a ^ b,
  };
  const join = type.format === null ? joins[name] : extremeFloat(name === "max", nan, magnitude);
  return gather("redux", s.read(s.operand(2), U32), [s.read(s.operand(1), type)], (t, group) => {
    const values = members(group).map((x) => brought(x, 0));
    const first = type.format === null ? values[0]! : join(values[0]!, values[0]!);
    write(t, values.slice(1).reduce(join, first));
  });
};

const elect: Build = (s) => {
  s.words.need("sync");
  s.words.done();
  const [to, p] = pair(s.operand(0));
  const write = s.write(to, U32);
  const writeP = p === null ? null : s.write(p, PRED);
  return gather("elect", s.read(s.operand(1), U32), [], (t, group) => {
    const leader = members(group)[0]!;
    write(t, BigInt(leader.lane));
    writeP?.(t, leader === t ? 1n : 0n);
  });
};

/** The lanes that can be here together: those that come before all others of the warp wait or have ended. */
const activemask: Build = (s) => {
  s.words.types();
  s.words.done();
  const write = s.write(s.operand(0), U32);
  return (t) => {
    t.wait = { kind: "converged", finish: (lanes) => write(t, BigInt(lanes >>> 0)) };
  };
};

/** `bar.warp.sync`. */
export function warpBarrier(s: Site): Step {
  s.words.need("sync");
  s.words.done();
  return gather("bar.warp.sync", s.read(s.operand(0), U32), [], () => {});
}

export const warps: Readonly<Record<string, Build>> = { shfl: shuffle, vote, match, redux, elect, activemask };
