/**
 * The listing as one HTML page that needs nothing else: labels that branches link to, control words, live registers,
 * relocations, lines of the PTX text; what the instruction table says is shown while the pointer rests on a word.
 */

import type { ListedFunction, ListedInstruction } from "../disassemble.js";
import type { Cubin } from "../elf/index.js";
import { counted } from "../inspect.js";
import type { Control } from "../isa/operand.js";
import { controlText, type LiveCount, type ModifierDoc, type WordDoc, wordDoc } from "../sass/index.js";
import { type Target, targetOfSm } from "../target/index.js";
import { escapeHtml } from "../view/html.js";
import { liveOf } from "./code-views.js";

const style = `:root{color-scheme:light dark}
body{font-family:sans-serif;margin:16px}
table{border-collapse:collapse;font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}
th{text-align:left;border-bottom:1px solid rgba(128,128,128,.4)}
th,td{padding:0 8px;white-space:pre}
tr:hover{background:rgba(128,128,128,.12)}
tr:target{background:rgba(224,122,31,.28)}
.label{font-weight:600;padding-top:6px}
.n{text-align:right}
.note{opacity:.7}
[title]{cursor:help}
td span[title]{border-bottom:1px dotted rgba(128,128,128,.6)}
td a{color:inherit}`;

/** The page; `functions` are those of the cubin to be shown. */
export function htmlText(cubin: Cubin, functions: readonly ListedFunction[]): string {
  const target = targetOfSm(cubin.sm);
  const places = new Map(functions.map((f, k) => [f.name, `f${k}`]));
  const title = `Code for ${escapeHtml(cubin.target)}`;
  const index = functions.map((f, k) => `<li><a href="#f${k}">${escapeHtml(f.name)}</a></li>`);
  return `${[
    `<!DOCTYPE html>`,
    `<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head><body>`,
    `<h1>${title}</h1>`,
    `<ul>${index.join("")}</ul>`,
    ...functions.map((f, k) => (target === null ? "" : functionHtml(cubin, f, k, target, places))),
    `</body></html>`,
  ].join("\n")}\n`;
}

function functionHtml(
  cubin: Cubin,
  f: ListedFunction,
  k: number,
  target: Target,
  functions: ReadonlyMap<string, string>,
): string {
  const source = cubin.functions.find((x) => x.name === f.name);
  const counts = source === undefined ? [] : liveOf(cubin, source);
  const places = new Map(functions);
  for (const [offset, label] of f.labels) if (label !== f.name) places.set(label, `f${k}o${offset.toString(16)}`);
  const ptx = f.instructions.some((i) => i.line !== null);
  const sources = f.instructions.some((i) => i.source !== null);
  const heads = [
    "address",
    "control",
    "R",
    "UR",
    "P",
    "UP",
    "instruction",
    "relocation",
    ...(ptx ? ["PTX"] : []),
    ...(sources ? ["source"] : []),
  ];
  const rows: string[] = [];
  f.instructions.forEach((i, n) => {
    const label = f.labels.get(i.offset);
    if (label !== undefined && label !== f.name)
      rows.push(
        `<tr id="${places.get(label)!}"><td class="label" colspan="${heads.length}">${escapeHtml(label)}:</td></tr>`,
      );
    const before = f.instructions[n - 1] ?? null;
    const origin = (ptx ? ptxCell(cubin, i.line, before?.line ?? null) : "") + (sources ? sourceCell(i, before) : "");
    rows.push(instructionHtml(i, counts[n], target, places, origin));
  });
  const shared = f.sharedBytes > 0 ? `, ${counted(f.sharedBytes, "byte")} shared memory` : "";
  return [
    `<h2 id="f${k}">${escapeHtml(f.name)}</h2>`,
    `<p>${f.kind}, ${counted(f.registers, "register")}, ${counted(f.frameBytes, "byte")} stack${shared}</p>`,
    `<table><thead><tr>${heads.map((h) => `<th>${h}</th>`).join("")}</tr></thead><tbody>`,
    ...rows,
    "</tbody></table>",
  ].join("\n");
}

/** The line's number and text where it is another one than before. */
function ptxCell(cubin: Cubin, line: number | null, before: number | null): string {
  const text = line === null || line === before ? "" : `${line}: ${cubin.ptxText[line - 1]?.trim() ?? ""}`;
  return `<td class="note">${escapeHtml(text)}</td>`;
}

function sourceCell(i: ListedInstruction, before: ListedInstruction | null): string {
  const text = i.source === null ? "" : `${i.source.path}:${i.source.line}`;
  const same = before?.source?.line === i.source?.line && before?.source?.path === i.source?.path;
  return `<td class="note">${escapeHtml(same ? "" : text)}</td>`;
}

function instructionHtml(
  i: ListedInstruction,
  live: LiveCount | undefined,
  target: Target,
  places: ReadonlyMap<string, string>,
  origin: string,
): string {
  const doc = wordDoc(Uint32Array.from(i.words), 0, target);
  const count = (n: number | undefined): string => `<td class="n">${n || ""}</td>`;
  const control =
    i.control === null
      ? "<td></td>"
      : `<td ${titled(controlWords(i.control))}>${escapeHtml(controlText(i.control))}</td>`;
  const address = `<td class="n">${i.offset.toString(16).padStart(4, "0")}</td>`;
  const title = doc === null ? "" : ` ${titled(docText(doc))}`;
  const note = `<td class="note">${i.relocation === null ? "" : linked(i.relocation, places)}</td>`;
  const lives = live === undefined ? "<td></td>".repeat(4) : [live.r, live.ur, live.p, live.up].map(count).join("");
  return `<tr>${address}${control}${lives}<td${title}>${codeHtml(i.text, doc, places)}</td>${note}${origin}</tr>`;
}

/** The text with a title on every modifier of the name, and with links. */
function codeHtml(text: string, doc: WordDoc | null, places: ReadonlyMap<string, string>): string {
  const [, guard, name, rest] = /^(@\S+ )?(\S+)(.*)$/s.exec(text) ?? [];
  if (name === undefined) return escapeHtml(text);
  const known = doc !== null && doc.name.map((p) => p.text).join("") === name;
  const parts = known
    ? doc.name.map((p) => {
        const piece = escapeHtml(p.text);
        return p.modifier === null || piece === ""
          ? piece
          : `<span ${titled(modifierText(p.modifier))}>${piece}</span>`;
      })
    : [escapeHtml(name)];
  return `${escapeHtml(guard ?? "")}${parts.join("")}${linked(rest!, places)}`;
}

/** Names of labels and functions as links. */
function linked(text: string, places: ReadonlyMap<string, string>): string {
  return text
    .split(/([\w.$]+)/)
    .map((piece, i) => {
      const place = i % 2 === 1 ? places.get(piece) : undefined;
      return place === undefined ? escapeHtml(piece) : `<a href="#${place}">${escapeHtml(piece)}</a>`;
    })
    .join("");
}

/** Lines end as a character reference: a row of the table stays one line. */
const titled = (text: string): string => `title="${escapeHtml(text).replace(/\n/g, "&#10;")}"`;

/** `rnd (bits 79:78): [nothing], .RM, .RP, .RZ`: the one that the word has in brackets. */
function modifierText(m: ModifierDoc): string {
  const shown = (v: string): string => (v === "" ? "nothing" : v);
  const values = m.values.map((v) => (v === m.text ? `[${shown(v)}]` : shown(v)));
  const where = m.operand === null ? "" : ` after ${m.operand}`;
  const means = m.means === null ? "" : `, ${m.means}`;
  return `${m.name}${where} (bits ${m.bits})${means}: ${values.join(", ")}`;
}

function docText(doc: WordDoc): string {
  const lines = [`${doc.op}: ${doc.does}`, `Operands: ${doc.slots}`, ...doc.operands.map((o) => `  ${o}`)];
  if (doc.modifiers.length > 0) lines.push("Modifiers:", ...doc.modifiers.map((m) => `  ${modifierText(m)}`));
  return lines.join("\n");
}

/** The control word as a sentence per line. */
function controlWords(c: Control): string {
  const waits = [0, 1, 2, 3, 4, 5].filter((i) => (c.wait >> i) & 1);
  const lines = [`Cycles before the next instruction of the warp: ${c.stall}`];
  if (waits.length > 0) lines.unshift(`Waits for scoreboards: ${waits.join(", ")}`);
  if (c.readSb < 6) lines.push(`Scoreboard ${c.readSb} tells when its operands are read`);
  if (c.writeSb < 6) lines.push(`Scoreboard ${c.writeSb} tells when its results are written`);
  lines.push(c.yield ? "The warp goes on if it can" : "Another warp may go first");
  return lines.join("\n");
}
