/** Random blocks on physical registers: all files and widths, guards, every kind of memory access, fences, barriers. */
import { Builder } from "../../lib/ori/builder.js";
import { guardOn, newFunc } from "../../lib/ori/func.js";
import * as o from "../../lib/ori/operand.js";
import { File, type Func, type Guard, type Operand } from "../../lib/ori/types.js";
import { type TargetName, target } from "../../lib/target/index.js";
import { random } from "../regalloc/random.js";

export interface Shape {
  readonly seed: number;
  readonly length: number;
  /** R registers in use; few of them make many dependences. */
  readonly registers: number;
  readonly target?: TargetName;
  /** Of 100 instructions how many touch memory. */
  readonly memory?: number;
}

export function randomBlock(shape: Shape): Func {
  const pick = random(shape.seed);
  const b = new Builder(newFunc("k", target(shape.target ?? "sm_90")));
  const r = (): Operand => o.reg(pick(shape.registers));
  const pair = (): Operand => o.reg(2 * pick(Math.max(1, shape.registers >> 1)), 2);
  const p = (): Operand => o.preg(pick(4));
  const u = (): Operand => o.ureg(8 + pick(4));
  const offset = (): Operand => o.imm(4 * pick(6));
  const guard = (): { guard: Guard | null } => ({
    guard: pick(4) === 0 ? guardOn(File.P, pick(4), pick(2) === 0) : null,
  });
  const desc = (): Operand => o.ureg(4, 2);
  const plain: (() => void)[] = [
    () => b.emit("IADD3", { d: r() }, { a: r(), b: r(), c: r() }, guard()),
    () => b.emit("IMAD", { d: r() }, { a: r(), b: r(), c: r() }, guard()),
    () => b.emit("IMAD.WIDE", { d: pair() }, { a: r(), b: r(), c: pair() }),
    () => b.emit("MOV", { d: r() }, { b: o.imm(pick(100)) }, guard()),
    () => b.emit("FFMA", { d: r() }, { a: r(), b: r(), c: r() }),
    () => b.emit("ISETP.GE.AND", { p: p() }, { a: r(), b: r(), pin: p() }, guard()),
    () => b.emit("SEL", { d: r() }, { a: r(), b: r(), pin: p() }),
    () => b.emit("MUFU.RCP", { d: r() }, { b: r() }, guard()),
    () => b.emit("S2R", { d: r() }, { s: o.sreg(0x21) }),
    () => b.emit("UIADD3", { d: u() }, { a: u(), b: u(), c: u() }),
    () => b.emit("IADD3", { d: r() }, { a: r(), b: u(), c: r() }),
    () => b.emit("R2UR", { d: u() }, { a: r() }),
    () => b.emit("R2P", {}, { a: r(), b: o.imm(0x7f) }),
    () => b.emit("P2R", { d: r() }, { a: r(), b: o.imm(0x7f) }),
    () => b.emit("SHFL.IDX", { d: r() }, { a: r(), b: r(), c: o.imm(0x1f) }),
  ];
  const memory: (() => void)[] = [
    () => b.emit("LDG.E", { d: r() }, { base: pair(), off: offset(), desc: desc() }, guard()),
    () => b.emit("LDG.E.CONSTANT", { d: r() }, { base: pair(), off: offset(), desc: desc() }),
    () => b.emit("STG.E", {}, { base: pair(), off: offset(), desc: desc(), data: r() }, guard()),
    () => b.emit("LDS", { d: r() }, { base: r(), off: offset() }),
    () => b.emit("STS", {}, { base: r(), off: offset(), data: r() }, guard()),
    () => b.emit("STS.64", {}, { base: r(), off: offset(), data: pair() }),
    () => b.emit("LDL", { d: r() }, { base: r(), off: offset() }),
    () => b.emit("STL", {}, { base: r(), off: offset(), data: r() }),
    () => b.emit("LD.E", { d: r() }, { base: pair(), off: offset(), desc: desc() }),
    () => b.emit("ATOMS.ADD", { d: r() }, { base: r(), off: offset(), data: r() }),
    () => b.emit("LDG.E.STRONG.GPU", { d: r() }, { base: pair(), off: offset(), desc: desc() }),
    () => b.emit("STG.E.STRONG.GPU", {}, { base: pair(), off: offset(), desc: desc(), data: r() }),
    () => b.emit("LDC", { d: r() }, { b: o.constBank(0, 0x210) }),
  ];
  const rare: (() => void)[] = [
    () => b.emit("BAR.SYNC.DEFER_BLOCKING", {}, { id: o.imm(0) }),
    () => b.emit("MEMBAR.SC.GPU", {}, {}),
    () => b.emit("WARPSYNC", {}, { b: r() }),
  ];
  for (let i = 0; i < shape.length; i++) {
    const dice = pick(100);
    const kind = dice < 2 ? rare : dice < 2 + (shape.memory ?? 35) ? memory : plain;
    kind[pick(kind.length)]!();
  }
  b.emit("EXIT", {}, {});
  const func = b.finish();
  func.virtual = false;
  func.milestone = "post-expanded";
  func.used = { R: shape.registers + 2, UR: 12, P: 7, UP: 0, B: 0 };
  return func;
}
