/** Chains of comparisons: which become tables is what ptxas was asked about; what they compute is compared with counting in TypeScript. */
import { compile } from "../../lib/compile.js";
import { disassemble } from "../../lib/disassemble.js";
import { readCubin } from "../../lib/elf/index.js";
import { unwrap } from "../../lib/result.js";
import { simulate } from "../../lib/sim/index.js";
import type { TargetName } from "../../lib/target/index.js";

const LANES = 64;

interface Test {
  readonly value: number;
  readonly ne?: boolean;
}

function ptx(target: string, tests: readonly Test[], between = ""): string {
  const asked = tests.map(({ value, ne = false }, k) =>
    ne ? `setp.ne.s32 %p, %a, ${value}; @!%p bra C${k};` : `setp.eq.s32 %p, %a, ${value}; @%p bra C${k};`,
  );
  const arms = tests.map((_, k) => `C${k}: mad.lo.u32 %v, %v, 7, ${100 + k}; xor.b32 %v, %v, %t; bra J;`);
  return `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) { .reg .b32 %a, %v, %t; .reg .b64 %i, %o, %z; .reg .pred %p;
ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %z, %t, 4;
add.s64 %i, %i, %z; add.s64 %o, %o, %z; ld.global.u32 %a, [%i]; mov.u32 %v, %t;
${asked.join(between)} bra J; ${arms.join("\n")} J: st.global.u32 [%o], %v; ret; }
`;
}

const numbers = (...list: number[]): Test[] => list.map((value) => ({ value }));

/** Places in the table after the first comparison, which stays with what stands before it; 0: no table. */
const cases: readonly (readonly [name: string, tests: readonly Test[], places: number])[] = [
  ["two", numbers(10, 11), 0],
  ["three", numbers(10, 11, 12), 3],
  ["any order", numbers(1, 3, 2, 0), 5],
  ["negative, with a gap", numbers(-2, -1, 1, 2), 5],
  ["every fifth place", numbers(0, 1, 10), 11],
  ["fewer", numbers(0, 1, 11), 0],
  ["a number twice", numbers(10, 11, 10, 12, 13), 5],
  ["one far away at the end", numbers(10, 11, 12, 1000), 0],
  ["one far away at the start", numbers(1000, 10, 11, 12), 4],
  ["a far group at the end", numbers(10, 11, 12, 13, 1000, 1001, 1002, 1003), 5],
  ["not equal", [{ value: 10 }, { value: 11 }, { value: 12, ne: true }, { value: 13 }], 4],
];

function wanted(tests: readonly Test[], a: number, t: number): number {
  const k = tests.findIndex((x) => x.value === a);
  return k < 0 ? t : ((Math.imul(t, 7) + 100 + k) ^ t) >>> 0;
}

describe.each(["sm_75", "sm_90", "sm_120"] as const)("chains of comparisons, %s", (target: TargetName) => {
  test.each(cases)("%s", (_, tests, places) => {
    const inputs = Array.from({ length: LANES }, (_, t) =>
      t % 3 === 0
        ? tests[t % tests.length]!.value + (t % 2)
        : tests[(t * 5) % tests.length]!.value - (t % 4 === 3 ? 1 : 0),
    );
    const made = compile(ptx(target, tests), { target, verify: true });
    if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
    const [code] = disassemble(unwrap(readCubin(made.cubin)));
    const branch = code!.instructions.map((i) => i.text).find((line) => line.startsWith("BRX"));
    expect(branch === undefined ? 0 : branch.split(",").length).toBe(places);
    const out = new Uint32Array(LANES);
    const params = [Int32Array.from(inputs), out];
    const run = unwrap(simulate(made.cubin, { block: LANES, params, maxInstructions: 100_000 }));
    expect(run.fault).toBeNull();
    expect([...out]).toEqual(inputs.map((a, t) => wanted(tests, a, t)));
  });
});

test("a block that does more than compare ends the chain", () => {
  const made = compile(ptx("sm_90", numbers(10, 11, 12, 13), " add.u32 %v, %v, 1; "), { target: "sm_90" });
  const [code] = disassemble(unwrap(readCubin(made.cubin!)));
  expect(code!.instructions.some((i) => i.text.startsWith("BRX"))).toBe(false);
});
