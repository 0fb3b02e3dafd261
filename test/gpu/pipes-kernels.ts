/** Kernels that time a probe: n and then m repetitions between barriers, so that what stands around them drops out; four turns. */
import { all, line } from "./lines.js";
import type { Probe } from "./pipes-probes.js";

function prologue(): string[] {
  const out = [
    line("S2R R0, SR_TID.X", 15, "", "0"),
    line("ULDC.64 UR4, c[0x0][0x208]"),
    line("LDC.64 R2, c[0x0][0x210]", 15, "", "0"),
    line("LDC.64 R4, c[0x0][0x218]", 15, "", "0"),
    line("LDC R7, c[0x0][0x220]", 15, "", "0"),
    line("NOP", 15, all),
    line("IMAD.WIDE.U32 R2, R0, 0x10, R2"),
    line("IMAD.WIDE.U32 R12, R0, R7, R4"),
    line("IMAD.WIDE.U32 R4, R0, 0x10, R4"),
    line("LOP3.LUT R10, R0, 0x1f, RZ, 0xc0, !PT"),
    line("IMAD R74, R10, R7, RZ"),
    line("SHF.L.U32 R71, R0, 0x4, RZ"),
    line("MOV R20, R71"),
    line("MOV R21, R71"),
    line("MOV R22, R71"),
    line("MOV R23, R71"),
    line("STS.128 [R71], R20", 15, "", "-", "1"),
    line("NOP", 15, all),
    line("NOP"),
  ];
  for (let r = 16; r < 64; r++) out.push(line(`MOV R${r}, 0x${(0x3f803c00 + r).toString(16)}`));
  for (const r of [64, 65, 66, 67, 68, 69, 72, 73, 76, 77, 78, 79])
    out.push(line(`MOV R${r}, 0x${(0x3f813c20 + r).toString(16)}`));
  for (const u of [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]) out.push(line(`UMOV UR${u}, 0x${u}`));
  out.push(line("ISETP.NE.AND P1, PT, R0, 0x5, PT"), line("MOV R6, 0x4"));
  return out;
}

function timed(p: Probe, n: number, id: number, clock: number): string[] {
  const out = [
    ...(p.before ?? []).map((t) => line(t)),
    line("BAR.SYNC.DEFER_BLOCKING 0x0"),
    line("NOP", 15, all),
    line(`CS2R R${clock}, SR_CLOCKLO`),
  ];
  for (let i = 0; i < n; i++) out.push(...p.body(i, id));
  out.push(line("NOP", p.drain ?? 1, all), line(`CS2R R${clock + 2}, SR_CLOCKLO`), line("NOP", 15, all), line("NOP"));
  return out;
}

/** The probe's kernel as text. */
export function kernel(p: Probe, name: string): string {
  const out = [
    `.entry ${name}`,
    ".registers 96",
    ".barriers 1",
    ".shared 32768",
    ".param 0 8",
    ".param 8 8",
    ".param 16 1024",
  ];
  out.push(".code", `${name}:`, ...prologue(), "turn:");
  out.push(...timed(p, p.n, 0, 84), ...timed(p, p.m, 1, 88));
  for (const [i, r] of [84, 86, 88, 90].entries()) out.push(line(`MOV R${80 + i}, R${r}`));
  out.push(
    line("STG.E.128 desc[UR4][R2.64], R80", 15, "", "-", "1"),
    line("NOP", 15, all),
    line("IADD3 R2, P5, R2, 0x4000, RZ"),
    line("IADD3.X R3, R3, RZ, RZ, P5, !PT"),
    line("IADD3 R6, R6, -0x1, RZ"),
    line("ISETP.NE.AND P6, PT, R6, RZ, PT"),
    line("@P6 BRA `(turn)"),
    line("EXIT"),
    ".end",
  );
  return out.join("\n");
}

/** Walks a chain of pointers with a load of its own address register: clock before and after, and the last pointer. */
export function chase(name: string, load: string): string {
  const out = [`.entry ${name}`, ".registers 32", ".param 0 8", ".param 8 8", ".param 16 1024", ".code", `${name}:`];
  out.push(
    line("ULDC.64 UR4, c[0x0][0x208]"),
    line("LDC.64 R2, c[0x0][0x210]", 15, "", "0"),
    line("LDC.64 R4, c[0x0][0x218]", 15, "", "0"),
    line("LDC R6, c[0x0][0x220]", 15, "", "0"),
    line("NOP", 15, all),
    line("CS2R R8, SR_CLOCKLO"),
    "step:",
    line(load, 2, "0", "0"),
    line("IADD3 R6, R6, -0x1, RZ"),
    line("ISETP.NE.AND P6, PT, R6, RZ, PT"),
    line("@P6 BRA `(step)"),
    line("NOP", 1, all),
    line("CS2R R10, SR_CLOCKLO"),
    line("NOP"),
    line("MOV R9, R10"),
    line("MOV R10, R4"),
    line("MOV R11, R5"),
    line("STG.E.128 desc[UR4][R2.64], R8", 15, "", "-", "1"),
    line("NOP", 15, all),
    line("EXIT"),
    ".end",
  );
  return out.join("\n");
}
