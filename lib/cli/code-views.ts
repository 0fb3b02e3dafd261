/** Other views of a cubin's code than the listing: lines for comparison with other tools, control flow as DOT, live registers. */

import { flowFacts, type ListedFunction } from "../disassemble.js";
import { type Cubin, type CubinFile, type CubinFunction, describeCubin } from "../elf/index.js";
import { counted } from "../inspect.js";
import { type CodeBlock, codeFlow, decodeCode, type LiveCount, liveCounts } from "../sass/index.js";
import { targetOfSm } from "../target/index.js";

const hex4 = (n: number): string => n.toString(16).padStart(4, "0");

/** One instruction per line: section, TAB, offset in hexadecimal digits, TAB, text without the `;`. */
export function linesText(functions: readonly ListedFunction[]): string {
  const out: string[] = [];
  for (const f of functions)
    for (const i of f.instructions) out.push(`.text.${f.name}\t${hex4(i.offset)}\t${i.text}\n`);
  return out.join("");
}

/** Attributes (EIATTR) of the module and of its functions, one per line: section, name, values. */
export function infoText(file: CubinFile): readonly string[] {
  const lines = describeCubin(file.bytes);
  return lines.ok ? lines.value.filter((l) => /^\.nv\.(info|compat)/.test(l)) : [];
}

/** Basic blocks of a function of the cubin; empty for an SM without an instruction table. */
export function blocksOf(cubin: Cubin, f: CubinFunction): readonly CodeBlock[] {
  const target = targetOfSm(cubin.sm);
  return target === null ? [] : codeFlow(decodeCode(f.words, target), flowFacts(f));
}

/** Live registers at each instruction of a function of the cubin; empty for an SM without an instruction table. */
export function liveOf(cubin: Cubin, f: CubinFunction): readonly LiveCount[] {
  const target = targetOfSm(cubin.sm);
  return target === null ? [] : liveCounts(decodeCode(f.words, target), target, flowFacts(f));
}

/** A DOT digraph, one cluster per function, one node per block with its instructions; calls dashed. */
export function graphText(cubin: Cubin, functions: readonly ListedFunction[]): string {
  const out = ["digraph code {", '  node [shape=box, fontname="monospace"];'];
  functions.forEach((f, k) => {
    const source = cubin.functions.find((x) => x.name === f.name);
    if (source === undefined) return;
    out.push(`  subgraph cluster_${k} {`, `    label=${quoted(f.name)};`);
    for (const b of blocksOf(cubin, source)) out.push(...nodeLines(f, k, b));
    out.push("  }");
  });
  out.push("}");
  return `${out.join("\n")}\n`;
}

function nodeLines(f: ListedFunction, k: number, b: CodeBlock): string[] {
  const body = f.instructions.slice(b.start, b.end);
  const label = f.labels.get(16 * b.start);
  const head = label === undefined ? "" : `${escaped(label)}:\\l`;
  const text = body.map((i) => `${hex4(i.offset)}  ${escaped(i.text)}\\l`).join("");
  const lines = [`    f${k}b${b.id} [label="${head}${text}"];`];
  for (const s of b.succ) lines.push(`    f${k}b${b.id} -> f${k}b${s};`);
  if (b.call !== null) lines.push(`    f${k}b${b.id} -> f${k}b${b.call} [style=dashed, label="call"];`);
  if (b.open) lines.push(`    f${k}b${b.id} -> f${k}open;`, `    f${k}open [label="?", shape=plaintext];`);
  return lines;
}

const escaped = (text: string): string => text.replace(/[\\"]/g, "\\$&");
const quoted = (text: string): string => `"${escaped(text)}"`;

/** The listing with the numbers of live R, UR, P and UP registers before each instruction. */
export function liveText(cubin: Cubin, functions: readonly ListedFunction[]): string {
  const out = [`\t.target ${cubin.target}`];
  const cell = (n: number, width: number): string => (n === 0 ? "" : String(n)).padStart(width);
  for (const f of functions) {
    const source = cubin.functions.find((x) => x.name === f.name);
    const counts = source === undefined ? [] : liveOf(cubin, source);
    out.push("", `${f.name}:  // ${counted(f.registers, "register")}`, "          R  UR  P UP");
    f.instructions.forEach((i, k) => {
      const label = f.labels.get(i.offset);
      if (label !== undefined && label !== f.name) out.push(`${label}:`);
      const c = counts[k];
      const column = c ? `${cell(c.r, 3)} ${cell(c.ur, 3)} ${cell(c.p, 2)} ${cell(c.up, 2)}` : " ".repeat(13);
      out.push(`        ${column}  /*${hex4(i.offset)}*/  ${i.text} ;`);
    });
  }
  return `${out.join("\n")}\n`;
}
