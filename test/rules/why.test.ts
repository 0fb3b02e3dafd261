/** Why a rule does not apply: the words, and that they agree with the engine everywhere. */
import { compile } from "../../lib/compile.js";
import { rulePlaces, ruleTexts } from "../../lib/index.js";
import { snapshot } from "../../lib/ori/index.js";
import type { Func } from "../../lib/ori/types.js";
import { Combining, rules, textRules } from "../../lib/rules/index.js";
import { corpusPtx } from "../corpus/cases.js";

/** The function right before (or after) the phase that applies rules, of a body over a, b, c, loaded, with the result in x. */
function at(body: string, kind: "before" | "after" = "after", target: "sm_90" | "sm_120" = "sm_90"): Func {
  const text = `.version 8.7
.target ${target}
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b32 a, b, c, t, x; .reg .b64 r;
  ld.param.u64 r, [p];
  ld.global.u32 a, [r]; ld.global.u32 b, [r+4]; ld.global.u32 c, [r+8];
  ${body}
  st.global.u32 [r+12], x;
  ret;
}
`;
  return moment(text, kind, target);
}

function moment(text: string, kind: "before" | "after", target: string): Func {
  let found: Func | null = null;
  const c = compile(text, {
    target: target as "sm_90",
    observe: (e) => {
      if (found === null && e.phase === "GeneralOptimize" && e.kind === kind) found = e.snapshot();
    },
  });
  expect(c.ok).toBe(true);
  return found as unknown as Func;
}

const refusals = (func: Func, rule: string): (string | null)[] => {
  const places = rulePlaces(func, rule);
  if (!places.ok) throw new Error(places.diagnostics[0]!.message);
  return places.value.map((p) => p.refused);
};

const RULE = "shift-right-and-sum";

test("the text of the rule under test", () => {
  expect(ruleTexts().get(RULE)).toBe(
    " ; IADD3 d, (SHF.R.U32.HI RZ, #n, x), y, RZ ; n != 0, n <= 31, reg(x) ; LEA.HI d, x, y, RZ, #(32 - n)",
  );
});

test.each([
  ["it applies", "shr.u32 t, a, 4; add.u32 x, t, b;", "before", null],
  [
    "nothing to put together",
    "mul.lo.u32 t, a, b; add.u32 x, t, c;",
    "before",
    /^source \d of IADD3 \(%R\d+\) is defined by (?:LDG\.E|IMAD)/,
  ],
  [
    "the inner value is read again",
    "shr.u32 t, a, 4; add.u32 x, t, b; st.global.u32 [r+16], t;",
    "before",
    /^source 1 of IADD3 \(%R\d+\) is read elsewhere, too$/,
  ],
  [
    "the shift is no literal",
    "shr.u32 t, a, c; add.u32 x, t, b;",
    "before",
    /^source 2 of SHF\.R\.U32\.HI is no literal$/,
  ],
  [
    "a literal in the third place",
    "shr.u32 t, a, 4; add.u32 x, t, b; add.u32 x, x, c;",
    "after",
    /^source \d of IADD3/,
  ],
] as const)("%s", (_, body, kind, refused) => {
  const found = refusals(at(body, kind), RULE);
  expect(found.length).toBeGreaterThan(0);
  if (refused === null) expect(found).toEqual([null]);
  else expect(found).toContainEqual(expect.stringMatching(refused));
});

test("a condition is told with the values of its literals", () => {
  const func = at("shr.u32 t, a, 4; add.u32 x, t, b;", "before");
  for (const inst of func.blocks.flatMap((b) => b.insts))
    if (inst.form.name === "SHF.R.U32.HI") for (const o of inst.srcs) if (o.value === 4) o.value = 40;
  expect(refusals(func, RULE)).toEqual(["n <= 31 does not hold: n is 40"]);
});

test("features of the SM", () => {
  const rule = textRules().find((r) => r.on.includes("vabsdiff") && r.left.form.name === "IADD3")!;
  expect(refusals(at("sub.u32 x, a, b;", "before", "sm_120"), rule.name)).toEqual(["sm_120 has no vabsdiff"]);
});

test("what is no rule, and functions where none applies, are refused", () => {
  expect(rulePlaces(at("add.u32 x, a, b;"), "no-such-rule").ok).toBe(false);
  const c = compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90" });
  const done = c.functions[0]!.func!;
  expect(rulePlaces(done, RULE)).toMatchObject({
    ok: false,
    diagnostics: [{ message: expect.stringMatching(/SSA window/) }],
  });
});

test.each([
  ["saxpy", "sm_75"],
  ["stencil", "sm_90"],
  ["histogram", "sm_90"],
] as const)(
  "%s on %s: each refusal is the engine's, each place without one is where the rule applies",
  (kernel, target) => {
    for (const kind of ["before", "after"] as const) {
      const func = moment(corpusPtx(kernel, target), kind, target);
      for (const rule of rules().filter((r) => ruleTexts().has(r.name))) {
        const places = rulePlaces(func, rule.name);
        expect(places.ok).toBe(true);
        if (!places.ok) continue;
        const order = new Combining(func).defs.flat.insts;
        for (const { inst, refused } of places.value) {
          const copy = new Combining(snapshot(func));
          const index = order.indexOf(inst);
          expect([rule.name, rule.apply(copy, copy.defs.flat.insts[index]!, index)]).toEqual([
            rule.name,
            refused === null,
          ]);
        }
      }
    }
  },
);
