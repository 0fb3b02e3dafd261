/** Lanes that meet at different instructions: what they compute, on every target, also with few registers; and which places stay bare. */
import { type CompileOptions, compile } from "../../lib/compile";
import { simulate } from "../../lib/sim/index";
import { sms, type TargetName } from "../../lib/target/index";
import { type GatherKernel, gatherKernels, gatherText, LANES, N, TILED } from "./gather-kernels";

function compiled(k: GatherKernel, options: CompileOptions): ReturnType<typeof compile> {
  const made = compile(gatherText(k, options.target), { verify: true, ...options });
  if (made.cubin !== null) return made;
  const why = [...made.diagnostics.map((d) => d.message), ...made.internalErrors.map((e) => String(e.stack))];
  throw new Error(why.join("\n"));
}

function run(cubin: Uint8Array): number[] {
  const out = new Uint32Array(32);
  const r = simulate(cubin, { kernel: "k", grid: 1, block: 32, params: [out, { u32: N }] });
  if (!r.ok) throw new Error(r.diagnostics.map((d) => d.message).join("\n"));
  expect(r.value.fault).toBeNull();
  return [...out];
}

const ops = (k: GatherKernel, options: CompileOptions): string[] =>
  compiled(k, options).functions.flatMap((f) => f.code?.insts.map((i) => i.form.name) ?? []);

const sm = (target: string): number => Number(/\d+/.exec(target)![0]);

describe.each(sms.map((n) => `sm_${n}` as TargetName))("%s", (target) => {
  const kernels = gatherKernels.filter((k) => sm(target) >= (k.from ?? 0));

  test.each(kernels.map((k) => [k.name, k] as const))("%s", (_, k) => {
    expect(run(compiled(k, { target }).cubin!)).toEqual(LANES.map((l) => k.expected(l) >>> 0));
  });

  test("gathered only where lanes may come to different places", () => {
    const mark = sm(target) >= 90 ? "WARPSYNC.COLLECTIVE" : "CALL.REL.NOINC";
    for (const k of kernels) {
      expect([k.name, ops(k, { target }).includes(mark)]).toEqual([k.name, sm(target) >= (k.gathersFrom ?? 0)]);
    }
  });
});

test.each(["sm_75", "sm_80", "sm_90", "sm_120"] as const)("%s: few registers", (target) => {
  for (const k of gatherKernels) {
    if (sm(target) < (k.from ?? 0)) continue;
    const { cubin } = compiled(k, { target, allocation: { ceilings: { R: 10 } } });
    expect([k.name, run(cubin!)]).toEqual([k.name, LANES.map((l) => k.expected(l) >>> 0)]);
  }
});

test.each(["sm_75", "sm_80", "sm_90", "sm_100"] as const)("%s: scheduled code", (target) => {
  for (const opt of [1, 3]) {
    for (const k of gatherKernels) {
      if (sm(target) < (k.from ?? 0)) continue;
      const { cubin } = compiled(k, { target, opt });
      expect([k.name, opt, run(cubin!)]).toEqual([k.name, opt, LANES.map((l) => k.expected(l) >>> 0)]);
    }
  }
});

test.each(["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"] as const)("%s: tiles come together again", (target) => {
  for (const opt of [0, 1, 2]) {
    for (const k of TILED) {
      if (sm(target) < (k.from ?? 0)) continue;
      const { cubin } = compiled(k, { target, opt });
      expect([k.name, opt, run(cubin!)]).toEqual([k.name, opt, LANES.map((l) => k.expected(l) >>> 0)]);
    }
  }
});

test("fewer registers than gathered code has", () => {
  const made = compile(gatherText(gatherKernels[0]!, "sm_75"), {
    target: "sm_75",
    opt: 0,
    allocation: { ceilings: { R: 7 } },
  });
  expect(made.internalErrors).toEqual([]);
  expect(made.diagnostics.map((d) => d.message)).toEqual([
    "Register allocation failed with register count of '9'. Compile the program with a higher register target",
  ]);
});

test("gathered code is the same at all places with the same qualifiers", () => {
  for (const k of gatherKernels) {
    const insts = compiled(k, { target: "sm_90" }).functions[0]!.code!.insts;
    const bodies = new Map<string, Set<string>>();
    insts.forEach((i, at) => {
      if (!i.form.mods.includes("COLLECTIVE")) return;
      const end = insts.findIndex((e, n) => n > at && e.form.op === "ENDCOLLECTIVE");
      const body = insts.slice(at + 1, end);
      const text = JSON.stringify(body.map((b) => [b.form.name, b.dsts, b.srcs]));
      // Ballots and plain votes are VOTE.ANY with other results.
      const key = body.map((b) => `${b.form.name} ${b.dsts.map((d) => d.id >= 0)}`).join();
      bodies.set(key, (bodies.get(key) ?? new Set()).add(text));
    });
    for (const [key, texts] of bodies) expect([k.name, key, texts.size]).toEqual([k.name, key, 1]);
  }
});
