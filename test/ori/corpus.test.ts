/** The starter corpus through the IR's own tools: text form, verifier, SSA window. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile.js";
import { snapshot } from "../../lib/ori/func.js";
import { parseFunc } from "../../lib/ori/parse.js";
import { printFunc } from "../../lib/ori/print.js";
import type { Func } from "../../lib/ori/types.js";
import { undefinedValues, verify } from "../../lib/ori/verify.js";
import { convertAllMovPhiToMov } from "../../lib/phases/convert-mov-phi.js";
import { generateMovPhi } from "../../lib/phases/generate-mov-phi.js";
import { plain } from "./plain.js";

const root = join(__dirname, "../corpus/ptx");

function roundTrip(func: Func): void {
  const back = parseFunc(printFunc(func));
  if (!back.ok) throw new Error(`${func.name}: ${back.diagnostics[0]?.message}`);
  expect(plain(back.value)).toEqual(plain(func));
}

describe.each(["sm_75", "sm_90", "sm_100"] as const)("%s", (target) => {
  test.each(readdirSync(join(root, target)))("%s", (file) => {
    const c = compile(readFileSync(join(root, target, file), "utf8"), { target, opt: 0, verify: true });
    expect(c.internalErrors).toEqual([]);
    expect(c.functions.length).toBeGreaterThan(0);
    for (const f of c.functions) {
      roundTrip(f.lowered);
      roundTrip(f.func as Func);
      expect(verify(f.func as Func)).toEqual([]);
      const ssa = snapshot(f.lowered);
      const mayBeUndefined = undefinedValues(ssa);
      ssa.milestone = "ssa";
      generateMovPhi(ssa);
      expect(verify(ssa, "ssa", { mayBeUndefined })).toEqual([]);
      roundTrip(ssa);
      convertAllMovPhiToMov(ssa);
      expect(verify(ssa, "expanded", { mayBeUndefined })).toEqual([]);
    }
  });
});
