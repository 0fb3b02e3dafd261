/** What a run found and counted, in lines of text. */
import { counted } from "../inspect.js";
import { type CodePlace, type Findings, profileByLine, type RaceAccess, type Run, type Traffic } from "../sim/index.js";

const at = (v: readonly number[]): string => `[${v.join(", ")}]`;
const offset = (p: CodePlace): string => `${p.function}+0x${p.address.toString(16).padStart(4, "0")}`;
const line = (p: CodePlace): string => (p.ptxLine === null ? "" : ` (PTX line ${p.ptxLine})`);

function accessText(a: RaceAccess): string {
  return `${a.kind} by block ${at(a.block)}, thread ${at(a.thread)} at ${offset(a)}: ${a.instruction}${line(a)}`;
}

/** How many races, and reads of what nobody has written. */
export function countOf(findings: Findings | null): number {
  return findings === null ? 0 : findings.races.length + findings.uninitialized.length + findings.registers.length;
}

/** Races and uninitialised reads; what was looked for and not found is told, too. */
export function findingLines({ findings }: Run): string[] {
  if (findings === null) return [];
  const { races, uninitialized, registers } = findings;
  return [
    `${counted(races.length, "race")}, ${counted(uninitialized.length + registers.length, "uninitialised read")}`,
    ...races.flatMap((r) => [
      `race in ${r.space} memory at 0x${r.memoryAddress.toString(16)}, ${counted(r.count, "time")}:`,
      `  ${accessText(r.first)}`,
      `  ${accessText(r.second)}`,
    ]),
    ...uninitialized.flatMap((u) => [
      `read of ${u.space} memory that nobody has written, at 0x${u.memoryAddress.toString(16)}, ${counted(u.count, "time")}:`,
      `  block ${at(u.block)}, thread ${at(u.thread)} at ${offset(u)}: ${u.instruction}${line(u)}`,
    ]),
    ...registers.flatMap((r) => [
      `use of register ${r.register}, which nobody has written, ${counted(r.count, "time")}:`,
      `  block ${at(r.block)}, thread ${at(r.thread)} at ${offset(r)}: ${r.instruction}${line(r)}`,
    ]),
  ];
}

function trafficText(t: Traffic): string {
  const work = t.space === "shared" ? `${t.passes} passes` : counted(t.sectors, "sector");
  return `${t.space} ${counted(t.requests, "request")}, ${t.bytes} bytes, ${work}`;
}

/** Counts by instruction, then by PTX line where lines are known, then what never ran. */
export function profileLines({ profile, missed }: Run): string[] {
  if (profile === null) return [];
  const row = (warps: number, threads: number, what: string, memory: readonly Traffic[]): string =>
    `${String(warps).padStart(10)} ${String(threads).padStart(12)}  ${what.padEnd(56)} ${memory.map(trafficText).join("; ")}`.trimEnd();
  const byLine = profileByLine(profile).filter((l) => l.line !== null);
  return [
    "     warps      threads  instruction",
    ...profile.map((e) =>
      row(e.warps, e.threads, `${offset(e)}  ${e.instruction}`, e.memory === null ? [] : [e.memory]),
    ),
    ...(byLine.length === 0 ? [] : ["     warps      threads  PTX line"]),
    ...byLine.map((l) => row(l.warps, l.threads, `line ${l.line}`, l.memory)),
    ...(missed!.length === 0 ? ["every instruction ran"] : [`${counted(missed!.length, "instruction")} never ran:`]),
    ...missed!.map((m) => `  ${offset(m)}  ${m.instruction}${line(m)}`),
  ];
}
