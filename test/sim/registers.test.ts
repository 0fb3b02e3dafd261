/** Uses of registers that nobody has written: told with their place, the same by both engines; none in the corpus at -O0. */
import { compile } from "../../lib/compile.js";
import { runLaunchFile, type UnwrittenRegister } from "../../lib/sim/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";
import { prologue, runText, type Setup } from "./assemble.js";

/** R7 is written by threads from 40 on, and copied to R8, which is used. */
const text = `${prologue}
  ISETP.GE.AND P0, PT, R0, 0x28, PT
  @P0 IADD3 R7, R0, 0x1, RZ
  MOV R8, R7
  IADD3 R9, R8, R0, RZ
  @P1 IADD3 R9, R9, 0x1, RZ
  STG.E.SYS [R2], R9
  EXIT`;

function found(setup: Setup = {}): readonly UnwrittenRegister[] {
  return runText(text, { block: [64, 1, 1], registers: true, ...setup }).run.findings!.registers;
}

test.each(["closures", "wasm"] as const)(
  "a use is told with its block, thread, instruction and PTX line, in %s",
  (engine) => {
    const [use, guard, ...more] = found({ engine, grid: [2, 1, 1] });
    expect(more).toEqual([]);
    const place = { function: "k", ptxLine: 7, block: [0, 0, 0] };
    // Both warps of both blocks.
    expect(use).toMatchObject({ ...place, register: "R8", thread: [0, 0, 0], count: 4 });
    expect(use!.instruction).toBe("IADD3 R9, R8, R0, RZ");
    expect(guard).toMatchObject({ ...place, register: "P1", thread: [0, 0, 0], count: 4 });
  },
);

test("lanes that have written are not told of", () => {
  const both = text.replace("0x28", "0x0").replace("@P1", "@P0");
  expect(runText(both, { registers: true }).run.findings!.registers).toEqual([]);
  const one = text.replace("ISETP.GE.AND", "ISETP.NE.AND").replace("0x28", "0x3").replace("@P1", "@P0");
  expect(runText(one, { registers: true }).run.findings!.registers).toMatchObject([
    { register: "R8", thread: [3, 0, 0], count: 1 },
  ]);
});

test("with races asked for, too, they are the same", () => {
  expect(found({ races: true })).toEqual(found());
});

test("what is not asked for is not looked for", () => {
  expect(runText(text, {}).run.findings).toBeNull();
});

test.each(corpus.map((c) => [c.name, c.launch] as const))("%s uses no unwritten register at -O0", (name, launch) => {
  const { cubin } = compile(corpusPtx(name as never, "sm_90"), { target: "sm_90", opt: 0 });
  const all: UnwrittenRegister[] = [];
  const done = runLaunchFile(cubin!, launch, {
    readFile: () => null,
    launch: (device, module, options) => {
      const ran = device.launch(module, { ...options, registers: true });
      if (ran.ok) all.push(...ran.value.findings!.registers);
      return ran;
    },
  });
  expect(done.status).toBe(0);
  expect(all).toEqual([]);
});
