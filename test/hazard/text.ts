/** Code for the hazard tests, as text: `B0----- R- W- Y S04   FADD R4, R4, R5`. */

import { type Finding, verifyHazards } from "../../lib/hazard/index";
import { assembleLines } from "../../lib/sass/assembly";
import { target } from "../../lib/target/index";
import type { TargetName } from "../../lib/target/types";

export function words(text: string, arch: TargetName): Uint32Array {
  const lines = text
    .split("\n")
    .map((l) => l.trim())
    .filter((l) => l !== "");
  const made = assembleLines(
    lines.map((l, i) => ({ text: l.replace(/;$/, "").trim(), span: { start: 0, end: 0, line: i + 1, column: 1 } })),
    target(arch),
  );
  if (!made.ok) throw new Error(made.diagnostics.map((d) => `${d.span?.line}: ${d.message}`).join("\n"));
  return made.value;
}

export function findings(
  text: string,
  arch: TargetName = "sm_90",
  entries: readonly number[] = [],
): readonly Finding[] {
  return verifyHazards({ name: "k", words: words(text, arch), entries }, target(arch));
}

/** `result R4 at 0x20 since 0x0`, one line per finding. */
export function brief(text: string, arch: TargetName = "sm_90", entries: readonly number[] = []): string[] {
  return findings(text, arch, entries).map((f) => {
    const since = f.since === null ? "" : ` since 0x${f.since.address.toString(16)}`;
    return `${f.kind} ${f.register}${f.register ? " " : ""}at 0x${f.at.address.toString(16)}${since}`;
  });
}
