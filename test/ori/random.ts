/**
 * Random valid functions for property tests. Every register is defined in the entry block, so any later use is fine;
 * blocks end in every way a block can.
 */
import * as fc from "fast-check";
import { Builder } from "../../lib/ori/builder.js";
import { guardOn, newFunc } from "../../lib/ori/func.js";
import * as o from "../../lib/ori/operand.js";
import { type Block, File, type Func, type Operand } from "../../lib/ori/types.js";
import { target } from "../../lib/target/index.js";

export interface Plan {
  readonly target: "sm_75" | "sm_90" | "sm_100";
  /** Guard some instructions other than branches. */
  readonly guards?: boolean;
  /** Per block after the entry: instructions and how it ends. */
  readonly blocks: readonly {
    readonly insts: readonly (readonly number[])[];
    readonly end: number;
    readonly to: number;
    readonly to2: number;
  }[];
}

const numbers = fc.array(fc.nat(1000), { minLength: 5, maxLength: 5 });

export const plans: fc.Arbitrary<Plan> = fc.record({
  target: fc.constantFrom("sm_75" as const, "sm_90" as const, "sm_100" as const),
  blocks: fc.array(
    fc.record({
      insts: fc.array(numbers, { maxLength: 6 }),
      end: fc.nat(4),
      to: fc.nat(1000),
      to2: fc.nat(1000),
    }),
    { minLength: 1, maxLength: 9 },
  ),
});

interface Pool {
  readonly r: Operand[];
  readonly wide: Operand[];
  readonly p: Operand[];
}

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

function entry(b: Builder): Pool {
  const r = [b.r(1, "%r1"), b.r(), b.r(), b.r()];
  const wide = [b.r(2, "%rd1"), b.r(2)];
  const p = [b.p("%p1"), b.p()];
  for (const x of r) b.emit("MOV", [o.clone(x)], [o.imm(7)]);
  for (const x of wide) {
    b.emit("MOV", [o.lo(x)], [o.imm(0x1000)]);
    b.emit("MOV", [o.hi(x)], [o.RZ()]);
  }
  for (const x of p) b.emit("ISETP.GE.AND", [o.clone(x)], [o.clone(r[0] as Operand), o.imm(3)]);
  return { r, wide, p };
}

/** One of a handful of instructions: ALU, wide parts, predicates, loads, stores, guarded ones. */
function instruction(b: Builder, pool: Pool, [what, a, c, d, g]: readonly number[], guards: boolean): void {
  const r = (n: number | undefined): Operand => o.clone(pick(pool.r, n as number));
  const p = (n: number | undefined): Operand => o.clone(pick(pool.p, n as number));
  const w = (n: number | undefined): Operand => o.clone(pick(pool.wide, n as number));
  const guard = guards && (g as number) % 3 === 0 ? guardOn(File.P, p(g).id, (g as number) % 2 === 0) : null;
  switch ((what as number) % 7) {
    case 0:
      b.emit("IADD3", [r(a)], [r(c), o.imm(d as number), o.neg(r(d))], { guard });
      break;
    case 1:
      b.emit("MOV", [o.part(w(a), (d as number) % 2)], [r(c)], { guard });
      break;
    case 2:
      b.emit("ISETP.LT.AND", [p(a)], [r(c), r(d), o.not(p(d))], { guard });
      break;
    case 3:
      b.emit("LDG.E", [r(a)], { base: w(c), off: o.imm(4 * (d as number)) }, { guard });
      break;
    case 4:
      b.emit("STG.E", [], { base: w(c), data: r(a) }, { guard });
      break;
    case 5:
      b.emit("LOP3.LUT", [r(a)], [r(c), o.constBank(0, 4 * (d as number)), r(d), o.imm(0xc0)], { guard });
      break;
    default:
      b.emit("SEL", [r(a)], [r(c), o.imm(d as number), p(g)]);
  }
}

export function build(plan: Plan): Func {
  const b = new Builder(newFunc("random", target(plan.target)));
  const first = b.newBlock("entry");
  const blocks = plan.blocks.map((_, i) => b.newBlock(i % 2 === 0 ? `L${i}` : ""));
  b.start(first);
  const pool = entry(b);
  plan.blocks.forEach((p, i) => {
    b.start(blocks[i] as Block);
    for (const inst of p.insts) instruction(b, pool, inst, plan.guards ?? true);
    const last = i === plan.blocks.length - 1;
    const guard = guardOn(File.P, (pick(pool.p, p.to) as Operand).id, p.to2 % 2 === 0);
    if (p.end === 0) b.exit();
    else if (p.end === 1) b.branch(pick(blocks, p.to));
    else if (p.end === 2 && !last) b.branch(pick(blocks, p.to), guard);
    else if (p.end === 3 && !last) b.exit(guard);
    else if (last) b.exit();
  });
  return b.finish();
}
