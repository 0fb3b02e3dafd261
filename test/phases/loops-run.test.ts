/** Loops in all their forms, in the simulator: what they do at -O2 against counting in TypeScript. */
import { compile } from "../../lib/compile.js";
import { simulate } from "../../lib/sim/index.js";
import type { TargetName } from "../../lib/target/index.js";

const targets = ["sm_75", "sm_90", "sm_100", "sm_120"] as const;
const LANES = 32;

interface Form {
  readonly from: string;
  readonly step: number;
  readonly compare: "lt" | "le" | "gt" | "ge" | "ne";
  readonly bound: string;
  readonly type?: "s32" | "u32";
  readonly top?: boolean;
}

/** Each turn: sum = sum · 3 + counter, number of turns + 1. Bounds and starts are read per lane. */
function ptx(target: string, { from, step, compare, bound, type = "s32", top = false }: Form): string {
  const again = `setp.${compare}.${type} %p, %j, ${bound};`;
  const body = `mad.lo.u32 %v, %v, 3, %j; add.u32 %n, %n, 1; add.s32 %j, %j, ${step};`;
  const loop = top ? `L: ${again} @!%p bra E; ${body} bra L;` : `L: ${body} ${again} @%p bra L;`;
  return `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) { .reg .b32 %a, %b, %j, %v, %n, %t; .reg .b64 %i, %o, %z; .reg .pred %p;
ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %z, %t, 8; add.s64 %i, %i, %z; add.s64 %o, %o, %z;
ld.global.v2.u32 {%a, %b}, [%i]; mov.u32 %v, 1; mov.u32 %n, 0; mov.u32 %j, ${from};
${loop}
E: st.global.v2.u32 [%o], {%v, %n}; ret; }`;
}

/** Start and bound of each lane. */
type Inputs = readonly (readonly [a: number, b: number])[];

function expected(
  { from, step, compare, bound, type = "s32", top = false }: Form,
  [a, b]: readonly [number, number],
): [number, number] {
  const value = (t: string): number => (t === "%a" ? a : t === "%b" ? b : Number(t));
  const sign = (n: number): number => (type === "u32" ? n >>> 0 : n | 0);
  const to = sign(value(bound));
  const more = (j: number): boolean => {
    const x = sign(j);
    if (compare === "ne") return x !== to;
    return compare === "lt" ? x < to : compare === "le" ? x <= to : compare === "gt" ? x > to : x >= to;
  };
  let [j, v, n] = [value(from) | 0, 1, 0];
  while ((n === 0 && !top) || more(j)) {
    v = (Math.imul(v, 3) + j) | 0;
    n++;
    j = (j + step) | 0;
    if (n > 5000) throw new Error("the test's loop does not end");
  }
  return [v >>> 0, n];
}

function check(target: TargetName, form: Form, inputs: Inputs): void {
  const made = compile(ptx(target, form), { target, opt: 2, verify: true });
  if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  const lanes = Array.from({ length: LANES }, (_, k) => inputs[k % inputs.length]!);
  const out = new Uint32Array(2 * LANES);
  const ran = simulate(made.cubin, { kernel: "k", block: LANES, params: [Uint32Array.from(lanes.flat()), out] });
  if (!ran.ok || ran.value.fault !== null) throw new Error(`${target}: ${JSON.stringify(form)} does not run`);
  expect([...out]).toEqual(lanes.flatMap((l) => expected(form, l)));
}

describe.each(targets)("%s", (target) => {
  test.each([1, 2, 3, 5, 17, 130, 265, 1000, 3592, 4099])("%i turns", (turns) => {
    check(target, { from: "0", step: 1, compare: "lt", bound: `${turns}` }, [[0, 0]]);
    check(target, { from: "7", step: -3, compare: "gt", bound: `${7 - 3 * turns}` }, [[0, 0]]);
    check(target, { from: "0", step: 2, compare: "ne", bound: `${2 * turns}`, type: "u32", top: true }, [[0, 0]]);
  });

  const bounds: Inputs = Array.from({ length: LANES }, (_, k) => [k - 9, k * 2 - 20] as const);
  /** Differences that do not fit 32 bits: one turn, or none. */
  const ends: Inputs = [
    [0, -0x80000000],
    [5, -0x80000000],
    [0x7fffffff, -0x80000000],
    [0x7ffffff0, 0x7fffffff],
    [-0x80000000, -0x7ffffff5],
    [3, 3],
  ];
  test.each(["lt", "le"] as const)("up to a bound of the lane: %s", (compare) => {
    for (const top of [false, true])
      for (const step of [1, 3])
        for (const from of ["0", "5", "-4", "%a"]) check(target, { from, step, compare, bound: "%b", top }, bounds);
    for (const from of ["0", "%a"])
      check(
        target,
        { from, step: 1, compare: "lt", bound: "%b" },
        from === "0" ? ends.filter(([, b]) => b < 5000) : ends,
      );
  });

  test.each(["gt", "ge"] as const)("down to a bound of the lane: %s", (compare) => {
    for (const step of [-1, -2])
      for (const from of ["30", "-3", "%a"]) check(target, { from, step, compare, bound: "%b" }, bounds);
    for (const step of [-1, -5]) check(target, { from: "%b", step, compare, bound: "0" }, bounds);
    const reversed: Inputs = [
      [0, 0x7fffffff],
      [-5, 0x7fffffff],
      [0x7fffffff, 0x7ffffff5],
      [-0x7ffffff5, -0x80000000],
      [-0x7fffffff, 0x7fffffff],
      [3, 3],
    ];
    check(target, { from: "%a", step: -1, compare: "gt", bound: "%b" }, reversed);
  });

  test("so large a step that what is added for several turns does not fit 31 bits", () => {
    const ends: Inputs = Array.from({ length: LANES }, (_, k) => [
      0,
      k % 2 === 0 ? (1 << 30) - k : (k - 20) * (1 << 25),
    ]);
    check(target, { from: "0", step: 1 << 30, compare: "lt", bound: "%b" }, ends);
  });

  test("from a number of the lane to a constant", () => {
    check(target, { from: "%b", step: 3, compare: "lt", bound: "40" }, bounds);
    check(target, { from: "%b", step: 2, compare: "le", bound: "2147483640" }, [
      [0, 0x7ffffff0],
      [0, 0x7ffffff3],
    ]);
  });
});
