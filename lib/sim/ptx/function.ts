/** Functions: names get their places, instructions become steps. */
import type { Span } from "../../diagnostics.js";
import type {
  Block,
  Declaration,
  FunctionItem,
  Instruction,
  Parameter,
  Statement,
  Variable,
  VariableType,
} from "../../ptx/index.js";
import { type Code, type Formal, type Named, refusal, type Site, type Step, Words } from "./code.js";
import { readAddress, readOperand, writeOperand } from "./operands.js";
import { builderOf } from "./table.js";
import { Refusal, typeNamed } from "./types.js";

/** Where names of the module are found, and where variables inside of functions go. */
export interface Surroundings {
  lookup(name: string): Named | null;
  /** A variable of the module: shared, global or constant. */
  declare(d: Declaration, v: Variable): Named;
  function(item: FunctionItem): void;
}

interface Range {
  readonly count: number;
  readonly make: (n: number) => Named;
}

class Names {
  private readonly names = new Map<string, Named>();
  private readonly ranges = new Map<string, Range>();
  constructor(private readonly parent: Names | null) {}

  set(name: string, what: Named): void {
    this.names.set(name, what);
  }

  range(prefix: string, count: number, make: (n: number) => Named): void {
    this.ranges.set(prefix, { count, make });
  }

  private own(name: string): Named | null {
    const found = this.names.get(name);
    if (found !== undefined) return found;
    const digits = /\d+$/.exec(name)?.[0].length ?? 0;
    for (let cut = name.length - digits; cut < name.length; cut++) {
      const range = this.ranges.get(name.slice(0, cut));
      const n = Number(name.slice(cut));
      if (range !== undefined && n < range.count && String(n) === name.slice(cut)) return range.make(n);
    }
    return null;
  }

  find(name: string): Named | null {
    return this.own(name) ?? this.parent?.find(name) ?? null;
  }
}

/** Bytes of a variable or parameter and their alignment. */
export function layoutOf(
  d: VariableType,
  dims: readonly (number | null)[],
  span: Span,
): { bytes: number; align: number } {
  const type = typeNamed(d.type);
  if (type === null) throw new Refusal(`a variable of type .${d.type}`, span);
  const one = (Math.max(8, type.bits) / 8) * (d.vector ?? 1);
  return { bytes: dims.reduce<number>((n, k) => n * (k ?? 0), one), align: d.align ?? one };
}

/** A function between its two passes: places first, for all functions of a module, then steps. */
export class FunctionBuilder {
  private readonly scopes: Names[] = [];
  private next = 0;
  private pc = 0;

  constructor(
    private readonly item: FunctionItem,
    private readonly code: Code,
    private readonly around: Surroundings,
  ) {}

  /** Places of parameters, registers, variables and labels. `entry`: places of a kernel's parameters. */
  declare(entry: ReadonlyMap<string, Named>): void {
    const names = new Names(null);
    this.scopes.push(names);
    for (const [name, what] of entry) names.set(name, what);
    if (!this.item.entry) {
      for (const p of this.item.returns ?? []) this.code.returns.push(this.formal(names, p));
      for (const p of this.item.params ?? []) this.code.params.push(this.formal(names, p));
    }
    if (this.item.body !== null) this.declareAll(this.item.body, names);
  }

  private formal(names: Names, p: Parameter): Formal {
    const { bytes, align } = layoutOf(p, p.dims, p.span);
    if (p.space === "reg") {
      const found = this.register(p, p.span);
      names.set(p.name, found);
      return { bytes, offset: null, register: found.slot };
    }
    const offset = this.frameSpace(bytes, align);
    names.set(p.name, { kind: "frame", offset, bytes });
    return { bytes, offset, register: null };
  }

  private frameSpace(bytes: number, align: number): number {
    const at = Math.ceil(this.code.frameBytes / align) * align;
    this.code.frameBytes = at + bytes;
    this.code.frameAlign = Math.max(this.code.frameAlign, align);
    return at;
  }

  private register(d: VariableType, span: Span, count = 1): Named & { kind: "register" } {
    const type = typeNamed(d.type);
    if (type === null) throw new Refusal(`a register of type .${d.type}`, span);
    const slot = this.code.registers;
    const vector = d.vector ?? 1;
    this.code.registers += count * vector;
    return { kind: "register", slot, type, vector };
  }

  private declareAll(block: Block, outer: Names): void {
    const names = new Names(outer);
    this.scopes.push(names);
    for (const s of block.statements) this.declareOne(s, names);
  }

  private declareOne(s: Statement, names: Names): void {
    switch (s.kind) {
      case "instruction":
        this.pc++;
        break;
      case "label":
        names.set(s.name, { kind: "label", pc: this.pc });
        break;
      case "block":
        this.declareAll(s, names);
        break;
      case "branchtargets":
      case "calltargets":
        names.set(s.label, { kind: "targets", names: s.targets });
        break;
      case "callprototype":
        names.set(s.label, { kind: "prototype" });
        break;
      case "function":
        this.around.function(s);
        break;
      case "declaration":
        for (const v of s.variables) this.variable(s, v, names);
        break;
      default:
    }
  }

  private variable(d: Declaration, v: Variable, names: Names): void {
    const place = this.places(d, v);
    if (v.count === null) names.set(v.name, place(0));
    else names.range(v.name, v.count, place);
  }

  /** Where the variable of a number lies; without one, number 0. */
  private places(d: Declaration, v: Variable): (n: number) => Named {
    if (d.space === "reg") {
      const first = this.register(d, v.span, v.count ?? 1);
      return (n) => ({ ...first, slot: first.slot + n * first.vector });
    }
    const one = (): Named => {
      if (d.space !== "local" && d.space !== "param") return this.around.declare(d, v);
      const { bytes, align } = layoutOf(d, v.dims, v.span);
      return { kind: "frame", offset: this.frameSpace(bytes, align), bytes };
    };
    const all = Array.from({ length: v.count ?? 1 }, one);
    return (n) => all[n]!;
  }

  /** The steps; all functions of the module have been declared. */
  build(): void {
    if (this.item.body === null) return;
    this.next = 1;
    this.buildAll(this.item.body);
    // The end of a body returns.
    this.code.steps.push((t) => t.leave());
    this.code.spans.push(this.item.body.endSpan);
  }

  private buildAll(block: Block): void {
    const names = this.scopes[this.next++]!;
    for (const s of block.statements) {
      if (s.kind === "block") this.buildAll(s);
      else if (s.kind === "instruction") {
        this.code.steps.push(this.step(s, names));
        this.code.spans.push(s.span);
      }
    }
  }

  private step(ins: Instruction, names: Names): Step {
    const site = this.site(ins, names);
    const build = builderOf(ins.opcode, ins.modifiers) ?? site.refuse("");
    const step = build(site);
    if (ins.guard === null) return step;
    const found = names.find(ins.guard.name);
    if (found?.kind !== "register") return site.refuse(`the guard ${ins.guard.name}`);
    const { slot } = found;
    const runs = ins.guard.negated ? 0n : 1n;
    return (t) => {
      if (t.r[slot] === runs) step(t);
    };
  }

  private site(ins: Instruction, names: Names): Site {
    const lookup = (name: string): Named | null => names.find(name) ?? this.around.lookup(name);
    const refuse = (what: string): never => {
      throw refusal(ins, what);
    };
    const site: Site = {
      ins,
      pc: this.code.steps.length,
      words: null as unknown as Words,
      lookup,
      refuse,
      operand: (i) => ins.operands[i] ?? refuse(`operand ${i + 1} is missing`),
      read: (o, t) => readOperand(site, o, t),
      write: (o, t) => writeOperand(site, o, t),
      address: (o) => readAddress(site, o),
      label: (o) => {
        const found = o.kind === "name" ? lookup(o.name) : null;
        return found?.kind === "label" ? found.pc : refuse("no label");
      },
    };
    return Object.assign(site, { words: new Words(site) });
  }
}
