/**
 * Chain kernels: a long walk through PTX operations in which every one needs the result of the one before, so that the
 * scheduler has nothing to put between producer and consumer and the stall says the distance.
 */
import { type ChainOp, chainOps, type Rewrite, rewrites, type ValueType } from "./ops/index.js";
import { compileKernels } from "./ptxas.js";
import { Random } from "./random.js";

export function chainHead(arch: string): string {
  return `.version 9.0
.target ${arch}
.address_size 64
.global .texref tx;
.global .surfref sf;
.const .b32 cn[64];
`;
}

const prologue = `.reg .b64 %in, %out;
.shared .align 16 .b8 sm[4096];
.local .align 16 .b8 lm[256];
.reg .b32 %a<6>, %x<2>, %sh, %lo; .reg .b64 %l<4>, %pl; .reg .pred %p<4>, %w<2>; .reg .b16 %h<2>;
ld.param.b64 %in, [g]; cvta.to.global.u64 %in, %in; ld.param.b64 %pl, [g];
mov.u32 %sh, %tid.x; mul.wide.u32 %out, %sh, 64; add.s64 %in, %in, %out;
ld.global.b32 %a0, [%in]; ld.global.b32 %a1, [%in+4]; ld.global.b32 %a2, [%in+8]; ld.global.b32 %a3, [%in+12];
ld.global.b32 %a4, [%in+16]; ld.global.b32 %a5, [%in+20];
ld.global.b64 %l0, [%in+24]; ld.global.b64 %l1, [%in+32]; ld.global.b64 %l2, [%in+40]; ld.global.b64 %l3, [%in+48];
setp.gt.s32 %p0, %a0, 17; setp.gt.s32 %p1, %a1, 19; setp.gt.s32 %p2, %a2, 21; setp.gt.s32 %p3, %a3, 23;
ld.param.b32 %x0, [x]; ld.param.b32 %x1, [y]; setp.gt.s32 %w0, %x0, 3; setp.gt.s32 %w1, %x1, 5;
mov.b32 {%h0, %h1}, %a5;
bar.sync 0;
`;

/** What ptxas takes on a target: operations, and second writers. */
export interface Vocabulary {
  readonly ops: readonly ChainOp[];
  readonly rewrites: readonly Rewrite[];
}

export function vocabularyOf(arch: string): Vocabulary {
  const ask = (steps: readonly Step[]): readonly number[] => {
    const kernels = steps.map((step, i) => chainKernel(`probe${i}`, [step]));
    return compileKernels(chainHead(arch), kernels, arch, 3).taken;
  };
  const ops = ask(chainOps.map((op) => ({ op, rewrite: null, back: 0 }))).map((i) => chainOps[i]!);
  const first = (to: ValueType): ChainOp => ops.find((op) => op.to === to)!;
  const again = ask(rewrites.map((r) => ({ op: first(r.to), rewrite: r.text, back: 0 })));
  return { ops, rewrites: again.map((i) => rewrites[i]!) };
}

export interface Step {
  readonly op: ChainOp;
  /** A second write of the result under a predicate. */
  readonly rewrite: string | null;
  /** So many values of its type before the last one: what the operation takes. */
  readonly back: number;
  /** A second write, under a predicate, of what the operation takes; it is used once more after that. */
  readonly overwrite?: string | null;
}

/** `chain`: each step takes the one before; `mesh`: often an older one, results are written again, registers are scarce. */
export type Style = "chain" | "mesh";

/** Walks that visit every pair of operations that fit together, most wanted first; deterministic in the seed. */
export class Walker {
  private readonly seen = new Map<string, number>();
  private readonly random: Random;
  private readonly byFrom = new Map<string, ChainOp[]>();
  private readonly count = new Map<ChainOp, number>();

  constructor(
    private readonly words: Vocabulary,
    seed: number,
  ) {
    this.random = new Random(seed);
    for (const op of words.ops) {
      const list = this.byFrom.get(op.from);
      if (list) list.push(op);
      else this.byFrom.set(op.from, [op]);
    }
  }

  kernel(name: string, length: number, style: Style): string {
    const mesh = style === "mesh";
    const steps: Step[] = [];
    let last: ChainOp | null = null;
    for (let i = 0; i < length; i++) {
      const from: string = last === null || this.random.below(25) === 0 ? "" : last.to;
      const op = this.next(from === "" ? null : last, this.byFrom.get(from)!);
      const second = this.words.rewrites.filter((r) => r.to === op.to);
      const rewrite = second.length > 0 && this.random.below(mesh ? 2 : 8) === 0 ? this.random.pick(second).text : null;
      steps.push({ op, rewrite, back: mesh && this.random.below(3) === 0 ? 1 + this.random.below(4) : 0 });
      last = op;
    }
    return chainKernel(name, steps, mesh ? ".maxnreg 40\n" : "");
  }

  private next(last: ChainOp | null, list: readonly ChainOp[]): ChainOp {
    let best: ChainOp | null = null;
    let least = Infinity;
    for (let k = 0; k < 12; k++) {
      const op = this.random.pick(list);
      const n = (this.seen.get(`${last?.text}|${op.text}`) ?? 0) * 100 + (this.count.get(op) ?? 0);
      if (n < least) {
        least = n;
        best = op;
      }
    }
    const key = `${last?.text}|${best!.text}`;
    this.seen.set(key, (this.seen.get(key) ?? 0) + 1);
    this.count.set(best!, (this.count.get(best!) ?? 0) + 1);
    return best!;
  }
}

const registerOf: Readonly<Record<ValueType, string>> = { r: "%v", u: "%v", l: "%d", p: "%q", w: "%q" };
const typeOf: Readonly<Record<ValueType, string>> = { r: "b32", u: "b32", l: "b64", p: "pred", w: "pred" };
/** Names of a text that stand for registers of the pool, in turn. */
const pools: Readonly<Record<string, readonly string[]>> = {
  A: ["%a0", "%a3"],
  B: ["%a1", "%a4"],
  C: ["%a2", "%a5"],
  L: ["%l0", "%l2"],
  M: ["%l1", "%l3"],
  P: ["%p0", "%p2"],
  Q: ["%p1", "%p3"],
  X: ["%x0"],
  Y: ["%x1"],
  W: ["%w0"],
  PL: ["%pl"],
  G: ["%in"],
  SM: ["sm"],
  LM: ["lm"],
};

/** A kernel that takes these steps; where the types of two do not fit together a new chain begins. */
export function chainKernel(name: string, steps: readonly Step[], limits = ""): string {
  let body = "";
  const used: Record<string, number> = { "%v": 0, "%d": 0, "%q": 0 };
  let labels = 0;
  let current = "%a0";
  let type: ValueType = "r";
  const made: Record<ValueType, string[]> = { r: [], l: [], p: [], u: [], w: [] };
  let kept = 0;
  steps.forEach(({ op, rewrite, back, overwrite }, i) => {
    if (op.from === "" || op.from !== type) body += keep(type, current, kept++);
    if (op.from !== "" && op.from !== type) current = startOf(op.from);
    if (op.from !== "" && back > 0) current = made[op.from].at(-1 - back) ?? current;
    const file = registerOf[op.to];
    const out = `${file}${used[file]!++}`;
    const label = `L${name}_${labels++}`;
    const put = (text: string): string =>
      text.replace(/(?<![\w%.])(TL|TP|PL|SM|LM|LB|[A-CGILMOPQT-Y])(?![A-Z0-9_]|(?<!LB)\w)/g, (w) => {
        if (w === "I") return current;
        if (w === "O") return out;
        if (w === "LB") return label;
        if (w === "T" || w === "U" || w === "V") return `%v${used["%v"]!++}`;
        if (w === "TL") return `%d${used["%d"]!++}`;
        if (w === "TP") return `%q${used["%q"]!++}`;
        const pool = pools[w]!;
        return pool[i % pool.length]!;
      });
    body += `${stable(put, op.text)}\n`;
    const guard = op.to === "u" || op.to === "w" ? `%w${i % 2}` : `%p${i % 4}`;
    if (rewrite) for (const t of rewrite.split("; ")) body += `@${guard} ${stable(put, t)}\n`;
    if (overwrite && op.from !== "") {
      const taken = current;
      const into = (text: string): string => (text === "O" ? taken : put(text));
      const sense = op.from === "u" || op.from === "w" ? `%w${i % 2}` : `%p${i % 4}`;
      for (const t of overwrite.split("; ")) body += `@${sense} ${stable(into, t)}\n`;
      body += keep(op.from, taken, kept++);
    }
    current = out;
    made[op.to].push(out);
    type = op.to;
  });
  body += keep(type, current, kept);
  const declare = Object.entries(used)
    .filter(([, n]) => n > 0)
    .map(([f, n]) => `.reg .${f === "%v" ? "b32" : f === "%d" ? "b64" : "pred"} ${f}<${n}>;\n`)
    .join("");
  return `.visible .entry ${name}(.param .b64 g, .param .b32 x, .param .b32 y, .param .b32 uni)\n${limits}{\n${prologue}${declare}${body}ret;\n}\n`;
}

/** A name that stands several times in one text is one register. */
function stable(put: (text: string) => string, text: string): string {
  const names = new Map<string, string>();
  return text.replace(/(?<![\w%.])(TL|TP|PL|SM|LM|LB|[A-CGILMOPQT-Y])(?![A-Z0-9_]|(?<!LB)\w)/g, (w) => {
    let n = names.get(w);
    if (n === undefined) {
      n = put(w);
      names.set(w, n);
    }
    return n;
  });
}

function startOf(type: ValueType): string {
  return { r: "%a0", u: "%x0", l: "%l0", p: "%p0", w: "%w0" }[type];
}

/** The value is used at the end of its chain. */
function keep(type: ValueType, name: string, i: number): string {
  if (typeOf[type] !== "pred") return `st.volatile.global.${typeOf[type]} [%in+${1024 + 8 * i}], ${name};\n`;
  return `{ .reg .b32 k; selp.b32 k, 1, 2, ${name}; st.volatile.global.b32 [%in+${1024 + 8 * i}], k; }\n`;
}
