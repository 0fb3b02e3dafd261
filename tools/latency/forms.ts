/**
 * Through which ports, and how many registers of each, the instructions that the evidence was seen on read and write:
 * `evidence/forms.csv` has it as it was when they were looked at. Where the instruction table or the classes say otherwise
 * since, registers were counted that the instruction has nothing to do with, or some were not: what was seen of those ports is
 * stale, and `harvest-latency renew` takes it anew.
 */
import { formsNamed } from "../../lib/isa/form.js";
import { type FileName, latencyTables, portOf } from "../../lib/isa/latency/index.js";
import { File, type Form } from "../../lib/isa/types.js";
import { type Sm, sms } from "../../lib/target/table.js";
import { readCsv, smsOf, smsText, writeEvidence } from "./evidence.js";

/** By SM and name of the form: what `accessOf` said when it was looked at. */
export type SeenForms = Map<Sm, Map<string, string>>;

const files: Readonly<Record<number, FileName>> = { [File.R]: "R", [File.UR]: "UR", [File.P]: "P", [File.UP]: "UP" };

/**
 * `d=R:mmac*4 <- a=R:mma2*4 b=R:mma2*2 …`: slots with register file, port and number of registers, ports of several registers
 * joined by `+` where they differ. Forms that share the name are joined by `|`; empty when no instruction has it.
 */
export function accessOf(name: string, sm: Sm): string {
  return formsNamed(name)
    .map((f) => `${slotsOf(f, sm, true).join(" ")} <- ${slotsOf(f, sm, false).join(" ")}`.trim())
    .join(" | ");
}

function slotsOf(form: Form, sm: Sm, written: boolean): string[] {
  const tables = latencyTables(sm);
  const c = tables.classes[tables.classOf(form.op, form.mods)];
  return (written ? form.dsts : form.srcs).flatMap(({ name, file, width, accepts }) => {
    const out: string[] = [];
    const port = (of: FileName, k: number, inConstant: boolean): string =>
      (c && portOf(written ? c.writes : c.reads, of, name, k, inConstant)) ?? "none";
    const own = files[file];
    if (own !== undefined && width > 0) {
      const ports = Array.from({ length: width }, (_, k) => port(own, k, false));
      const same = ports.every((p) => p === ports[0]);
      out.push(`${name}=${own}:${same ? `${ports[0]}${width > 1 ? `*${width}` : ""}` : ports.join("+")}`);
    }
    if (own !== "UR" && accepts.includes("ureg")) out.push(`${name}=UR:${port("UR", 0, false)}`);
    if (accepts.includes("const")) out.push(`${name}!=UR:${port("UR", 0, true)}`);
    return out;
  });
}

/** Ports (`FILE port`) of the slots that two texts of `accessOf` have not in common. */
export function portsBetween(before: string, now: string): Set<string> {
  const split = (text: string): string[] => text.split(" | ").flatMap((form, i) => sides(form).map((s) => `${i}${s}`));
  const [a, b] = [split(before), split(now)];
  const differ = [...a.filter((s) => !b.includes(s)), ...b.filter((s) => !a.includes(s))];
  return new Set(
    differ.flatMap((s) => {
      const [, file, ports] = /=(\w+):([^*]+)/.exec(s)!;
      return ports!.split("+").map((p) => `${file} ${p}`);
    }),
  );
}

/** The slots of one form, marked by their side. */
function sides(form: string): string[] {
  const [writes, reads] = form.split("<-");
  const slots = (text: string | undefined, mark: string): string[] =>
    (text ?? "").split(" ").flatMap((s) => (s.includes("=") ? [`${mark} ${s}`] : []));
  return [...slots(writes, "w"), ...slots(reads, "r")];
}

/** Forms of an SM whose ports or widths are others now than when they were looked at, with the ports concerned. */
export function staleForms(seen: ReadonlyMap<string, string>, sm: Sm): Map<string, Set<string>> {
  const out = new Map<string, Set<string>>();
  for (const [name, before] of seen) {
    const now = accessOf(name, sm);
    if (now !== before) out.set(name, portsBetween(before, now));
  }
  return out;
}

/** Throws on a malformed file. */
export function readForms(): SeenForms {
  const out: SeenForms = new Map(sms.map((sm) => [sm, new Map()]));
  for (const [range, access, names] of readCsv("forms.csv", 3))
    for (const sm of smsOf(range!)) for (const name of names!.split(" ")) out.get(sm)!.set(name, access!);
  return out;
}

export function writeForms(forms: SeenForms): void {
  const byName = new Map<string, Sm[]>();
  for (const [sm, seen] of forms)
    for (const [name, access] of seen) {
      const key = `${access},${name}`;
      const list = byName.get(key);
      if (list) list.push(sm);
      else byName.set(key, [sm]);
    }
  const lines = new Map<string, string[]>();
  for (const [key, on] of byName) {
    const [access, name] = key.split(",") as [string, string];
    const head = `${smsText(on)},${access}`;
    const list = lines.get(head);
    if (list) list.push(name);
    else lines.set(head, [name]);
  }
  const text = [...lines].map(([head, names]) => `${head},${names.sort().join(" ")}`).sort();
  writeEvidence("forms.csv", ["sms,access,forms", ...text]);
}
