/**
 * Seeded random PTX kernels and what they mean. A kernel is a tree of statements over a few registers of every type; the text and
 * the meaning of an operation stand side by side in one table, the meaning in plain TypeScript without any part of
 * ptxlab. Shuffles and barriers stand only where all threads are together, so threads may be run one after the other.
 */
import { random } from "../corpus/random.js";
import {
  bit,
  counts,
  type File,
  files,
  fromF32,
  fromF64,
  type Op,
  ops,
  s32,
  toF32,
  u32,
  type Value,
} from "./operations.js";

export const THREADS = 64;
/** 32-bit cells of the buffer that belong to one thread. */
export const CELLS = 16;

type Thread = Record<File, Value[]> & { cells: Uint32Array; loops: number[] };

interface Apply {
  readonly kind: "op";
  readonly op: Op;
  readonly to: number;
  readonly from: readonly number[];
  /** Guard predicate, −1 for none. */
  readonly guard: number;
}
interface Branch {
  readonly kind: "if";
  readonly p: number;
  readonly yes: readonly Statement[];
  readonly no: readonly Statement[];
}
interface Repeat {
  readonly kind: "loop";
  readonly counter: number;
  /** Register whose low bits are the number of turns. */
  readonly turns: number;
  readonly leave: number;
  readonly body: readonly Statement[];
}
/** A loop whose counter goes up: to a constant, or to the low bits of a register. */
interface Count {
  readonly kind: "count";
  readonly counter: number;
  readonly from: number;
  readonly step: number;
  readonly compare: "lt" | "le";
  /** Bound; null: the low bits of register `turns`. */
  readonly to: number | null;
  readonly turns: number;
  /** Tested before each turn. */
  readonly top: boolean;
  readonly nounroll: boolean;
  /** Register to which the counter is added in each turn. */
  readonly sum: number;
  readonly body: readonly Statement[];
}
interface Switch {
  readonly kind: "switch";
  /** Register whose low two bits choose. */
  readonly by: number;
  /** With a table of targets, else by comparing. */
  readonly table: boolean;
  readonly cases: readonly (readonly Statement[])[];
}
interface Access {
  readonly kind: "load" | "store";
  readonly register: number;
  /** A fixed cell, or −1 for the cell that the low bits of `index` name. */
  readonly cell: number;
  readonly index: number;
}
/** All threads together: shfl.sync.bfly by `mask`, or an exchange through shared memory with a barrier. */
interface Together {
  readonly kind: "shuffle" | "exchange";
  readonly register: number;
  readonly mask: number;
}
type Statement = Apply | Branch | Repeat | Count | Switch | Access | Together;

const MAX_DEPTH = 3;

export function generate(seed: number): readonly Statement[] {
  const { below } = random(seed * 7919 + 13);
  const apply = (): Apply => {
    const o = ops[below(ops.length)]!;
    // An operation that changes its sources first must not read one of them twice.
    const from = o.sources.map((f) => below(counts[f]));
    if (o.text.includes("; ") && from[0] === from[1]) from[1] = (from[0]! + 1) % counts[o.sources[1] ?? "r"];
    if (o.text.startsWith("add.cc")) {
      const to = (from[2]! + 1) % counts.r;
      return { kind: "op", op: o, to, from, guard: -1 };
    }
    return {
      kind: "op",
      op: o,
      to: below(counts[o.result]),
      from,
      guard: o.text.includes("; ") || below(4) > 0 ? -1 : below(counts.p),
    };
  };
  const list = (n: number, depth: number): Statement[] => Array.from({ length: n }, () => statement(depth));
  const statement = (depth: number): Statement => {
    const kind = below(20);
    if (kind < 2 && depth < MAX_DEPTH) {
      return { kind: "if", p: below(counts.p), yes: list(1 + below(5), depth + 1), no: list(below(4), depth + 1) };
    }
    if (kind === 2 && depth < MAX_DEPTH) {
      return {
        kind: "loop",
        counter: depth,
        turns: below(counts.r),
        leave: below(counts.p * 2) - counts.p,
        body: list(1 + below(5), depth + 1),
      };
    }
    if (kind === 7 && depth < MAX_DEPTH) {
      return {
        kind: "count",
        counter: depth,
        from: below(5) - 2,
        step: 1 + below(3),
        compare: below(2) === 0 ? "lt" : "le",
        to: below(2) === 0 ? null : below(14) - 2,
        turns: below(counts.r),
        top: below(3) === 0,
        nounroll: below(6) === 0,
        sum: below(counts.r),
        body: list(1 + below(4), depth + 1),
      };
    }
    if (kind === 8 && depth < MAX_DEPTH && below(2) === 0) {
      const cases = Array.from({ length: 4 }, () => list(below(3), depth + 1));
      return { kind: "switch", by: below(counts.r), table: below(2) === 0, cases };
    }
    if (kind < 6) {
      const cell = below(3) === 0 ? -1 : below(CELLS);
      return { kind: kind === 3 ? "store" : "load", register: below(counts.r), cell, index: below(counts.r) };
    }
    if (kind === 6 && depth === 0) {
      return { kind: below(2) === 0 ? "shuffle" : "exchange", register: below(counts.r), mask: 1 + below(31) };
    }
    return apply();
  };
  return list(6 + below(40), 0);
}

/**
 * Does a loop inside an arm of an `if` write the predicate that the arm depends on? ptxas 13.0.88 at -O1 and above takes the
 * predicate for a constant in such a loop, also in turns after the write: its code computes something else (-O0's does not).
 */
export function loopWritesItsCondition(program: readonly Statement[]): boolean {
  const writes = (list: readonly Statement[], known: ReadonlySet<number>, inLoop: boolean): boolean =>
    list.some((s) => {
      if (s.kind === "op") return inLoop && s.op.result === "p" && known.has(s.to);
      if (s.kind === "if") {
        // Inside a loop only what was known before it counts.
        const now = inLoop ? known : new Set([...known, s.p]);
        return writes(s.yes, now, inLoop) || writes(s.no, now, inLoop);
      }
      if (s.kind === "switch") return s.cases.some((c) => writes(c, known, inLoop));
      return (s.kind === "loop" || s.kind === "count") && writes(s.body, known, true);
    });
  return writes(program, new Set(), false);
}

// ------------------------------------------------------------------------------------------------ text

export function ptxText(program: readonly Statement[], target: string): string {
  let labels = 0;
  const lines = (list: readonly Statement[]): string => list.map(line).join("\n");
  const address = (s: Access): string =>
    s.cell >= 0
      ? `add.u64 %a, %mine, ${s.cell * 4};`
      : `and.b32 %t, %r${s.index}, ${CELLS - 1}; mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %mine;`;
  const line = (s: Statement): string => {
    switch (s.kind) {
      case "op": {
        const names = [`%${s.op.result}${s.to}`, ...s.from.map((n, k) => `%${s.op.sources[k]}${n}`)];
        const text = s.op.text.replace(/\b[ABCD]\b/g, (c) => names["DABC".indexOf(c)]!);
        return s.guard < 0 ? text : `@%p${s.guard} ${text}`;
      }
      case "if": {
        const n = labels++;
        return `@!%p${s.p} bra NO${n};\n${lines(s.yes)}\nbra OUT${n};\nNO${n}:\n${lines(s.no)}\nOUT${n}:`;
      }
      case "loop": {
        const n = labels++;
        const leave = s.leave < 0 ? "" : `@%p${s.leave} bra END${n};\n`;
        return `and.b32 %l${s.counter}, %r${s.turns}, 3;\nTOP${n}:\n${lines(s.body)}\n${leave}sub.u32 %l${s.counter}, %l${s.counter}, 1;
setp.ge.s32 %q, %l${s.counter}, 0;\n@%q bra TOP${n};\nEND${n}:`;
      }
      case "count": {
        const n = labels++;
        const [c, bound] = [`%l${s.counter}`, s.to === null ? `%u${s.counter}` : `${s.to}`];
        const again = `setp.${s.compare}.s32 %q, ${c}, ${bound};`;
        const start = `and.b32 %u${s.counter}, %r${s.turns}, 7;\nmov.b32 ${c}, ${s.from};`;
        const body = `${s.nounroll ? '.pragma "nounroll";\n' : ""}add.u32 %r${s.sum}, %r${s.sum}, ${c};\n${lines(s.body)}\nadd.s32 ${c}, ${c}, ${s.step};`;
        return s.top
          ? `${start}\nTOP${n}:\n${again}\n@!%q bra END${n};\n${body}\nbra TOP${n};\nEND${n}:`
          : `${start}\nTOP${n}:\n${body}\n${again}\n@%q bra TOP${n};\nEND${n}:`;
      }
      case "switch": {
        const n = labels++;
        const names = s.cases.map((_, k) => `CASE${n}_${k}`);
        const choose = s.table
          ? `TABLE${n}: .branchtargets ${names.join(", ")};\nbrx.idx %t, TABLE${n};`
          : names.map((name, k) => `setp.eq.u32 %q, %t, ${k};\n@%q bra ${name};`).join("\n");
        const arms = s.cases.map((c, k) => `${names[k]}:\n${lines(c)}\nbra END${n};`).join("\n");
        return `and.b32 %t, %r${s.by}, 3;\n${choose}\n${arms}\nEND${n}:`;
      }
      case "load":
        return `${address(s)} ld.global.u32 %r${s.register}, [%a];`;
      case "store":
        return `${address(s)} st.global.u32 [%a], %r${s.register};`;
      case "shuffle":
        return `shfl.sync.bfly.b32 %r${s.register}, %r${s.register}, ${s.mask}, 31, -1;`;
      default:
        return `bar.sync 0;\nst.shared.u32 [%own], %r${s.register};\nbar.sync 0;\nxor.b32 %t, %own, ${s.mask * 4};\nld.shared.u32 %r${s.register}, [%t];`;
    }
  };
  const types = { r: "b32", d: "b64", f: "f32", g: "f64", h: "b16", p: "pred" } as const;
  const cell = (k: number): string => `[%mine+${k * 4}]`;
  return `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 cells, .param .u64 out)
{
${files.map((f) => `.reg .${types[f]} %${f}<${counts[f]}>;`).join("\n")}
.reg .b32 %l<${MAX_DEPTH + 1}>, %u<${MAX_DEPTH + 1}>, %t, %own; .reg .b64 %a, %mine, %result; .reg .pred %q;
.shared .align 4 .b8 all[${THREADS * 4}];
ld.param.u64 %mine, [cells];
ld.param.u64 %result, [out];
mov.u32 %t, %tid.x;
mad.wide.u32 %mine, %t, ${CELLS * 4}, %mine;
mad.wide.u32 %result, %t, ${RESULT_WORDS * 4}, %result;
mov.u32 %own, all;
mad.lo.u32 %own, %t, 4, %own;
${seedText(cell)}
${lines(program)}
${resultText()}
ret;
}
`;
}

const RESULT_LIST = files
  .filter((f) => f !== "p")
  .flatMap((f) => Array.from({ length: counts[f] }, (_, i) => [f, i] as const));
/** 32-bit words that a thread writes at the end: two per register, and the predicates. */
export const RESULT_WORDS: number = (RESULT_LIST.length + 1) * 2;

/** Every register starts from the thread's cells. */
function seedText(cell: (k: number) => string): string {
  return [
    ...Array.from({ length: counts.r }, (_, i) => `ld.global.u32 %r${i}, ${cell(i)};`),
    ...Array.from({ length: counts.d }, (_, i) => `mov.b64 %d${i}, {%r${2 * i}, %r${2 * i + 1}};`),
    ...Array.from({ length: counts.f }, (_, i) => `ld.global.f32 %f${i}, ${cell(8 + i)};`),
    ...Array.from({ length: counts.g }, (_, i) => `cvt.f64.f32 %g${i}, %f${i};`),
    ...Array.from({ length: counts.h }, (_, i) => `cvt.u16.u32 %h${i}, %r${i};`),
    ...Array.from({ length: counts.p }, (_, i) => `setp.lt.s32 %p${i}, %r${i}, %r${i + 1};`),
  ].join("\n");
}

function resultText(): string {
  const out = RESULT_LIST.map(([f, i], k) => {
    const at = `[%result+${k * 8}]`;
    if (f === "h") return `cvt.u32.u16 %t, %h${i}; st.global.u32 ${at}, %t;`;
    return `st.global.b${f === "d" || f === "g" ? 64 : 32} ${at}, %${f}${i};`;
  });
  const predicates = Array.from(
    { length: counts.p },
    (_, i) => `selp.u32 %t, ${1 << i}, 0, %p${i}; or.b32 %own, %own, %t;`,
  );
  return [...out, "mov.u32 %own, 0;", ...predicates, `st.global.u32 [%result+${RESULT_LIST.length * 8}], %own;`].join(
    "\n",
  );
}

// ------------------------------------------------------------------------------------------------ meaning

/** Cells of all threads: numbers of all sizes, and floats from cell 8 on; NaN only as the machine makes it, since max(x, x) may be x. */
export function inputCells(seed: number): Uint32Array {
  const { below, u32: word } = random(seed + 5);
  const odd = [0, 0x80000000, 0x7fffffff, 0x7f800000, 0xff800000, 1, 0x00800000, 0x7f7fffff];
  return Uint32Array.from({ length: THREADS * CELLS }, (_, i) => {
    if (i % CELLS < 8) return word() >>> below(32);
    return below(6) === 0 ? odd[below(odd.length)]! : fromF32(Math.fround((below(20001) - 10000) / (1 + below(500))));
  });
}

/** Runs the program for all threads; `cells` is changed as the kernel changes it. Gives the result words. */
export function evaluate(program: readonly Statement[], cells: Uint32Array): Uint32Array {
  const threads = Array.from({ length: THREADS }, (_, t) => thread(cells.subarray(t * CELLS, (t + 1) * CELLS)));
  for (const s of program) {
    if (s.kind === "shuffle" || s.kind === "exchange") {
      const all = threads.map((t) => t.r[s.register]!);
      threads.forEach((t, i) => {
        t.r[s.register] = all[i ^ s.mask]!;
      });
    } else for (const t of threads) step(t, s);
  }
  const out = new Uint32Array(THREADS * RESULT_WORDS);
  threads.forEach((t, i) => {
    const base = i * RESULT_WORDS;
    RESULT_LIST.forEach(([f, n], k) => {
      const v = BigInt(t[f][n]!);
      out[base + 2 * k] = Number(v & 0xffffffffn);
      out[base + 2 * k + 1] = Number(v >> 32n);
    });
    out[base + 2 * RESULT_LIST.length] = t.p.reduce<number>((sum, p, k) => sum | (Number(p) << k), 0);
  });
  return out;
}

function thread(cells: Uint32Array): Thread {
  const r = Array.from({ length: counts.r }, (_, i) => cells[i]!);
  const f = Array.from({ length: counts.f }, (_, i) => cells[8 + i]!);
  return {
    r,
    f,
    d: Array.from({ length: counts.d }, (_, i) => BigInt(r[2 * i]!) | (BigInt(r[2 * i + 1]!) << 32n)),
    g: Array.from({ length: counts.g }, (_, i) => fromF64(toF32(f[i]!))),
    h: Array.from({ length: counts.h }, (_, i) => r[i]! & 0xffff),
    p: Array.from({ length: counts.p }, (_, i) => bit(s32(r[i]!) < s32(r[i + 1]!))),
    cells,
    loops: [],
  };
}

function step(t: Thread, s: Statement): void {
  switch (s.kind) {
    case "op":
      if (s.guard < 0 || t.p[s.guard] === 1) applyOp(t, s);
      return;
    case "if":
      for (const x of t.p[s.p] === 1 ? s.yes : s.no) step(t, x);
      return;
    case "loop":
      for (let n = Number(t.r[s.turns]!) & 3; ; ) {
        for (const x of s.body) step(t, x);
        if ((s.leave >= 0 && t.p[s.leave] === 1) || --n < 0) return;
      }
    case "count": {
      const to = s.to ?? Number(t.r[s.turns]!) & 7;
      const more = (c: number): boolean => (s.compare === "lt" ? c < to : c <= to);
      for (let c = s.from, first = true; (first && !s.top) || more(c); c += s.step, first = false) {
        t.r[s.sum] = (Number(t.r[s.sum]!) + c) >>> 0;
        for (const x of s.body) step(t, x);
      }
      return;
    }
    case "switch":
      for (const x of s.cases[Number(t.r[s.by]!) & 3]!) step(t, x);
      return;
    case "load":
      t.r[s.register] = t.cells[cellOf(t, s)]!;
      return;
    case "store":
      t.cells[cellOf(t, s)] = Number(t.r[s.register]!);
      return;
    default:
      throw new Error(`${s.kind} inside of control flow`);
  }
}

function cellOf(t: Thread, s: Access): number {
  return s.cell >= 0 ? s.cell : Number(t.r[s.index]!) & (CELLS - 1);
}

function applyOp(t: Thread, s: Apply): void {
  const values = s.from.map((n, k) => t[s.op.sources[k]!][n]!);
  // What the text does to a source before it is used.
  if (s.op.text.startsWith("or.b32 B")) t.r[s.from[1]!] = u32(Number(values[1]!) | 1);
  else if (s.op.text.startsWith("or.b64 B")) t.d[s.from[1]!] = BigInt(values[1]!) | 1n;
  t[s.op.result][s.to] = s.op.eval(...values);
}
