/**
 * What a block computes, with made-up values: every result is a hash of the instruction and of what it read, registers
 * by name, memory byte by byte, and a log of everything that others can see in order. Beside its hash every register has
 * a number, which addresses are made of: sums and products are true, all other numbers few and small, so that different
 * bases do meet. Knows nothing of lib/sched or lib/analysis.
 */
import { File, type Inst, Kind, NO_INDEX, type Operand, ZERO_REG } from "../../lib/ori/types.js";

export interface Outcome {
  readonly registers: ReadonlyMap<string, number>;
  readonly memory: ReadonlyMap<string, number>;
  readonly log: readonly string[];
}

function mix(...xs: readonly (number | string)[]): number {
  let h = 0x811c9dc5;
  for (const x of xs) {
    for (const c of String(x)) h = Math.imul(h ^ c.charCodeAt(0), 0x01000193);
    h = Math.imul(h ^ 0x5f, 0x01000193);
  }
  return h >>> 1;
}

const predicates = 7;

const few = (hash: number): number => (hash % 4) * 16;

class Machine {
  readonly registers = new Map<string, number>();
  readonly memory = new Map<string, number>();
  readonly log: string[] = [];
  private readonly numbers = new Map<string, number>();

  constructor(private readonly seed: number) {}

  get(file: number, id: number): number {
    return this.registers.get(`${file}:${id}`) ?? mix(this.seed, file, id);
  }

  private read(o: Operand): number[] {
    if (o.kind === Kind.Reg && o.id !== ZERO_REG) {
      return Array.from({ length: o.width }, (_, k) => this.get(o.file, o.id + k));
    }
    if (o.kind === Kind.Const && o.index !== NO_INDEX && o.index !== ZERO_REG) {
      const file = o.file === File.None ? File.R : o.file;
      return Array.from({ length: o.id === -1 ? 2 : 1 }, (_, k) => this.get(file, o.index + k));
    }
    return o.kind === Kind.Imm ? [o.value] : [];
  }

  /** The number of an operand's first register. */
  private number(o: Operand | undefined): number {
    if (o === undefined || o.kind === Kind.None || (o.kind === Kind.Reg && o.id === ZERO_REG)) return 0;
    if (o.kind === Kind.Imm) return o.value | 0;
    if (o.kind === Kind.Reg) return this.numbers.get(`${o.file}:${o.id}`) ?? few(mix(this.seed, o.file, o.id));
    return few(mix("fixed", o.kind, o.id, o.value));
  }

  /** What the result is as a number, null for instructions that are no sums. */
  private sum(inst: Inst): number | null {
    const n = (name: string): number => this.number(inst.srcs[inst.form.srcs.findIndex((s) => s.name === name)]);
    switch (inst.form.op) {
      case "IADD3":
      case "UIADD3":
        return (n("a") + n("b") + n("c")) | 0;
      case "IMAD":
        return (Math.imul(n("a"), n("b")) + n("c")) | 0;
      case "MOV":
        return n("b");
      case "S2R":
      case "LDC":
        return this.number(inst.srcs[0]);
      default:
        return null;
    }
  }

  step(inst: Inst): void {
    const { form, guard } = inst;
    const holds = guard === null || (this.get(guard.file, guard.id) % 2 === 1) !== guard.not;
    const values = inst.srcs.flatMap((o) => this.read(o));
    if (!holds) return;
    if (form.op === "P2R") for (let p = 0; p < predicates; p++) values.push(this.get(File.P, p));
    const bytes = this.access(inst, values);
    const result = mix(form.name, ...values, ...bytes);
    const sum = this.sum(inst);
    inst.dsts.forEach((o, d) => {
      if (o.kind !== Kind.Reg || o.id === ZERO_REG) return;
      for (let k = 0; k < o.width; k++) {
        const part = o.part.startsWith(".H") || o.part.startsWith(".B");
        const old = part ? this.get(o.file, o.id + k) : 0;
        const hash = mix(result, d, k, o.part, old);
        this.registers.set(`${o.file}:${o.id + k}`, hash);
        this.numbers.set(`${o.file}:${o.id + k}`, k === 0 && sum !== null ? sum : few(hash));
      }
    });
    if (form.op === "R2P") {
      for (let p = 0; p < predicates; p++) {
        this.registers.set(`${File.P}:${p}`, mix(result, p, this.get(File.P, p)));
      }
    }
  }

  /** Loaded bytes; stores and other effects happen. */
  private access(inst: Inst, values: readonly number[]): number[] {
    const { form } = inst;
    const m = form.memory;
    if (m === null || m.access === "fence" || m.access === "prefetch") {
      // Whoever waits at a barrier sees all memory of the moment.
      if (form.sideEffect && form.op !== "R2P") this.log.push(`${form.name} ${values.join()} ${this.shared()}`);
      return [];
    }
    if (m.space === "const") return [];
    const slot = (name: string): Operand | undefined => inst.srcs[form.srcs.findIndex((s) => s.name === name)];
    const address = (this.number(slot("base")) + this.number(slot("off"))) | 0;
    const space = m.space === "generic" ? "global" : m.space;
    const cells = Array.from({ length: m.bytes }, (_, k) => `${space}:${address + k}`);
    const loaded = cells.map((c) => this.memory.get(c) ?? mix("memory", c));
    if (form.mods.includes("CONSTANT")) return cells.map((c) => mix("memory", c));
    if (m.access !== "load") {
      for (const [k, c] of cells.entries()) this.memory.set(c, mix(form.name, k, loaded[k]!, ...values));
    }
    if (form.mods.includes("STRONG")) this.log.push(`${form.name} ${address}`);
    return m.access === "store" || m.access === "reduce" ? [] : loaded;
  }

  private shared(): string {
    return [...this.memory]
      .filter(([c]) => !c.startsWith("local"))
      .map(([c, v]) => `${c}=${v}`)
      .sort()
      .join(";");
  }
}

/** Runs the instructions of a block one after the other; control flow is left out. */
export function interpret(insts: readonly Inst[], seed = 1): Outcome {
  const machine = new Machine(seed);
  for (const inst of insts) machine.step(inst);
  const sorted = (m: Map<string, number>): Map<string, number> => new Map([...m].sort());
  return { registers: sorted(machine.registers), memory: sorted(machine.memory), log: machine.log };
}
