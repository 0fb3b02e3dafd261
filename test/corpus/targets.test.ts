/**
 * The corpus on every SM: PTX of the oldest target compiled for each, with all checkers on, and run in the simulator.
 * The three targets that have PTX of their own are in corpus.test.ts.
 */
import { compile } from "../../lib/compile.js";
import { readCubin } from "../../lib/elf/index.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { sms, type TargetName } from "../../lib/target/index.js";
import { corpus, corpusPtx } from "./cases.js";

const host = { readFile: () => null };

describe.each(sms.map((sm) => [`sm_${sm}` as TargetName, sm] as const))("%s -O0", (target, sm) => {
  test.each(corpus.map((c) => [c.name, c] as const))("%s", (name, c) => {
    const made = compile(corpusPtx(name, "sm_75"), { target, opt: 0, verify: true });
    expect(made.diagnostics).toEqual([]);
    const cubin = readCubin(made.cubin!);
    expect(cubin.ok && cubin.value.sm).toBe(sm);
    const ran = runLaunchFile(made.cubin!, c.launch, host);
    expect(ran.lines.filter(() => ran.status !== 0)).toEqual([]);
    expect(ran.status).toBe(0);
  });
});
