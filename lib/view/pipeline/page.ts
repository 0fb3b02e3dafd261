/**
 * The page of a compilation: one HTML file that needs nothing else. Its content-security policy allows its own script and
 * style (by hash) and no request at all; the data stand in it as JSON.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Displayable, displaySymbol } from "../display.js";
import { escapeHtml } from "../html.js";
import {
  type PipelineData,
  type PipelineFunction,
  type PipelineMoment,
  type PipelineOptions,
  pipelineData,
} from "./data.js";
import { NODE, Pictures } from "./graph.js";

const folder: string = resolve(__dirname, "../../../lib/view/pipeline/client");
/** In the order in which they are run. */
const SCRIPTS = ["model.js", "list.js", "columns.js", "difference.js", "figures.js", "graph.js", "main.js"];

/** The page of a compilation. In a notebook it shows itself in a frame of its own. */
export interface PipelinePage extends Displayable {
  /** The whole page, in one file. */
  readonly html: string;
  /** What it shows, in words. */
  readonly text: string;
  /** What it shows, as data. */
  readonly data: PipelineData;
}

/**
 * The page of a compilation: source, IR after every phase that changed it, SASS. `from` is a compilation or data of one's
 * own. Throws TypeError for anything else, RangeError on a function that the compilation does not have.
 */
export async function pipeline(from: object, options: PipelineOptions = {}): Promise<PipelinePage> {
  const data = await pipelineData(from, options);
  const html = await pageOf(data);
  const text = [`${data.title}: ${data.subtitle}`, ...data.functions.map(inWords)].join("\n");
  // Scripts run in the frame; it has no other rights, and its policy lets it ask for nothing.
  const frame = `<iframe sandbox="allow-scripts" srcdoc="${escapeHtml(html)}" width="100%" height="640" title="${escapeHtml(data.title)}, phase by phase"></iframe>`;
  return { html, text, data, [displaySymbol]: () => ({ "text/html": frame, "text/plain": text }) };
}

function inWords(f: PipelineFunction): string {
  const line = (m: PipelineMoment): string => {
    const { instructions, liveR, warps, cycles } = m.figures;
    return `  ${m.phase}: ${instructions} instructions, ${liveR} live R, ${warps} of ${f.mostWarps} warps, ${cycles} cycles`;
  };
  return [f.name, ...f.moments.map(line)].join("\n");
}

/** Strings that stand in many places, each kept once. */
class Texts {
  readonly all: string[] = [];
  private readonly known = new Map<string, number>();

  of(text: string): number {
    const index = this.known.get(text) ?? this.all.push(text) - 1;
    this.known.set(text, index);
    return index;
  }
}

/** The data as the script reads them (client/model.js). */
async function encoded(data: PipelineData): Promise<unknown> {
  const [texts, pictures] = [new Texts(), new Pictures()];
  const functions: unknown[] = [];
  for (const f of data.functions) {
    const moments: unknown[] = [];
    for (const m of f.moments) moments.push(await momentOf(m, texts, pictures));
    const rows = f.moments.flatMap((m) => m.blocks.flatMap((b) => b.insts));
    functions.push({
      ...f,
      moments,
      // By instruction, as far as it differs from nothing: [id, origin, line].
      insts: [...new Map(rows.map((i) => [i.id, [i.id, i.origin, i.line]])).values()],
      sass: f.sass?.map((s) => [s.address, s.label, texts.of(s.text), texts.of(s.control), s.id, s.line]) ?? null,
    });
  }
  const { title, subtitle, sources, cudaLines } = data;
  return { title, subtitle, sources, cudaLines, functions, texts: texts.all, graphs: pictures.pictures, node: NODE };
}

async function momentOf(m: PipelineMoment, texts: Texts, pictures: Pictures): Promise<unknown> {
  const insts = m.blocks.flatMap((b) => b.insts);
  return {
    ...m,
    blocks: m.blocks.map(({ insts, ...b }) => ({ ...b, count: insts.length })),
    ids: insts.map((i) => i.id),
    texts: insts.map((i) => texts.of(i.text)),
    live: [0, 1, 2].map((k) => insts.map((i) => i.live[k])).map((column) => (column.some((n) => n) ? column : [])),
    graph: await pictures.of(m.blocks),
  };
}

const file = (name: string): string => readFileSync(resolve(folder, name), "utf8");
const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

async function pageOf(data: PipelineData): Promise<string> {
  const script = `"use strict";\n(() => {\n${SCRIPTS.map(file).join("\n")}\n})();\n`;
  const style = file("style.css");
  // In JSON `<` only stands within strings: the element cannot be ended from inside.
  const json = JSON.stringify(await encoded(data)).replace(/</g, "\\u003c");
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(data.title)}, phase by phase</title>
<style>${style}</style>
</head>
<body>
${file("body.html")}
<script type="application/json" id="data">${json}</script>
<script>${script}</script>
</body>
</html>
`;
}
