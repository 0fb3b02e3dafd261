/**
 * Seeded random PTX modules: functions that call each other, themselves and by address, memory of every space in every width, jump tables,
 * and threads that meet: barriers of the block and of warps with exchange through shared memory, shuffles, votes, matches, reductions, whole
 * and in two halves of a warp that went apart. No race and nothing undefined: threads write only what is their own, but for atomics of one kind
 * on each accumulator, which are read at the end, and exchanges between two barriers.
 */
import { random } from "../../corpus/random.js";
import { Places } from "./memory.js";
import { chosen, counts, type File, type Operation, operations } from "./operations.js";

/** Text around lists of statements: `parts[0] children[0] parts[1] …`. */
export interface Statement {
  readonly parts: readonly string[];
  readonly children: readonly (readonly Statement[])[];
}

/** How a function is called: its result and its own arguments; all have the depth of recursion and the thread's cells besides. */
export type Shape = "words" | "wide" | "struct" | "nothing";
export const shapes: readonly Shape[] = ["words", "wide", "struct", "nothing"];

export interface Helper {
  readonly shape: Shape;
  readonly body: readonly Statement[];
}

export interface RandomModule {
  readonly helpers: readonly Helper[];
  readonly body: readonly Statement[];
  /**
   * It holds what ptxas 13.0.88 compiles wrongly: a loop inside an arm of a branch that writes the predicate of the branch (from -O1 on the
   * predicate counts as a constant there), or a guarded `testp` or `set` with a result in f32 (they write also where the guard is false), or a generic
   * `atom.cas.b64` in shared memory (at -O0 on sm_120 and later it compares a word that nobody wrote).
   */
  readonly ptxasErrs: boolean;
}

/** Lanes that meet: `MASK` in a text is their mask, as a constant or in a register. */
const MASK = "MASK";
const MAX_DEPTH = 3;

class Maker {
  private readonly below: (n: number) => number;
  private readonly places: Places;
  private readonly usable: readonly Operation[];
  private labels = 0;
  private depth = 0;
  private loops = 0;
  /** The function whose body is made; the kernel has none. */
  private self: number | null = null;
  private helpers: Shape[] = [];
  /** Predicates of the branches around, with the loops that are around the branch. */
  private readonly known: { readonly p: string; readonly loops: number }[] = [];
  private ptxasErrs = false;

  constructor(
    seed: number,
    private readonly sm: number,
  ) {
    this.below = random(seed * 6007 + 101).below;
    this.places = new Places(this.below);
    this.usable = operations.filter((o) => o.from <= sm);
  }

  make(): RandomModule {
    const count = this.below(4);
    const helpers: Helper[] = [];
    for (let i = 0; i < count; i++) {
      const shape = this.pick(shapes);
      this.self = i;
      this.helpers.push(shape);
      helpers.push({ shape, body: this.list(3 + this.below(7)) });
    }
    this.self = null;
    return { helpers, body: this.whole(8 + this.below(24)), ptxasErrs: this.ptxasErrs };
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  private register(file: File): string {
    return `%${file}${this.below(counts[file])}`;
  }

  private guard(): string {
    return this.below(4) > 0 ? "" : `@${this.pick(["", "!"])}${this.register("p")} `;
  }

  private literal(file: File): string {
    const small = this.below(6) === 0 ? -1 - this.below(40) : this.below(40);
    if (file === "h") return `${this.below(3) === 0 ? this.below(65536) - 32768 : small}`;
    return `${this.below(3) === 0 ? this.below(1 << 24) * 256 + this.below(256) : small}`;
  }

  // ---------------------------------------------------------------------------------------------- statements

  private flat(text: string): Statement {
    return { parts: [text], children: [] };
  }

  private list(n: number): Statement[] {
    return Array.from({ length: n }, () => this.statement());
  }

  /** Statements where all threads of the block are together. */
  private whole(n: number): Statement[] {
    return Array.from({ length: n }, () => {
      const kind = this.below(16);
      if (kind < 3) return this.flat(this.meeting(true));
      if (kind === 3 && this.loops < 2) return this.uniform();
      if (kind === 4) return this.split();
      return this.statement();
    });
  }

  private statement(): Statement {
    const kind = this.below(32);
    if (this.depth < MAX_DEPTH) {
      this.depth++;
      const nested = this.nested(kind);
      this.depth--;
      if (nested !== null) return nested;
    }
    if (kind < 14) return this.flat(this.places.access(this.guard(), (f) => this.register(f)));
    if (kind < 16) {
      const text = this.places.atomic(this.guard(), (f) => this.register(f), this.sm);
      if (/%owng/.test(text) && /atom[^ ]*cas.b64/.test(text)) this.ptxasErrs = true;
      return this.flat(text);
    }
    if (kind < 17) return this.flat(this.places.accumulate(this.guard(), (f) => this.register(f)));
    if (kind < 19 && this.helpers.length > 0 && this.loops < 2) return this.flat(this.call());
    if (kind === 19 && this.self !== null && this.loops === 0 && this.depth > 0)
      return this.flat(`@${this.register("p")} bra LEAVE;`);
    return this.flat(this.operation());
  }

  private nested(kind: number): Statement | null {
    if (kind < 3) return this.branch();
    if (kind === 3) return this.loop();
    if (kind === 4) return this.count();
    return kind === 5 ? this.choice() : null;
  }

  private operation(): string {
    const o = this.pick(this.usable);
    const guard = this.guard();
    const from = o.sources.map((f) => this.register(f));
    const simple = !/; |\{[ABC], |bfi|bfe|16x2|vadd|vavrg/.test(o.text);
    if (simple && o.sources.length > 1 && this.below(4) === 0) {
      const k = this.below(o.sources.length);
      const file = o.sources[k]!;
      if (file === "r" || file === "d" || file === "h") from[k] = this.literal(file);
    }
    const names = [this.register(o.result), ...from];
    if (o.result === "p" && this.known.some((k) => k.p === names[0] && k.loops < this.loops)) this.ptxasErrs = true;
    if (guard !== "" && (o.text.startsWith("testp") || (o.result === "f" && o.text.startsWith("set"))))
      this.ptxasErrs = true;
    const text = chosen(o.text, this.below).replace(/\b[ABCD]\b/g, (c) => names["DABC".indexOf(c)]!);
    return `${guard}${text.replaceAll("; ", `; ${guard}`)}`;
  }

  private branch(): Statement {
    const n = this.labels++;
    const p = this.register("p");
    this.known.push({ p, loops: this.loops });
    const [yes, no] = [this.list(1 + this.below(5)), this.list(this.below(3) === 0 ? 0 : 1 + this.below(4))];
    this.known.pop();
    if (no.length === 0) return { parts: [`@${p} bra OUT${n};`, `OUT${n}:`], children: [yes] };
    return { parts: [`@!${p} bra NO${n};`, `bra OUT${n};\nNO${n}:`, `OUT${n}:`], children: [yes, no] };
  }

  private inLoop(n: number): Statement[] {
    this.loops++;
    const body = this.list(n);
    this.loops--;
    return body;
  }

  /** Down from the low bits of a register, left early where a predicate says so. */
  private loop(): Statement {
    const n = this.labels++;
    const counter = `%l${this.depth}`;
    const leave = this.below(2) === 0 ? "" : `@${this.pick(["", "!"])}${this.register("p")} bra END${n};\n`;
    const first = `and.b32 ${counter}, ${this.register("r")}, 3;\nTOP${n}:`;
    const turn = `sub.u32 ${counter}, ${counter}, 1;\nsetp.ge.s32 %z1, ${counter}, 0;\n@%z1 bra TOP${n};\nEND${n}:`;
    const [a, b] = [this.inLoop(1 + this.below(4)), this.inLoop(this.below(3))];
    return { parts: [first, leave, turn], children: [a, b] };
  }

  /** Up to a constant or to the low bits of a register. */
  private count(): Statement {
    const n = this.labels++;
    const [c, bound] = [`%l${this.depth}`, `%u${this.depth}`];
    const to = this.below(2) === 0 ? `${this.below(9)}` : bound;
    const again = `setp.${this.pick(["lt", "le", "ne"])}.s32 %z1, ${c}, ${to};`;
    const exact = again.includes(".ne");
    const start = `and.b32 ${bound}, ${this.register("r")}, 7;\nmov.b32 ${c}, ${exact ? 0 : this.below(5) - 2};`;
    const body = this.inLoop(1 + this.below(4));
    const more = `add.s32 ${c}, ${c}, ${exact ? 1 : 1 + this.below(3)};`;
    const pragma = this.below(6) === 0 ? '.pragma "nounroll";\n' : "";
    const use = `add.u32 ${this.register("r")}, ${this.register("r")}, ${c};`;
    if (exact || this.below(3) === 0)
      return {
        parts: [`${start}\nTOP${n}:\n${again}\n@!%z1 bra END${n};\n${pragma}${use}`, `${more}\nbra TOP${n};\nEND${n}:`],
        children: [body],
      };
    return {
      parts: [`${start}\nTOP${n}:\n${pragma}${use}`, `${more}\n${again}\n@%z1 bra TOP${n};\nEND${n}:`],
      children: [body],
    };
  }

  /** A jump table, some of whose entries may be the same, or comparisons. */
  private choice(): Statement {
    const n = this.labels++;
    const cases = Array.from({ length: 2 + this.below(5) }, () => this.list(this.below(3)));
    const size = cases.length + this.below(3);
    const entry = (k: number): string => `CASE${n}_${k < cases.length ? k : this.below(cases.length)}`;
    const names = Array.from({ length: size }, (_, k) => entry(k));
    const by =
      this.below(2) === 0
        ? `rem.u32 %t, ${this.register("r")}, ${size};`
        : `and.b32 %t, ${this.register("r")}, 7; min.u32 %t, %t, ${size - 1};`;
    const choose =
      this.below(3) > 0
        ? `TABLE${n}: .branchtargets ${names.join(", ")};\n${by}\nbrx.idx %t, TABLE${n};`
        : `${by}\n${names.map((name, k) => `setp.eq.u32 %z1, %t, ${k};\n@%z1 bra ${name};`).join("\n")}`;
    const falls = cases.map(() => this.below(4) === 0);
    const ends = cases.map((_, k) => {
      const end = falls[k]! && k + 1 < cases.length ? "" : `bra END${n};\n`;
      return `${end}${k + 1 < cases.length ? `CASE${n}_${k + 1}:` : `END${n}:`}`;
    });
    return { parts: [`${choose}\nCASE${n}_0:`, ...ends], children: cases };
  }

  // ---------------------------------------------------------------------------------------------- calls

  private call(): string {
    const own = this.self;
    const callable = this.helpers.map((shape, k) => ({ shape, k })).filter(({ k }) => k !== own || this.loops === 0);
    if (callable.length === 0) return this.operation();
    const { shape, k } = this.pick(callable);
    // Into itself only while depth is left; into those before it with what is left.
    const deeper = own === k ? `setp.gt.s32 %z1, %depth, 0;\nsub.s32 %t2, %depth, 1;\n` : "mov.b32 %t2, %depth;\n";
    const guard = own === k ? "@%z1 " : this.guard();
    const by = this.pick(["direct", "direct", "address", "table"] as const);
    const args = {
      words: `st.param.b32 [a0], ${this.register("r")};\nst.param.b32 [a1], ${this.below(4) === 0 ? this.literal("r") : this.register("r")};`,
      wide: `st.param.b64 [a0], ${this.register("d")};\nst.param.f32 [a1], ${this.register("f")};\nst.param.b16 [a2], ${this.register("h")};`,
      struct: `st.param.v2.b32 [a0], {${this.register("r")}, ${this.register("r")}};\nst.param.b64 [a0+8], ${this.register("d")};\nst.param.b8 [a0+17], ${this.register("r")};\nst.param.b8 [a0+16], ${this.register("r")};\nst.param.b16 [a0+18], ${this.register("h")};\nst.param.b32 [a0+20], ${this.register("r")};`,
      nothing: `st.param.b32 [a0], ${this.register("r")};`,
    }[shape];
    const results = {
      words: `ld.param.b32 ${this.register("r")}, [back];`,
      wide: `ld.param.b64 ${this.register("d")}, [back];`,
      struct: `ld.param.b64 ${this.register("d")}, [back];\nld.param.v2.b32 {${this.register("r")}, ${this.register("r")}}, [back+8];`,
      nothing: "",
    }[shape];
    const { declared, names, back } = signature(shape);
    const list = `${back === "" ? "" : "(back), "}CALLEE, (${[...names, "depth", "mine"].join(", ")})`;
    const address =
      by === "address"
        ? `mov.u64 %a, f${k};\n`
        : by === "table"
          ? `ld.${this.pick(["global.u64 %a, [g", "const.u64 %a, [c"])}FTABLE+${8 * k}];\n`
          : "";
    const made = `${address}{\n${declared}\n${back === "" ? "" : `.param ${back};\n`}${args}\nst.param.b32 [depth], %t2;\nst.param.b64 [mine], %mine;`;
    const invoke =
      by === "direct"
        ? `call ${list.replace("CALLEE", `f${k}`)};`
        : `call ${list.replace("CALLEE", "%a")}, proto_${shape};`;
    const fetch = results === "" ? "" : `\n${results}`;
    if (shape === "nothing") return `${deeper}${made}\n${guard}${invoke}\n}`;
    if (guard === "") return `${deeper}${made}\n${invoke}${fetch}\n}`;
    // A result that no call gave is not defined: what follows is for those who called.
    const n = this.labels++;
    const p = guard.trim().slice(1);
    const not = p.startsWith("!") ? p.slice(1) : `!${p}`;
    return `${deeper}@${not} bra SKIP${n};\n${made}\n${invoke}${fetch}\n}\nSKIP${n}:`;
  }

  // ---------------------------------------------------------------------------------------------- meetings

  /** All threads come here together as often as each other. */
  private uniform(): Statement {
    const n = this.labels++;
    if (this.below(3) === 0)
      return {
        parts: [
          `ld.param.u32 %t, [flags];\nand.b32 %t, %t, ${1 << this.below(8)};\nsetp.ne.u32 %z1, %t, 0;\n@%z1 bra OUT${n};`,
          `OUT${n}:`,
        ],
        children: [this.whole(1 + this.below(4))],
      };
    const counter = `%m${this.loops}`;
    this.loops++;
    const body = this.whole(1 + this.below(4));
    this.loops--;
    const bound = this.below(2) === 0 ? `${1 + this.below(4)}` : "%turns";
    return {
      parts: [
        `mov.b32 ${counter}, 0;\nTOP${n}:`,
        `add.u32 ${counter}, ${counter}, 1;\nsetp.lt.u32 %z1, ${counter}, ${bound};\n@%z1 bra TOP${n};`,
      ],
      children: [body],
    };
  }

  /** A warp parts in two, and each part meets by itself. */
  private split(): Statement {
    const n = this.labels++;
    const [low, high, test] = this.pick([
      ["0xffff", "0xffff0000", "setp.ge.u32 %z1, %ln, 16;"],
      ["0xfff", "0xfffff000", "setp.ge.u32 %z1, %ln, 12;"],
      ["0x55555555", "0xaaaaaaaa", "and.b32 %t, %ln, 1; setp.eq.u32 %z1, %t, 1;"],
      ["0xff00ff00", "0x00ff00ff", "and.b32 %t, %ln, 8; setp.eq.u32 %z1, %t, 0;"],
    ] as const);
    const arm = (): Statement[] =>
      Array.from({ length: 1 + this.below(3) }, () =>
        this.below(2) === 0 ? this.flat(this.meeting(false)) : this.statement(),
      );
    return {
      parts: [
        `${test}\nmov.b32 %mask, ${low};\n@%z1 mov.b32 %mask, ${high};\n@%z1 bra HIGH${n};`,
        `bra OUT${n};\nHIGH${n}:`,
        `OUT${n}:\nmov.b32 %mask, -1;\nbar.warp.sync -1;`,
      ],
      children: [arm(), arm()],
    };
  }

  private meeting(block: boolean): string {
    const mask = block && this.below(2) === 0 ? "-1" : MASK;
    const r = (): string => this.register("r");
    const kinds = [
      "shuffle",
      "shuffle",
      "vote",
      "match",
      "warp",
      "warp",
      ...(this.sm >= 80 ? ["redux"] : []),
      ...(block ? ["bar", "bar", "bar", "reduce"] : []),
    ];
    switch (this.pick(kinds)) {
      case "shuffle":
        return this.shuffle(mask, block);
      case "vote": {
        const p = `${this.pick(["", "!"])}${this.register("p")}`;
        return this.below(2) === 0
          ? `vote.sync.ballot.b32 ${r()}, ${p}, ${mask};`
          : `vote.sync.${this.pick(["all", "any", "uni"])}.pred ${this.register("p")}, ${p}, ${mask};`;
      }
      case "match":
        return this.below(2) === 0
          ? `and.b32 %t, ${r()}, 3; match.any.sync.b32 ${r()}, %t, ${mask};`
          : `match.all.sync.${this.pick([`b32 ${r()}|${this.register("p")}, ${r()}`, `b64 ${r()}|${this.register("p")}, ${this.register("d")}`])}, ${mask};`;
      case "redux":
        return `redux.sync.${this.pick(["add.u32", "add.s32", "min.s32", "max.s32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32"])} ${r()}, ${r()}, ${mask};`;
      case "reduce":
        return this.below(3) === 0
          ? `barrier.cta.red.popc.aligned.u32 ${r()}, ${this.below(4)}, ${this.register("p")};`
          : `bar.red.${this.pick(["and", "or"])}.pred ${this.register("p")}, ${this.below(16)}, ${this.pick(["", "!"])}${this.register("p")};`;
      case "warp":
        return this.places.exchange((f) => this.register(f), `bar.warp.sync ${mask};`, false);
      default:
        return this.places.exchange(
          (f) => this.register(f),
          this.pick([
            "bar.sync 0;",
            "bar.sync 1;",
            "barrier.sync 2;",
            "bar.sync 3, 64;",
            "barrier.cta.sync.aligned 0;",
          ]),
          true,
        );
    }
  }

  /** From a lane that is not there the value is not defined: in halves only within what both have. */
  private shuffle(mask: string, block: boolean): string {
    const [to, from] = [this.register("r"), this.register("r")];
    if (!block) return `shfl.sync.idx.b32 ${to}, ${from}, %ln, 31, ${mask};`;
    const p = this.below(3) === 0 ? `|${this.register("p")}` : "";
    const by = this.below(4) === 0 ? this.register("r") : `${this.below(32)}`;
    const mode = this.pick(["up", "down", "bfly", "idx"]);
    const c = mode === "up" ? this.pick([0, 0x1000, 0x1800]) : this.pick([31, 31, 0x101f, 0x1c1f, 0x181f]);
    return `shfl.sync.${mode}.b32 ${to}${p}, ${from}, ${by}, ${c}, ${mask};`;
  }
}

/** Declarations of the parameters of a call, their names, and the result; a function's own have a prefix. */
export function signature(shape: Shape, prefix = ""): { declared: string; names: readonly string[]; back: string } {
  const kinds = {
    words: [".b32 a0", ".b32 a1"],
    wide: [".b64 a0", ".b32 a1", ".b16 a2"],
    struct: [".align 8 .b8 a0[24]"],
    nothing: [".b32 a0"],
  }[shape];
  const back = {
    words: `.b32 ${prefix}back`,
    wide: `.b64 ${prefix}back`,
    struct: `.align 8 .b8 ${prefix}back[16]`,
    nothing: "",
  }[shape];
  return {
    declared: [...kinds, ".b32 depth", ".b64 mine"]
      .map((k) => `.param ${k.replace(/(?=\w+(?:\[\d+\])?$)/, prefix)};`)
      .join("\n"),
    names: kinds.map((_, i) => `a${i}`),
    back,
  };
}

/** The module of a seed for an SM, by its number. */
export function generateModule(seed: number, sm: number): RandomModule {
  return new Maker(seed, sm).make();
}
