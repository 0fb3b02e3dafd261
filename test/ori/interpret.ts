/**
 * A small interpreter of Ori for one thread, enough for the functions of random.ts: it tells whether a phase kept the
 * meaning. Registers are kept by unit; what was never written reads as zero; memory is a function of the address.
 */
import { isPhi } from "../../lib/ori/flow.js";
import { type Block, File, type Func, type Inst, Kind, Mod, type Operand } from "../../lib/ori/types.js";

/** Values stored, in order; ends with "exit", or "…" when the step limit was reached. */
export function trace(func: Func, limit = 60): string[] {
  const machine = new Machine(func, limit);
  return machine.run();
}

class Machine {
  private readonly registers = new Map<string, number>();
  private readonly out: string[] = [];
  private readonly func: Func;
  private stores: number;

  constructor(func: Func, limit: number) {
    this.func = func;
    this.stores = limit;
  }

  run(): string[] {
    let from: Block | null = null;
    let block: Block | null = this.func.blocks[0] as Block;
    for (let steps = 0; block !== null; steps++) {
      // Blocks may be split by the phase under test, so the limit counts stores and, far above, blocks.
      if (this.stores <= 0 || steps > 4000) return [...this.out, "…"];
      const next: Block | "exit" | null = this.block(block, from);
      if (next === "exit") return [...this.out, "exit"];
      from = block;
      block = next ?? (this.func.blocks[this.func.blocks.indexOf(block) + 1] as Block);
    }
    return this.out;
  }

  private block(block: Block, from: Block | null): Block | "exit" | null {
    this.phis(block, from);
    for (const inst of block.insts) {
      if (isPhi(inst) || !this.holds(inst)) continue;
      if (inst.form.op === "EXIT") return "exit";
      if (inst.form.op === "BRA") {
        const id = inst.srcs.find((o) => o.kind === Kind.Label)?.id;
        return this.func.blocks.find((b) => b.id === id) as Block;
      }
      this.execute(inst);
    }
    return null;
  }

  private phis(block: Block, from: Block | null): void {
    const values = block.insts.filter(isPhi).map((phi) => {
      const src = phi.srcs[block.preds.indexOf(from as Block)] as Operand;
      const dst = phi.dsts[0] as Operand;
      return { dst, words: Array.from({ length: dst.width }, (_, k) => this.read(src, k)) };
    });
    for (const { dst, words } of values) for (let k = 0; k < words.length; k++) this.write(dst, words[k] as number, k);
  }

  private holds(inst: Inst): boolean {
    const g = inst.guard;
    if (g === null) return true;
    const value = g.id < 0 ? 1 : (this.registers.get(`${g.file}:${g.id}.0`) ?? 0);
    return (value !== 0) !== g.not;
  }

  private key(o: Operand, k: number): string {
    return this.func.virtual ? `${o.file}:${o.id}.${o.sub + k}` : `${o.file}:${o.id + k}.0`;
  }

  private read(o: Operand, k = 0): number {
    const predicate = o.file === File.P || o.file === File.UP;
    let x = 0;
    if (o.kind === Kind.Imm) x = o.value;
    else if (o.kind === Kind.Const) x = o.value * 17 + o.id;
    else if (o.id < 0) x = predicate ? 1 : 0;
    else x = this.registers.get(this.key(o, k)) ?? 0;
    if (o.mods & Mod.Neg) x = -x;
    if (o.mods & Mod.Not) x = predicate ? 1 - x : ~x;
    return x | 0;
  }

  private write(o: Operand | undefined, value: number, k = 0): void {
    if (o !== undefined && o.id >= 0) this.registers.set(this.key(o, k), value | 0);
  }

  private execute(inst: Inst): void {
    const s = (name: string): number =>
      this.read(inst.srcs[inst.form.srcs.findIndex((x) => x.name === name)] as Operand);
    const d = (name: string): Operand | undefined => inst.dsts[inst.form.dsts.findIndex((x) => x.name === name)];
    const pair = (): string => {
      const base = inst.srcs[inst.form.srcs.findIndex((x) => x.name === "base")] as Operand;
      return `${this.read(base, 0)}.${this.read(base, 1)}+${s("off")}`;
    };
    switch (inst.form.op) {
      case "MOV":
        this.write(d("d"), s("b"));
        break;
      case "IADD3":
        this.write(d("d"), s("a") + s("b") + s("c"));
        break;
      case "ISETP": {
        const holds = s("a") < s("b") === inst.form.mods.includes("LT");
        this.write(d("p"), holds && s("pin") ? 1 : 0);
        break;
      }
      case "LOP3":
        this.write(d("d"), s("a") & s("b"));
        break;
      case "SEL":
        this.write(d("d"), s("pin") ? s("a") : s("b"));
        break;
      case "PLOP3":
        this.write(d("p"), s("a") & s("b") & s("c"));
        break;
      case "LDG":
        this.write(d("d"), hash(pair()));
        break;
      case "STG":
        this.stores--;
        this.out.push(`[${pair()}] = ${s("data")}`);
        break;
      case "NOP":
        break;
      default:
        throw new Error(`interpreter: ${inst.form.name}`);
    }
  }
}

function hash(text: string): number {
  let h = 7;
  for (let i = 0; i < text.length; i++) h = (Math.imul(h, 31) + text.charCodeAt(i)) | 0;
  return h;
}
