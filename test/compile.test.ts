import { inspect } from "node:util";
import {
  type ControlPolicy,
  check,
  compile,
  controlO0,
  disassemble,
  encodeFunc,
  link,
  lower,
  parse,
  readCubin,
  runPhases,
  unwrap,
} from "../lib/index.js";
import type { Policies } from "../lib/regalloc/index.js";
import { corpusPtx } from "./corpus/cases.js";

const two = `.version 8.0
.target sm_75
.address_size 64
.visible .entry good(.param .u64 p)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  st.global.u32 [%rd1], 7;
  ret;
}
.visible .entry bad(.param .u64 p)
{
  .reg .f32 %f<13>; .reg .b64 %rd<2>;
  tex.grad.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2, %f3, %f4}], {%f5, %f6, %f7, %f8}, {%f9, %f10, %f11, %f12};
  ret;
}
`;

test("every intermediate result stays reachable", () => {
  const c = compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90", opt: 0 });
  expect(c.ok).toBe(true);
  expect(c.module?.version).toBeDefined();
  const [f] = c.functions;
  expect(f!.lowered.virtual).toBe(true);
  expect(f!.func!.virtual).toBe(false);
  expect(f!.func!.milestone).toBe("controlled");
  expect(f!.allocation!.registers).toBe(f!.code!.registers);
  expect(f!.phases.some((p) => p.phase === "AllocateRegisters" && p.ran)).toBe(true);
});

test("what is not lowered yet is refused with its line, and the other kernel goes on", () => {
  const c = compile(two, { target: "sm_75", opt: 0 });
  expect(c.ok).toBe(false);
  expect(c.cubin).toBeNull();
  expect(c.diagnostics.map((d) => [d.kind, d.span?.line, d.message])).toEqual([
    ["unsupported", 14, expect.stringMatching(/^not supported yet: tex\.grad\.3d/)],
  ]);
  expect(c.functions.map((f) => [f.name, f.code !== null])).toEqual([["good", true]]);
});

test("a policy that throws ends its kernel, not the run, and is told as the caller's", () => {
  const select: Policies["select"] = () => {
    throw new Error("a policy that breaks");
  };
  const c = compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90", opt: 0, allocation: { policies: { select } } });
  expect(c.ok).toBe(false);
  expect(c.internalErrors).toHaveLength(0);
  expect(c.diagnostics[0]!.kind).toBe("input");
  expect(c.diagnostics[0]!.message).toContain("a policy that breaks");
});

test("knobs set by name; unknown ones and those without effect are errors", () => {
  const text = corpusPtx("saxpy", "sm_90");
  expect(compile(text, { target: "sm_90", opt: 0, knobs: { RegAllocNumNonSpillTrials: 2 } }).ok).toBe(true);
  const wrong = compile(text, { target: "sm_90", opt: 0, knobs: { RegAllocNumNonSpilTrials: 2 } });
  expect(wrong.diagnostics[0]!.message).toContain("RegAllocNumNonSpillTrials");
});

test("observers see every phase that runs", () => {
  const seen: string[] = [];
  compile(corpusPtx("saxpy", "sm_90"), {
    target: "sm_90",
    opt: 0,
    observe: (e) => {
      if (e.kind === "after") seen.push(`${e.phase} ${e.metrics.instructions > 0}`);
    },
  });
  expect(seen).toContain("AllocateRegisters true");
  expect(seen).toContain("ProcessO0WaitsAndSBs true");
});

test("entries: only those that are asked for; one that is not there is an error, in ptxas's words", () => {
  const good = compile(two, { target: "sm_75", opt: 0, entries: ["good"] });
  expect(good.functions.map((f) => f.name)).toEqual(["good"]);
  expect(good.ok).toBe(true);
  const none = compile(two, { target: "sm_75", opt: 0, entries: ["goood"] });
  expect(none.cubin).toBeNull();
  expect(none.diagnostics.map((d) => [d.severity, d.message])).toEqual([["fatal", "Unknown function goood"]]);
});

test("another way to choose control words", () => {
  const policy: ControlPolicy = { name: "twelve", control: (i, t) => ({ ...controlO0.control(i, t), stall: 12 }) };
  const c = compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90", opt: 0, phases: { control: policy } });
  expect(new Set(c.functions[0]!.code!.insts.map((i) => i.control?.stall))).toEqual(new Set([12]));
});

test("by hand, stage by stage, the same code comes out", () => {
  const text = corpusPtx("saxpy", "sm_90");
  const module = unwrap(parse(text));
  expect(check(module, { target: "sm_90" })).toEqual([]);
  const program = unwrap(lower(module, { target: "sm_90" }));
  const [func] = program.funcs;
  expect(() => encodeFunc(func!)).toThrow(/registers are still virtual.*saxpy/);
  unwrap(runPhases(func!));
  const code = encodeFunc(func!);
  const cubin = unwrap(readCubin(unwrap(link([code], program))));
  const whole = compile(text, { target: "sm_90" });
  expect(cubin.functions[0]!.words).toEqual(whole.functions[0]!.code!.words);
  expect(inspect(cubin)).toMatch(/^Cubin for sm_90: executable, 1 function, \d+ bytes\nfunction.*\nsaxpy +entry +\d+ /);
  const listed = disassemble(cubin)[0]!;
  expect(listed.instructions).toHaveLength(code.words.length / 4);
  expect(() => unwrap(parse("bogus"), "k.ptx")).toThrow(/^ptxas k\.ptx, line 1; fatal +: Missing \.version/);
});

test("results show themselves as text, short inside of others, and stay plain data", () => {
  const c = compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90", opt: 0 });
  expect(inspect(c)).toMatch(
    /^Compilation for sm_90: cubin of \d+ bytes, [\d.]+ ms\n {2}entry saxpy: \d+ instructions/,
  );
  expect(inspect([c])).toMatch(/^\[ \[Compilation for sm_90: .* ms\] \]$/);
  expect(inspect(c.functions[0]!.code)).toMatch(/^\.text\.saxpy:\n +\/\*0000\*\/ /);
  const { lowered } = c.functions[0]!;
  expect(inspect(lowered)).toMatch(/^Func saxpy: 3 blocks, \d+ instructions, virtual registers, initial\nfunc "saxpy"/);
  expect(inspect({ lowered })).toMatch(/^\{\s+lowered: \[Func saxpy: [^\n]*\]\s+\}$/);
  expect(Reflect.ownKeys({ ...lowered }).every((k) => typeof k === "string")).toBe(true);
});
