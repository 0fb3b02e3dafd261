/** Matrix instructions and copies without a meaning here fault by name and address. */
import { assembleCubin } from "../../lib/assemble.js";
import { parseInst } from "../../lib/sass/index.js";
import { simulate } from "../../lib/sim/index.js";
import { programOf } from "../../lib/sim/prepare.js";
import { Site } from "../../lib/sim/site.js";
import { target } from "../../lib/target/index.js";

test.each([
  ["sm_90a", "HMMA.SP.16832.F32 R4, R4, R8, R12, R0, 0x2", "selector of metadata"],
  ["sm_90a", "UTMAREDG.2D.IM2COL.ADD [UR8], [UR4]", "IM2COL"],
  ["sm_90", "BRA.U.ANY P1, `(k)", ".ANY with a predicate"],
  ["sm_100a", "UTCCP.T.S.4dp256bit tmem[UR4], gdesc[UR6]", "UTCCP"],
  ["sm_75", "HMUL2 R4, R2, c[0x0][0x160].F32", "operand part .F32"],
])("%s %s", (target, instruction, why) => {
  const lines = ["B------ R- W- Y S02 NOP ;", `B------ R- W- Y S08 ${instruction} ;`, "B------ R- W- Y S05 EXIT ;"];
  const head = [`.target ${target}`, ".entry k", ".registers 32", ".code", "k:"];
  const made = assembleCubin([...head, ...lines, ".end", ""].join("\n"));
  if (!made.ok) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  const run = simulate(made.value, { block: 32 });
  if (!run.ok) throw new Error(run.diagnostics.map((d) => d.message).join("\n"));
  const { fault } = run.value;
  expect(fault?.kind).toBe("not-supported");
  expect(fault?.address).toBe(16);
  expect(fault?.message).toContain(why);
  expect(fault?.message).toContain(instruction.split(".")[0]!.split(" ")[0]!);
});

test("a matrix instruction of some of the lanes is a fault", () => {
  const text = [
    ".target sm_80",
    ".entry k",
    ".registers 32",
    ".code",
    "k:",
    "B------ R- W- Y S08 HMMA.1688.F32 R8, R4, R0, R8 ;",
    "B------ R- W- Y S05 EXIT ;",
    ".end",
    "",
  ].join("\n");
  const made = assembleCubin(text);
  if (!made.ok) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  const run = simulate(made.value, { block: 16 });
  expect(run.ok && run.value.fault?.kind).toBe("illegal-instruction");
});

test("a part, a sign and a modifier stay left over until they are asked for", () => {
  const sm = target("sm_75");
  const parsed = parseInst("HMUL2.SAT R4, -R2.H0_H0, R3", { isa: sm.isa });
  if (!parsed.ok) throw new Error(parsed.message);
  const site = new Site(programOf(sm, [], [parsed.inst]), 0, 0, parsed.inst);
  expect(site.leftover()).toEqual(["SAT", ".H0_H0 on operand a", "a sign on operand a"]);
  expect(site.operand("a").part).toBe(".H0_H0");
  expect(site.leftover()).toEqual(["SAT", "a sign on operand a"]);
  expect(site.operand("a").mods).toBe(1);
  expect(site.has("SAT")).toBe(true);
  expect(site.leftover()).toEqual([]);
});
