/**
 * Kernels that try pairs of dependent instructions at every distance.
 *
 * A kernel has one pair in several variants, each in a loop of its own (the first turn fetches the code): far apart; one of the two
 * taken out; and N cycles apart for N from 1 to one more than the table asks. What a variant leaves in the observed registers is
 * stored per turn and thread. The machine itself says what is right (far apart), and that a wrong order would be seen (one taken out).
 */
import type { Target } from "../../lib/target/index.js";
import type { Pair } from "./latency-pairs.js";
import { all, apart, line, scored } from "./lines.js";

/** Second parameter block: stride, turns, uniform values. */
const STRIDE = 0x220;
const TURNS = 0x224;
const UNIFORM = 0x228;

const quads = [32, 36, 40, 44, 48, 52, 56, 64, 76];

function prologue(shared: boolean): string[] {
  const out = [
    line("S2R R0, SR_TID.X", 15, "", "0"),
    line("S2R R1, SR_CTAID.X", 15, "", "0"),
    line("ULDC.64 UR4, c[0x0][0x208]"),
    line("LDC.64 R2, c[0x0][0x210]", 15, "", "0"),
    line("LDC.64 R4, c[0x0][0x218]", 15, "", "0"),
    line("LDC R8, c[0x0][0x0]", 15, "", "0"),
    line("NOP", 15, all),
    line("IMAD R7, R1, R8, R0"),
    line("IMAD.WIDE.U32 R2, R7, 0x10, R2"),
    line("IMAD.WIDE.U32 R4, R0, 0x10, R4"),
    ...quads.map((q, i) => line(`LDG.E.128 R${q}, desc[UR4][R4.64+0x${(i * 0x4000).toString(16)}]`, 15, "", "0")),
    line("LOP3.LUT R8, R0, 0x1f, RZ, 0xc0, !PT"),
    line("SHF.R.U32.HI R9, RZ, 0x5, R0"),
    line("SHF.L.U32 R9, R9, 0xb, RZ"),
    line("LEA R70, R8, R9, 0x2"),
    line("LEA R71, R8, R9, 0x4"),
    line("MOV R72, 0x1d0"),
    line("IMAD R73, R8, 0x10, RZ"),
    line("NOP", 15, all),
  ];
  if (shared)
    for (let at = 0; at < 2048; at += 128)
      out.push(
        line(`IADD3 R10, R70, 0x${at.toString(16)}, RZ`),
        line("IMAD R11, R10, 0x12345, R32"),
        line("STS [R10], R11", 15, "", "-", "1"),
        line("NOP", 15, all),
      );
  for (let i = 0; i < 4; i++) {
    for (const [j, u] of [16, 20, 28, 32].entries())
      out.push(line(`ULDC UR${u + i}, c[0x0][0x${(UNIFORM + 16 * j + 4 * i).toString(16)}]`));
  }
  out.push(line("UISETP.LT.U32.AND UP3, UPT, UR20, UR16, UPT"), line("NOP"));
  return out;
}

/** The state before each turn: what the registers hold that the pair writes. */
function setup(uniform: boolean): string[] {
  const out: string[] = [];
  for (let i = 0; i < 4; i++) out.push(line(`MOV R${16 + i}, R${52 + i}`, 4), line(`MOV R${20 + i}, R${56 + i}`, 4));
  for (let i = 0; i < 4; i++) out.push(line(`ISETP.LT.U32.AND P${i + 1}, PT, R${52 + i}, R${56 + i}, PT`, 13));
  if (uniform) {
    for (let i = 0; i < 4; i++)
      out.push(
        line(`UMOV UR${8 + i}, 0x${(0x90 + 16 * i).toString(16)}`, 12),
        line(`UMOV UR${12 + i}, 0x${i + 1}`, 12),
      );
    out.push(
      line("UISETP.LT.U32.AND UP1, UPT, UR20, UR16, UPT", 12),
      line("UISETP.LT.U32.AND UP2, UPT, UR20, UR16, UPT", 12),
    );
  }
  out.push(line("NOP", 15, all), line("NOP"));
  return out;
}

/** Observed: what the later writer leaves, or the reader's result, brought to four registers. */
function observed(p: Pair): readonly [readonly string[], number] {
  const own = { R: "R16", P: "P1", UR: "UR8", UP: "UP1" }[p.file];
  const by = p.kind === "raw" || p.kind === "set" ? p.second : p.first;
  const text = by.post === undefined ? by.text : "R20";
  const name = p.kind === "waw" ? own : (/\b(R20|P2|UR12|UP2)\b/.exec(text)?.[1] ?? (/^R2P/.test(text) ? "P2" : "R20"));
  if (/^P/.test(name)) return [[`SEL R20, R44, R48, ${name}`], 20];
  if (/^UP/.test(name)) return [[`USEL UR12, UR16, UR20, ${name}`, "MOV R20, UR12"], 20];
  if (/^UR/.test(name)) {
    const first = Number(name.slice(2));
    return [[0, 1, 2, 3].map((i) => `MOV R${20 + i}, UR${first + i}`), 20];
  }
  return [[], Number(name.slice(1))];
}

/** The later writer has other operands than the earlier one. */
function otherOperands(text: string): string {
  const other: Readonly<Record<string, string>> = {
    R32: "R44",
    R36: "R48",
    R40: "R76",
    R33: "R45",
    R72: "R45",
    P3: "P4",
    UR16: "UR28",
    UR20: "UR32",
    "0x150": "0x260",
    "0x22c": "0x23c",
    R64: "RZ",
    "VOTE.ANY": "VOTE.ALL",
    "VOTEU.ALL": "VOTEU.ANY",
    "0x40, 0x0": "0x80, 0x0",
    "UR30, R32": "UR30, RZ",
  };
  return text.replace(
    /\b(UR30, R32|0x40, 0x0|R32|R36|R40|R33|R72|R64|P3|UR16|UR20|0x150|0x22c|VOTE\.ANY|VOTEU\.ALL)\b/g,
    (m) => other[m]!,
  );
}

export const secondOf = (p: Pair): string => (p.kind === "waw" ? otherOperands(p.secondText) : p.secondText);

/** `cycles` 0: far apart, −1: the one that matters taken out. */
function variant(p: Pair, second: string, cycles: number, id: number, target: Target): string[] {
  const label = (text: string): string => text.replace(/`\((\w+)\)/, `\`($1${id})`).replace(/^(\w+):$/, `$1${id}:`);
  const out = [line(`LDC R6, c[0x0][0x${TURNS.toString(16)}]`, 15, "", "0"), line("NOP", 15, all), `turn${id}:`];
  const uniform = p.file[0] === "U" || /UR12|UP2/.test(`${p.first.text} ${second}`);
  out.push(...setup(uniform));
  const reads = p.kind === "raw" || p.kind === "set";
  const writes = p.kind === "war" || p.kind === "read" || p.kind === "late";
  const reader = reads ? p.second : p.first;
  for (const text of reader.pre ?? []) out.push(...apart(label(text), "", target));
  const first = cycles < 0 && reads ? "NOP" : p.firstText;
  const third = cycles < 0 && p.kind === "waw" ? "NOP" : second;
  if (cycles < 0 && writes) out.push(...apart(third, "", target));
  out.push(line("NOP", 15, all));
  if (cycles <= 0) out.push(...apart(label(first), "", target));
  else {
    out.push(scored(label(first), Math.min(cycles, 15), "", target));
    if (cycles > 15) out.push(line("NOP", cycles - 15));
  }
  const wait = cycles <= 0 ? "" : p.kind === "set" ? "0" : p.kind === "read" ? "1" : "";
  out.push(...apart(label(third), wait, target), line("NOP"), line("NOP"));
  for (const text of reader.post ?? [])
    out.push(...(text.endsWith(":") ? [label(text)] : apart(label(text), "", target)));
  const [bring, from] = observed(p);
  for (const text of bring) out.push(...apart(text, "", target));
  out.push(
    line(`STG.E.128 desc[UR4][R2.64], R${from}`, 15, "", "-", "1"),
    line(`LDC R7, c[0x0][0x${STRIDE.toString(16)}]`, 15, "", "0"),
    line("NOP", 15, all),
    line("IADD3 R2, P5, R2, R7, RZ"),
    line("IADD3.X R3, R3, RZ, RZ, P5, !PT"),
    line("IADD3 R6, R6, -0x1, RZ"),
    line("ISETP.NE.AND P6, PT, R6, RZ, PT"),
    line(`@P6 BRA \`(turn${id})`),
  );
  return out;
}

/** Distances that are tried: 0 far apart, −1 the sight of an error. */
export const distances = (p: Pair): number[] => [0, -1, ...Array.from({ length: p.table + 1 }, (_, i) => i + 1)];

/** The pair's kernel as text. */
export function kernel(p: Pair, name: string, target: Target): string {
  const second = secondOf(p);
  const shared = [p.first, p.second].some((o) => o.shared === true);
  const out = [`.entry ${name}`, ".registers 80", ".barriers 1"];
  if (shared) out.push(".shared 32768");
  out.push(".param 0 8", ".param 8 8", ".param 16 1024", ".code", `${name}:`, ...prologue(shared));
  for (const [i, n] of distances(p).entries()) out.push(...variant(p, second, n, i, target));
  out.push(line("EXIT"), ".end");
  return out.join("\n");
}
