/** Moves, loads, stores and addresses. What caches do is no part of the meaning: such words are dropped. */
import type { Operand } from "../../../ptx/index.js";
import type { Build, Read, Site, Step, Write } from "../code.js";
import { fromGeneric, load, locate, put, RANK_SHIFT, type Space, spaceOf, take, toGeneric } from "../memory.js";
import { genericOf } from "../operands.js";
import { Faulted, maskOf, type Type, typeNamed } from "../types.js";

/** Caches, eviction, order and scope of an access by one thread after another. */
export const HINTS: RegExp =
  /^(?:L[12]::\S+|ca|cg|cs|cv|lu|wb|wt|nc|weak|volatile|relaxed|acquire|release|acq_rel|mmio|cta|cluster|gpu|sys|unified|L1|L2|noftz)$/;
const SPACES: Readonly<Record<string, Space>> = {
  global: "global",
  shared: "shared",
  "shared::cta": "shared",
  "shared::cluster": "shared",
  local: "local",
  const: "const",
  param: "param",
  "param::entry": "param",
  "param::func": "param",
};

/** The space that the words name, and the address of an operand in it. */
export function target(s: Site, o: Operand): { readonly space: Space; readonly at: Read } {
  const word = s.words.oneOf(...Object.keys(SPACES));
  if (word === null) return { space: "generic", at: genericOf(s, o) };
  const space = SPACES[word]!;
  const at = s.address(o);
  if (space !== "param") return { space, at };
  // Parameters of functions lie in the frame; a kernel's have a space of their own.
  const found = o.kind === "address" && o.base !== null ? s.lookup(o.base) : null;
  return { space: found?.kind === "frame" ? "local" : "param", at };
}

const COMPONENTS = ["x", "y", "z", "w"];
/** The elements of a vector in braces, or of a vector register. */
function elements(s: Site, o: Operand, count: number): readonly Operand[] {
  if (o.kind === "vector") return o.elements.length === count ? o.elements : s.refuse(`${o.elements.length} elements`);
  if (count === 1) return [o];
  if (o.kind !== "name") return s.refuse("a vector of this form");
  return COMPONENTS.slice(0, count).map((component) => ({ ...o, component }));
}

interface Access {
  readonly space: Space;
  readonly at: Read;
  readonly type: Type;
  readonly size: number;
  readonly parts: readonly Operand[];
}

function access(s: Site, address: Operand, data: Operand): Access {
  const { space, at } = target(s, address);
  s.words.drop(HINTS);
  const vector = s.words.oneOf("v2", "v4", "v8");
  const count = vector === null ? 1 : Number(vector[1]);
  const type = s.words.types()[0] ?? s.refuse("no type");
  s.words.done();
  return { space, at, type, size: type.bits / 8, parts: elements(s, data, count) };
}

const loads: Build = (s) => {
  const { space, at, type, size, parts } = access(s, s.operand(1), s.operand(0));
  const writes = parts.map((p) => s.write(p, type));
  if (writes.length === 1) {
    const write = writes[0]!;
    return (t) => write(t, load(t, space, at(t), size));
  }
  const bytes = size * writes.length;
  return (t) => {
    const address = at(t);
    locate(t, space, address, bytes);
    const values = writes.map((_, i) => {
      locate(t, space, address + BigInt(i * size), size);
      return take(size);
    });
    writes.forEach((write, i) => {
      write(t, values[i]!);
    });
  };
};

const stores: Build = (s) => {
  const { space, at, type, size, parts } = access(s, s.operand(0), s.operand(1));
  const reads = parts.map((p) => s.read(p, type));
  const bytes = size * reads.length;
  return (t) => {
    const address = at(t);
    if (space === "const" || (space === "generic" && spaceOf(address) === "const"))
      throw new Faulted("illegal-address-space", "a store to constants", address);
    locate(t, space, address, bytes);
    reads.forEach((read, i) => {
      locate(t, space, address + BigInt(i * size), size);
      put(size, read(t));
    });
  };
};

/** `mov`: also packs elements into one register and takes one apart; the first element is the lowest. */
const moves: Build = (s) => {
  const vector = s.words.oneOf("v2", "v4");
  const type = s.words.types()[0] ?? s.refuse("no type");
  s.words.done();
  const [to, from] = [s.operand(0), s.operand(1)];
  if (vector !== null) return each(s, type, elements(s, to, Number(vector[1])), elements(s, from, Number(vector[1])));
  const part = (n: number): Type => ({ ...type, name: `b${type.bits / n}`, bits: type.bits / n, kind: "b" });
  if (from.kind === "vector" && from.elements.length > 1) {
    const one = part(from.elements.length);
    const reads = from.elements.map((o) => s.read(o, one));
    const write = s.write(to, type);
    return (t) =>
      write(
        t,
        reads.reduce((all, read, i) => all | (read(t) << BigInt(i * one.bits)), 0n),
      );
  }
  if (to.kind === "vector" && to.elements.length > 1) {
    const one = part(to.elements.length);
    const writes = to.elements.map((o) => s.write(o, one));
    const read = s.read(from, type);
    const mask = maskOf(one.bits);
    return (t) => {
      const v = read(t);
      writes.forEach((write, i) => {
        write(t, (v >> BigInt(i * one.bits)) & mask);
      });
    };
  }
  const [write, read] = [s.write(to, type), s.read(from, type)];
  return (t) => write(t, read(t));
};

function each(s: Site, type: Type, to: readonly Operand[], from: readonly Operand[]): Step {
  const writes: Write[] = to.map((o) => s.write(o, type));
  const reads = from.map((o) => s.read(o, type));
  return (t) => {
    const values = reads.map((r) => r(t));
    writes.forEach((w, i) => {
      w(t, values[i]!);
    });
  };
}

const addresses: Build = (s) => {
  const to = s.words.take("to");
  const word = s.words.need(...Object.keys(SPACES));
  const space = SPACES[word]!;
  const type = s.words.types()[0] ?? s.refuse("no type");
  s.words.done();
  const o = s.operand(1);
  const [write, read] = [s.write(s.operand(0), type), s.read(o, type)];
  const found = o.kind === "name" ? s.lookup(o.name) : null;
  // The address of a function's own parameter is one in local memory.
  const where = space === "param" && found?.kind === "frame" ? "local" : space;
  return to ? (t) => write(t, fromGeneric(where, read(t))) : (t) => write(t, toGeneric(where, read(t)));
};

const isSpace: Build = (s) => {
  const word = s.words.need(...Object.keys(SPACES));
  s.words.done();
  const [write, read] = [s.write(s.operand(0), typeNamed("pred")!), s.read(s.operand(1), typeNamed("u64")!)];
  return (t) => {
    const address = read(t);
    let is = spaceOf(address) === SPACES[word];
    if (is && (word === "shared" || word === "shared::cta")) {
      const rank = fromGeneric("shared", address) >> RANK_SHIFT;
      is = rank === 0n || t.cta.cluster.ctas[Number(rank) - 1] === t.cta;
    }
    write(t, is ? 1n : 0n);
  };
};

/** The address of a place in the shared memory of another CTA of the cluster. */
const mapa: Build = (s) => {
  const shared = s.words.take("shared::cluster");
  const type = s.words.types()[0] ?? s.refuse("no type");
  s.words.done();
  const [write, read, rank] = [
    s.write(s.operand(0), type),
    s.read(s.operand(1), type),
    s.read(s.operand(2), typeNamed("u32")!),
  ];
  const low = maskOf(Number(RANK_SHIFT));
  return (t) => {
    const address = read(t);
    const offset = shared ? address : fromGeneric("shared", address);
    const mapped = (offset & low) | ((rank(t) + 1n) << RANK_SHIFT);
    write(t, shared ? mapped : toGeneric("shared", mapped));
  };
};

const rankOf: Build = (s) => {
  const shared = s.words.take("shared::cluster");
  const types = s.words.types();
  s.words.done();
  const [write, read] = [s.write(s.operand(0), types[0] ?? typeNamed("u32")!), s.read(s.operand(1), typeNamed("u64")!)];
  return (t) => {
    const address = read(t);
    const rank = (shared ? address : fromGeneric("shared", address)) >> RANK_SHIFT;
    write(t, rank === 0n ? BigInt(t.cta.cluster.ctas.indexOf(t.cta)) : rank - 1n);
  };
};

const allocate: Build = (s) => {
  const type = s.words.types()[0] ?? s.refuse("no type");
  s.words.done();
  const align = s.ins.operands.length > 2 ? s.read(s.operand(2), typeNamed("u32")!) : (): bigint => 16n;
  const [write, size] = [s.write(s.operand(0), type), s.read(s.operand(1), type)];
  return (t) => write(t, BigInt(t.stack.reserve(Number(size(t)), Number(align(t)))));
};

const saveStack: Build = (s) => {
  const type = s.words.types()[0] ?? s.refuse("no type");
  const write = s.write(s.operand(0), type);
  return (t) => write(t, BigInt(t.stack.pointer));
};

const restoreStack: Build = (s) => {
  const type = s.words.types()[0] ?? s.refuse("no type");
  const read = s.read(s.operand(0), type);
  return (t) => {
    t.stack.pointer = Number(read(t));
  };
};

/** Nothing that a program could see. */
const nothing: Build = () => () => {};

export const memory: Readonly<Record<string, Build>> = {
  ld: loads,
  ldu: loads,
  st: stores,
  mov: moves,
  cvta: addresses,
  isspacep: isSpace,
  mapa,
  getctarank: rankOf,
  alloca: allocate,
  stacksave: saveStack,
  stackrestore: restoreStack,
  prefetch: nothing,
  prefetchu: nothing,
  applypriority: nothing,
  discard: nothing,
  // A policy steers caches; its value reaches hints only.
  createpolicy: nothing,
};
