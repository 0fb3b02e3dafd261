/**
 * Seeded random programs in CUDA C++ with their host twins, in the manner of test/programs: what a thread does is a C++ function that both
 * compilers compile; shuffles and exchanges through shared memory stand at the kernel's top level, where the host does them for all threads
 * at once. Atomics have results that do not depend on their order. Nothing that C++ leaves undefined occurs.
 */
import { random } from "../../test/corpus/random.js";

/** Text around lists of statements: `parts[0] children[0] parts[1] …`. */
export interface Statement {
  readonly parts: readonly string[];
  readonly children: readonly (readonly Statement[])[];
}

/** What threads do together between two phases. */
export type Meeting =
  | {
      readonly kind: "shuffle";
      readonly variable: string;
      readonly by: number;
      readonly mode: "xor" | "up" | "down" | "idx";
    }
  | { readonly kind: "exchange"; readonly variable: string; readonly by: number }
  | { readonly kind: "vote"; readonly from: string; readonly to: string };

export interface Helper {
  readonly head: string;
  readonly body: readonly Statement[];
  readonly result: string;
}

export interface CudaProgram {
  readonly helpers: readonly Helper[];
  readonly phases: readonly (readonly Statement[])[];
  /** After each phase but the last. */
  readonly meetings: readonly Meeting[];
}

export const THREADS = 64;
export const CELLS = 8;

/** Variables of a thread: names by type. */
export const variables: Readonly<Record<string, readonly string[]>> = {
  u32: ["u0", "u1", "u2", "u3"],
  s32: ["i0", "i1", "i2"],
  u64: ["l0", "l1"],
  s64: ["m0", "m1"],
  float: ["f0", "f1"],
  double: ["d0", "d1"],
  u8: ["b0"],
  int16_t: ["h0", "h1"],
};
export const types = Object.keys(variables);
export const all = types.flatMap((t) => variables[t]!.map((v) => [v, t] as const));

class Maker {
  private readonly below: (n: number) => number;
  private depth = 0;
  private loops = 0;
  private counter = 0;
  private atomics = false;
  /** Helpers that may be called: those that come before. */
  constructor(
    seed: number,
    private readonly id: string,
    private helpers: number,
  ) {
    this.below = random(seed).below;
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  variable(type: string): string {
    return this.pick(variables[type]!);
  }

  private literal(type: string): string {
    if (type === "float") return `${this.below(64) - 20}.${this.pick([0, 5, 25])}f`;
    if (type === "double") return `${this.below(64) - 20}.${this.pick([0, 5, 125])}`;
    const n = this.pick([0, 1, 2, 3, 7, 31, 100, 255, 65535]);
    return `(${type})${this.below(3) === 0 ? this.below(0x7fffffff) : n}`;
  }

  /** An expression of the type. Signed arithmetic is that of unsigned numbers. */
  expr(type: string, depth = 0): string {
    if (depth > 2 || this.below(4) === 0) return this.below(4) === 0 ? this.literal(type) : `s.${this.variable(type)}`;
    const sub = (t = type): string => this.expr(t, depth + 1);
    const float = type === "float" || type === "double";
    const kind = this.below(14);
    if (kind === 0) return `(${this.condition(depth + 1)} ? ${sub()} : ${sub()})`;
    if (kind === 1) return this.cast(type, depth);
    if (float) {
      const f = type === "float" ? "f" : "";
      if (kind === 2) return `sqrt${f}(fabs${f}(${sub()}))`;
      if (kind === 3) return `lesser(${sub()}, ${sub()})`;
      if (kind === 4) return `(${sub()} / (${sub()} + 3.5${f}))`;
      if (kind === 5 && type === "float") return "s.p.z";
      return `(${sub()} ${this.pick(["+", "-", "*"])} ${sub()})`;
    }
    const wide = /64/.test(type) ? "u64" : "u32";
    const signed = type.startsWith("s") || type.startsWith("int");
    const [a, b] = [`(${wide})${sub()}`, `(${wide})${sub()}`];
    if (kind === 2) return `(${type})(${a} << (${sub("u32")} & ${wide === "u64" ? 63 : 31}))`;
    if (kind === 3)
      return `(${type})((${type})${sub()} >> (${sub("u32")} & ${/64/.test(type) ? 63 : type === "u8" ? 7 : /16/.test(type) ? 15 : 31}))`;
    if (kind === 4)
      return `(${type})(${sub()} ${this.pick(["/", "%"])} (${type})(((${signed ? `${sub()} & 63` : sub()})) | 1))`;
    if (kind === 5) return `(${type})s.arr[${sub("u32")} & 7]`;
    if (kind === 6)
      return `(${type})(${this.pick(["s.p.x", "s.p.y", "s.p.w", `s.cells[${sub("u32")} & ${CELLS - 1}]`])})`;
    if (kind === 7) return `(${type})${this.call(depth)}`;
    if (kind === 8) return `(${type})~${a}`;
    return `(${type})(${a} ${this.pick(["+", "-", "*", "&", "|", "^"])} ${b})`;
  }

  private cast(type: string, depth: number): string {
    const from = this.pick(types.filter((t) => t !== type));
    const e = this.expr(from, depth + 1);
    if (from !== "float" && from !== "double") return `(${type})${e}`;
    return type === "float" || type === "double" ? `(${type})${e}` : `(${type})toInt(${e})`;
  }

  private call(depth: number): string {
    const arg = (t: string): string => this.expr(t, depth + 2);
    if (this.helpers === 0 || this.below(3) === 0 || this.loops > 0)
      return `table${this.id}[${arg("u32")} & 3](${arg("u32")}, ${arg("u32")})`;
    return `g${this.id}_${this.below(this.helpers)}(${arg("u32")}, ${arg("s64")}, ${arg("float")}, s.p, 2)`;
  }

  condition(depth = 0): string {
    const type = this.pick(types);
    const test = `(${this.expr(type, depth + 1)} ${this.pick(["<", "<=", ">", ">=", "==", "!="])} ${this.expr(type, depth + 1)})`;
    if (depth > 2 || this.below(3) > 0) return test;
    return `(${test} ${this.pick(["&&", "||"])} ${this.condition(depth + 1)})`;
  }

  private assign(): Statement {
    const line = (text: string): Statement => ({ parts: [text], children: [] });
    // Each slot has one operation, so that their order does not matter; helpers have no memory that atomics may go to.
    if (this.atomics && this.below(12) === 0) {
      const slot = this.below(3);
      return line(`${["sum", "most", "either"][slot]}(s.acc + ${slot}, ${this.expr("u64")});`);
    }
    switch (this.below(12)) {
      case 0:
        return line(`s.arr[${this.expr("u32", 2)} & 7] = ${this.expr("u32")};`);
      case 1:
        return line(`s.p.${this.pick(["x", "y", "w"])} = ${this.expr("u64")};`);
      case 2:
        return line(`s.p.z = clean(${this.expr("float")});`);
      case 3:
        return line(`s.cells[${this.expr("u32", 2)} & ${CELLS - 1}] = ${this.expr("u32")};`);
      default: {
        const [name, type] = this.pick(all);
        const e = this.expr(type);
        return line(`s.${name} = ${type === "float" || type === "double" ? `clean(${e})` : e};`);
      }
    }
  }

  list(n: number): Statement[] {
    return Array.from({ length: n }, () => this.statement());
  }

  statement(): Statement {
    const kind = this.below(16);
    if (this.depth > 2 || kind > 6) return this.assign();
    this.depth++;
    const made = this.compound(kind);
    this.depth--;
    return made;
  }

  private compound(kind: number): Statement {
    const n = (): number => 1 + this.below(3);
    if (kind < 2)
      return {
        parts: [`if (${this.condition()}) {`, "} else {", "}"],
        children: [this.list(n()), this.list(this.below(3))],
      };
    if (kind === 2) return { parts: [`if (${this.condition()}) {`, "}"], children: [this.list(n())] };
    const counter = `c${this.counter++}`;
    this.loops++;
    const made = this.repeated(kind, counter, n);
    this.loops--;
    return made;
  }

  private repeated(kind: number, counter: string, n: () => number): Statement {
    const leave: Statement = {
      parts: [`if (${this.condition(1)}) ${this.pick(["break", "continue"])};`],
      children: [],
    };
    if (kind === 3)
      return {
        parts: [`for (int ${counter} = 0; ${counter} < ${1 + this.below(5)}; ${counter}++) {`, "}"],
        children: [[...this.list(n()), leave, ...this.list(this.below(3))]],
      };
    if (kind === 4) {
      const head = `for (u32 ${counter} = ${this.expr("u32", 2)} & 7; ${counter} > 0; ${counter}--) {`;
      return { parts: [`${head} s.${this.variable("u32")} += ${counter};`, "}"], children: [this.list(n())] };
    }
    if (kind === 5) {
      const count = 2 + this.below(5);
      const parts = [`switch (${this.expr("u32", 1)} % ${count + 1}) { case 0: {`];
      for (let k = 1; k < count; k++)
        parts.push(`} ${this.below(4) > 0 ? "break;" : ""} ${k === count - 1 ? "default" : `case ${k}`}: {`);
      return {
        parts: [...parts, "} }"],
        children: Array.from({ length: count }, () => this.list(1 + this.below(2)).filter((x) => x !== leave)),
      };
    }
    return {
      parts: [`{ int ${counter} = ${this.below(4)}; do {`, `} while (${counter}-- > 0 && ${this.condition(1)}); }`],
      children: [this.list(n())],
    };
  }

  helper(index: number): Helper {
    const keep = this.pick(["KEEP ", ""]);
    const head = `HD ${keep}u32 g${this.id}_${index}(u32 a, s64 b, float c, Pair p, int depth)`;
    const recursion: Statement = {
      parts: [
        `if (depth > 0 && (s.u0 & ${this.pick([1, 3])}) == 0) s.u1 += g${this.id}_${index}(s.u2 + 1, s.m0, s.f0, s.p, depth - 1);`,
      ],
      children: [],
    };
    const body = this.list(1 + this.below(4));
    if (this.below(2) === 0) body.splice(this.below(body.length), 0, recursion);
    return { head, body, result: this.expr("u32") };
  }

  /** What comes may call helpers below this number, and have atomics or not. */
  allow(n: number, atomics: boolean): void {
    this.helpers = n;
    this.atomics = atomics;
  }

  meeting(): Meeting {
    const variable = this.pick([...variables.u32!, ...variables.s32!, ...variables.float!]);
    const kind = this.below(5);
    if (kind === 0) return { kind: "vote", from: this.variable("u32"), to: this.variable("u32") };
    if (kind < 3)
      return { kind: "shuffle", variable, by: 1 + this.below(31), mode: this.pick(["xor", "up", "down", "idx"]) };
    return { kind: "exchange", variable, by: 1 + this.below(THREADS - 1) };
  }
}

export function generateCuda(seed: number, id: string): CudaProgram {
  const maker = new Maker(seed, id, 0);
  const { below } = random(seed ^ 0x5bd1e995);
  const helpers = Array.from({ length: below(3) }, (_, i) => {
    maker.allow(i, false);
    return maker.helper(i);
  });
  maker.allow(helpers.length, true);
  const count = 1 + below(3);
  const phases = Array.from({ length: count }, () => maker.list(2 + below(6)));
  return { helpers, phases, meetings: Array.from({ length: count - 1 }, () => maker.meeting()) };
}
