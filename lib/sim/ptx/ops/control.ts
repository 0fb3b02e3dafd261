/** Branches, calls, ends, barriers. */
import type { Operand } from "../../../ptx/index.js";
import type { Build, Code, Formal, Read, Site, Step } from "../code.js";
import { locate, put, take } from "../memory.js";
import { callOutside } from "../outside.js";
import type { Frame, Gathering, Thread } from "../state.js";
import { Faulted, type Type, typeNamed, type Value } from "../types.js";
import { warpBarrier } from "./warp.js";

const U32: Type = typeNamed("u32")!;
const U64: Type = typeNamed("u64")!;
const PRED: Type = typeNamed("pred")!;

const branch: Build = (s) => {
  s.words.take("uni");
  s.words.done();
  const to = s.label(s.operand(0));
  return (t) => {
    t.frame.pc = to;
  };
};

const indexed: Build = (s) => {
  s.words.need("idx");
  s.words.take("uni");
  s.words.done();
  const o = s.operand(1);
  const found = o.kind === "name" ? s.lookup(o.name) : null;
  if (found?.kind !== "targets") return s.refuse("no list of targets");
  const labels = found.names.map((name) => s.label({ kind: "name", name, component: null, offset: 0, index: null }));
  const index = s.read(s.operand(0), U32);
  return (t) => {
    const to = labels[Number(index(t))];
    if (to === undefined) throw new Faulted("illegal-instruction", `brx.idx ${index(t)} of ${labels.length} targets`);
    t.frame.pc = to;
  };
};

/** Bytes of an argument: of a variable of the caller's frame, or of a register or constant. */
type Carry = (t: Thread, bytes: number) => Value;

function argument(s: Site, o: Operand): Carry {
  const found = o.kind === "name" ? s.lookup(o.name) : null;
  if (found?.kind === "frame") {
    const { offset } = found;
    return (t, bytes) => fromLocal(t, t.frame.base + offset, bytes);
  }
  const reads = new Map<number, Read>();
  for (const n of [1, 2, 4, 8]) reads.set(n, s.read(o, typeNamed(`b${8 * n}`)!));
  return (t, bytes) => reads.get(bytes)!(t);
}

/** Any number of bytes in local memory as one number. */
function fromLocal(t: Thread, at: number, bytes: number): Value {
  let v = 0n;
  for (let i = bytes - 1; i >= 0; i--) {
    locate(t, "local", BigInt(at + i), 1);
    v = (v << 8n) | take(1);
  }
  return v;
}

function toLocal(t: Thread, at: number, bytes: number, v: Value): void {
  for (let i = 0; i < bytes; i++) {
    locate(t, "local", BigInt(at + i), 1);
    put(1, (v >> BigInt(8 * i)) & 0xffn);
  }
}

/** Where the caller wants a result. */
type Receive = (t: Thread, bytes: number, v: Value) => void;

function result(s: Site, o: Operand): Receive {
  const found = o.kind === "name" ? s.lookup(o.name) : null;
  if (found?.kind === "frame") {
    const { offset } = found;
    return (t, bytes, v) => toLocal(t, t.frame.base + offset, bytes, v);
  }
  const writes = new Map([1, 2, 4, 8].map((n) => [n, s.write(o, typeNamed(`b${8 * n}`)!)]));
  return (t, bytes, v) => writes.get(bytes)!(t, v);
}

function place(t: Thread, frame: Frame, formal: Formal, v: Value): void {
  if (formal.register !== null) frame.registers[formal.register] = v;
  else toLocal(t, frame.base + formal.offset!, formal.bytes, v);
}

function invoke(t: Thread, code: Code, args: readonly Carry[], results: readonly Receive[]): void {
  const values = code.params.map((p, i) => args[i]?.(t, p.bytes) ?? 0n);
  if (code.outside) {
    const value = callOutside(t, code.name, values);
    if (value !== null) results[0]?.(t, code.returns[0]?.bytes ?? 0, value);
    return;
  }
  const frame = t.enter(code, (back, callee) => {
    const given = code.returns.map((r) =>
      r.register !== null ? callee.registers[r.register]! : fromLocal(back, callee.base + r.offset!, r.bytes),
    );
    for (const [i, r] of code.returns.entries()) results[i]?.(back, r.bytes, given[i]!);
  });
  for (const [i, p] of code.params.entries()) place(t, frame, p, values[i]!);
}

const call: Build = (s) => {
  s.words.take("uni");
  s.words.done();
  const all = [...s.ins.operands];
  const returns = all[0]?.kind === "list" ? all.shift()! : null;
  const callee = all.shift() ?? s.refuse("nobody is called");
  const given = all[0]?.kind === "list" ? all[0] : null;
  const list = (o: Operand | null): readonly Operand[] => (o?.kind === "list" ? o.elements : []);
  const args = list(given).map((o) => argument(s, o));
  const results = list(returns).map((o) => result(s, o));
  const found = callee.kind === "name" ? s.lookup(callee.name) : null;
  if (found?.kind === "function") {
    const code = found.code();
    return (t) => invoke(t, code, args, results);
  }
  const address = s.read(callee, U64);
  return (t) => {
    const at = address(t);
    const code = t.cta.launch.functions.get(at);
    if (code === undefined)
      throw new Faulted("illegal-instruction", `a call of 0x${at.toString(16)}, where no function is`, at);
    invoke(t, code, args, results);
  };
};

const leave: Build = (s) => {
  s.words.take("uni");
  s.words.done();
  return (t) => t.leave();
};

const fault =
  (kind: "trap" | "breakpoint", message: string): Build =>
  () =>
  () => {
    throw new Faulted(kind, message);
  };

// ------------------------------------------------------------------------------------------------ barriers

function gathering(t: Thread, id: number, expected: number | null): Gathering {
  const { barriers } = t.cta;
  let g = barriers.get(id);
  if (g === undefined) {
    g = { expected, arrivals: new Map() };
    barriers.set(id, g);
  }
  return g;
}

const barrier: Build = (s) => {
  if (s.words.take("warp")) return warpBarrier(s);
  if (s.words.take("cluster")) return clusterBarrier(s);
  s.words.take("cta");
  const kind = s.words.need("sync", "arrive", "red");
  const join = kind === "red" ? s.words.need("popc", "and", "or") : null;
  s.words.take("aligned");
  s.words.types();
  s.words.done();
  const operands = s.ins.operands;
  const first = kind === "red" ? 1 : 0;
  const id = s.read(s.operand(first), U32);
  const withCount = operands.length > first + (kind === "red" ? 2 : 1);
  const count = withCount ? s.read(s.operand(first + 1), U32) : null;
  const bit = kind === "red" ? s.read(operands.at(-1)!, PRED) : (): Value => 0n;
  const write = join === null ? null : s.write(s.operand(0), join === "popc" ? U32 : PRED);
  return (t) => {
    const n = Number(id(t));
    gathering(t, n, count === null ? null : Number(count(t))).arrivals.set(t, bit(t) === 1n);
    if (kind === "arrive") return;
    const finish = (bits: readonly boolean[]): void => {
      const yes = bits.filter((b) => b).length;
      const truth = join === "and" ? yes === bits.length : yes > 0;
      write?.(t, join === "popc" ? BigInt(yes) : truth ? 1n : 0n);
    };
    t.wait = { kind: "barrier", id: n, finish };
  };
};

function clusterBarrier(s: Site): Step {
  const wait = s.words.need("arrive", "wait") === "wait";
  s.words.drop(/^(?:acquire|release|relaxed|aligned)$/);
  s.words.done();
  if (wait)
    return (t) => {
      t.wait = { kind: "cluster", generation: t.clusterArrival };
    };
  return (t) => {
    t.clusterArrival = t.cta.cluster.generation;
    t.cta.cluster.arrived.add(t);
  };
}

/** Others shall come to their turn. */
const pause: Build = () => (t) => {
  t.pause = true;
};
const nothing: Build = () => () => {};

export const control: Readonly<Record<string, Build>> = {
  bra: branch,
  brx: indexed,
  call,
  ret: leave,
  exit: () => (t) => t.exit(),
  trap: fault("trap", "trap"),
  brkpt: fault("breakpoint", "brkpt"),
  bar: barrier,
  barrier,
  // Threads run one after the other on one memory: every access is seen at once.
  membar: nothing,
  fence: nothing,
  nanosleep: pause,
  pmevent: nothing,
  griddepcontrol: nothing,
  setmaxnreg: nothing,
};
