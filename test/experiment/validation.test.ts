/** Translation validation and bisection, with phases and rules that are wrong on purpose. */

import { ptxlab } from "../../lib/cli/index.js";
import { compile, compileFrom } from "../../lib/compile.js";
import { bisect, launchRunner, NotValidated, validate } from "../../lib/experiment/index.js";
import { type Func, Kind } from "../../lib/ori/types.js";
import type { PhaseBody, PhaseName } from "../../lib/phases/index.js";
import type { CombineRule } from "../../lib/rules/index.js";
import { fakeHost } from "../cli/fake-host.js";

const text = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
.reg .b64 %rd<4>; .reg .b32 %r<12>; .reg .pred %p<3>;
ld.param.u64 %rd1, [p];
ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x;
mul.wide.u32 %rd2, %r2, 4;
add.s64 %rd3, %rd1, %rd2;
mul.lo.s32 %r3, %r2, 7;
sub.s32 %r4, %r3, %r1;
mov.u32 %r6, 0;
L: add.s32 %r4, %r4, %r3; xor.b32 %r4, %r4, %r6; add.s32 %r6, %r6, 1; setp.lt.s32 %p1, %r6, 5; @%p1 bra L;
st.global.u32 [%rd3], %r4;
ret;
}
`;
const launch = {
  buffers: { out: { type: "u32", length: 32 } },
  launches: [{ kernel: "k", grid: [1], block: [32], params: [{ buffer: "out" }, { s32: 3 }] }],
};
const run = launchRunner(launch, () => null);

/** The first product becomes a sum, in place. */
const wrong: PhaseBody = (func) => {
  for (const block of func.blocks)
    for (const inst of block.insts)
      for (const o of inst.srcs)
        if (o.kind === Kind.Imm && o.value === 7) {
          o.value = 6;
          func.generation++;
          return;
        }
};

test("after every phase the code computes the same", () => {
  const { phases } = validate(text, { target: "sm_80" }, run);
  expect(phases.length).toBeGreaterThan(5);
  expect(phases.filter((p) => p.verdict !== "same")).toEqual([]);
  expect(bisect(text, { target: "sm_80" }, run)).toBeNull();
});

test("what goes on from a snapshot has the bytes of what goes through", () => {
  const states: { readonly phase: PhaseName; readonly func: Func }[] = [];
  const whole = compile(text, {
    target: "sm_80",
    observe: (e) => {
      if (e.kind === "after" && e.changed) states.push({ phase: e.phase, func: e.snapshot() });
    },
  });
  if (!whole.ok) throw new Error(whole.diagnostics[0]?.message);
  const before = states.filter(({ phase }) => !/Scoreboards|PostFixUp/.test(phase));
  expect(before.length).toBeGreaterThan(5);
  for (const { phase, func } of before) {
    const options = { target: "sm_80", phases: { plainAfter: phase } } as const;
    expect([phase, compileFrom(whole, new Map([["k", func]]), options).cubin]).toEqual([
      phase,
      compile(text, options).cubin,
    ]);
  }
});

test("a wrong phase is named", () => {
  const options = { target: "sm_80", phases: { bodies: { OriCopyProp: wrong } } } as const;
  const bad = validate(text, options, run).phases.filter((p) => p.verdict === "different");
  expect(bad[0]).toEqual({ phase: "OriCopyProp", verdict: "different", detail: "other bytes in out" });
  expect(bisect(text, options, run)).toEqual({ phase: "OriCopyProp", detail: "other bytes in out", rewrite: null });
});

test("a wrong rule is named, with its number among the rewrites of its phase", () => {
  /** x ^ y becomes x, once. */
  const rule: CombineRule = {
    name: "planted",
    roots: ["LOP3.LUT"],
    apply: (_c, root) => {
      const table = root.srcs[3];
      if (table?.value !== 0x3c) return false;
      table.value = 0xf0;
      return true;
    },
  };
  const found = bisect(text, { target: "sm_80", phases: { rules: [rule] } }, run);
  expect(found?.phase).toBe("GeneralOptimize");
  expect(found?.rewrite?.what).toBe("rule planted");
  expect(found?.rewrite?.number).toBeLessThanOrEqual(found?.rewrite?.of ?? 0);
});

test("on the command line", async () => {
  const host = fakeHost({ "k.ptx": text, "l.json": JSON.stringify(launch) });
  expect(await ptxlab(["validate", "k.ptx", "--launch", "l.json", "--arch", "sm_80"], host)).toBe(0);
  expect(host.stdout).toMatch(/^AllocateRegisters: same$/m);
  expect(host.stdout).toMatch(/^\d+ phases changed something, 0 with other results than -O0$/m);
  const other = fakeHost({ "k.ptx": text, "l.json": JSON.stringify(launch) });
  expect(await ptxlab(["bisect", "k.ptx", "--launch", "l.json", "--arch", "sm_80"], other)).toBe(0);
  expect(other.stdout).toBe("the results are those of -O0\n");
});

test("what does not run at -O0 is not judged", () => {
  expect(() => validate(text, { target: "sm_80" }, () => ({ ran: false, expected: [], text: "no" }))).toThrow(
    NotValidated,
  );
});
