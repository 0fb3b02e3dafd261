/**
 * The verifier must be silent on right functions and catch faults. Each fault below breaks one stated rule of a right
 * function, so it is a fault by the rule's definition; it counts as caught when a finding names that rule.
 */
import * as fc from "fast-check";
import { compile } from "../../lib/compile.js";
import { Builder } from "../../lib/ori/builder.js";
import { newFunc, snapshot } from "../../lib/ori/func.js";
import * as o from "../../lib/ori/operand.js";
import { parseFunc } from "../../lib/ori/parse.js";
import type { Func } from "../../lib/ori/types.js";
import { type Rule, rules, undefinedValues, verify } from "../../lib/ori/verify.js";
import { target } from "../../lib/target/index.js";
import { onOperands } from "./faults/operands.js";
import { onPhysical } from "./faults/physical.js";
import { type Fault, numbers, sample } from "./faults/pick.js";
import { inWindow, ssaSample } from "./faults/ssa.js";
import { structural } from "./faults/structure.js";
import { onValues } from "./faults/values.js";
import { makePhysical } from "./physical.js";
import { build, type Plan, plans } from "./random.js";

const caught = (func: Func, fault: Fault): boolean => verify(func).some((f) => f.rule === fault.rule);

describe("right functions", () => {
  test("random virtual functions, and the samples", () => {
    expect(verify(sample())).toEqual([]);
    expect(verify(ssaSample())).toEqual([]);
    fc.assert(
      fc.property(plans, (plan) => {
        expect(verify(build(plan))).toEqual([]);
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  test("random physical functions", () => {
    expect(verify(makePhysical(sample()))).toEqual([]);
    fc.assert(
      fc.property(plans, (plan) => {
        expect(verify(makePhysical(build(plan)))).toEqual([]);
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  test("verifying does not edit", () => {
    const func = sample();
    const before = snapshot(func);
    verify(func);
    expect(func).toEqual(before);
  });
});

describe("seeded faults", () => {
  const groups: readonly [string, readonly Fault[], () => Func][] = [
    ["structure", structural, sample],
    ["operands", onOperands, sample],
    ["values", onValues, sample],
    ["physical", onPhysical, () => makePhysical(sample())],
    ["SSA window", inWindow, ssaSample],
  ];
  const seeds = [1, 2, 3];
  for (const [name, faults, make] of groups) {
    test(`${name}: ${faults.length * seeds.length} faults are caught`, () => {
      const missed: string[] = [];
      for (const fault of faults) {
        for (const seed of seeds) {
          const func = make();
          fault.make(func, numbers(seed));
          if (!caught(func, fault)) missed.push(`${fault.what} (seed ${seed}): ${JSON.stringify(verify(func))}`);
        }
      }
      expect(missed).toEqual([]);
    });
  }

  test("there are more than 100 of them, and every rule has one", () => {
    const all = groups.flatMap(([, faults]) => faults);
    expect(all.length * seeds.length).toBeGreaterThan(100);
    expect([...new Set(all.map((f) => f.rule))].sort()).toEqual(
      (Object.keys(rules) as Rule[]).filter((r) => r !== undefined).sort(),
    );
  });

  test("all findings are reported, not just the first", () => {
    const func = makePhysical(sample());
    for (const fault of onPhysical.slice(6, 7)) fault.make(func, numbers(1));
    func.used.P = 0;
    func.blocks[1]?.preds.pop();
    const found = new Set(verify(func).map((f) => f.rule));
    expect(found).toEqual(new Set(["control-missing", "used", "preds"]));
  });
});

test("values that the input leaves undefined can be told and forgiven", () => {
  const b = new Builder(newFunc("k", target("sm_90")));
  const x = b.r();
  b.emit("STG.E", [], { base: o.RZ(2), data: x });
  b.exit();
  const func = b.finish();
  expect(undefinedValues(func)).toEqual(new Set([x.id]));
  expect(verify(func).map((f) => f.rule)).toEqual(["undefined"]);
  expect(verify(func, "initial", { mayBeUndefined: undefinedValues(func) })).toEqual([]);
});

test("copies of what the input leaves undefined may lose their definition", () => {
  const text = `.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {
    .reg .b32 %r<4>; .reg .b64 %d<2>; ld.param.u64 %d0, [p]; st.global.v2.b32 [%d0], {%r2, %r3}; ret; }`;
  expect(compile(text, { target: "sm_90", opt: 2, verify: true }).diagnostics).toEqual([]);
});

test("the registers of a pair in the SSA window have one definition each, and each dominates its own uses", () => {
  const found = (b0: string, b1: string, b2: string): Rule[] => {
    const head = 'func "k" entry sm_90 virtual ssa\nvalue %R0\nvalue %R1 width 2\nvalue %P2';
    const branch = "ISETP.LT.AND %P2, PT, %R0, RZ, PT\n@%P2 BRA b2";
    const read = parseFunc(`${head}\nb0\nS2R %R0, SR_TID.X\n${b0}\n${branch}\nb1\n${b1}\nb2\n${b2}\nEXIT`);
    if (!read.ok) throw new Error(read.diagnostics[0]?.message);
    return verify(read.value, "ssa", { skipDefinedness: true }).map((f) => f.rule);
  };
  const [low, high] = ["MOV %R1:0, 0x1", "MOV %R1:1, 0x2"];
  expect(found(`${high}\nSTS [%R0], %R1:1`, `${low}\nSTS.64 [%R0], %R1`, "STS [%R0], %R1:1")).toEqual([]);
  expect(found("NOP", low, `${high}\nSTS.64 [%R0], %R1`)).toEqual(["dominated-use"]);
  expect(found(high, low, "STS.64 [%R0], %R1")).toEqual(["dominated-use"]);
  expect(found(high, low, high)).toEqual(["single-definition"]);
});

test("a plan of one block is a function", () => {
  const plan: Plan = { target: "sm_75", blocks: [{ insts: [], end: 0, to: 0, to2: 0 }] };
  expect(verify(build(plan))).toEqual([]);
});
