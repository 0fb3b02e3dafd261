/**
 * Stopping before a phase, writing the function as text, reading it back and going on gives the bytes of going through.
 * PTXLAB_RESUME=all stops before every phase for every kernel, not only of some.
 */
import { compile } from "../../lib/compile.js";
import { parseFunc } from "../../lib/ori/parse.js";
import { printFunc } from "../../lib/ori/print.js";
import { phaseNames, runPhases } from "../../lib/phases/index.js";
import { unwrap } from "../../lib/result.js";
import { encodeFunc } from "../../lib/sass/index.js";
import { type CorpusTarget, corpus, corpusPtx } from "../corpus/cases.js";

const all = process.env.PTXLAB_RESUME === "all";
const targets: readonly CorpusTarget[] = ["sm_75", "sm_90", "sm_100"];
const kernels = corpus.map((c, i) => [c.name, targets[i % targets.length] as CorpusTarget, i] as const);

test.each(kernels)("%s for %s", (name, target, i) => {
  for (const opt of all ? [0, 1, 2] : [i % 3]) {
    const made = compile(corpusPtx(name, target), { target, opt });
    made.functions.forEach((f) => {
      const whole = Buffer.from(f.code!.words.buffer).toString("hex");
      const stops = new Map<string, string>();
      const again = compile(corpusPtx(name, target), {
        target,
        opt,
        observe: (e) => {
          if (e.kind === "before" && e.func.name === f.name) stops.set(e.phase, e.text());
        },
      });
      expect(again.ok).toBe(true);
      [...stops].forEach(([phase, text], k) => {
        if (!all && k % 4 !== i % 4) return;
        const func = unwrap(parseFunc(text));
        unwrap(runPhases(func, f.phaseOptions!));
        expect([phase, opt, Buffer.from(encodeFunc(func).words.buffer).toString("hex") === whole]).toEqual([
          phase,
          opt,
          true,
        ]);
      });
    });
  }
});

test("stopBefore and runPhases without more go through in two steps", () => {
  const made = compile(corpusPtx("reduction", "sm_90"), { target: "sm_90", opt: 2 });
  const f = made.functions[0]!;
  for (const stopBefore of phaseNames) {
    const func = unwrap(parseFunc(printFunc(f.lowered)));
    unwrap(runPhases(func, { ...f.phaseOptions, stopBefore }));
    unwrap(runPhases(func, { ...f.phaseOptions }));
    expect([stopBefore, encodeFunc(func).words]).toEqual([stopBefore, f.code!.words]);
  }
});
