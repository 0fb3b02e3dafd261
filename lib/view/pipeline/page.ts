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
  type PipelineAllocation,
  type PipelineData,
  type PipelineDependences,
  type PipelineFunction,
  type PipelineInst,
  type PipelineMoment,
  type PipelineOptions,
  pipelineData,
} from "./data.js";
import { GAP, NODE, Pictures } from "./graph.js";

const folder: string = resolve(__dirname, "../../../lib/view/pipeline/client");
/** In the order in which they are run. */
const SCRIPTS = [
  "model.js",
  "list.js",
  "columns.js",
  "difference.js",
  "figures.js",
  "graph.js",
  "dependences.js",
  "intervals.js",
  "decisions.js",
  "instruction.js",
  "main.js",
];

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
  const frame = (): string =>
    `<iframe sandbox="allow-scripts" srcdoc="${escapeHtml(html)}" width="100%" height="640" title="${escapeHtml(data.title)}, phase by phase"></iframe>`;
  return { html, text, data, [displaySymbol]: () => ({ "text/html": frame(), "text/plain": text }) };
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

/** Values that stand in many places, each kept once, as JSON. */
class Pool {
  private readonly known = new Map<string, number>();

  of(value: unknown): number {
    const key = JSON.stringify(value);
    const index = this.known.get(key) ?? this.known.size;
    this.known.set(key, index);
    return index;
  }

  /** All of them, as a JSON array. */
  json(): string {
    return `[${[...this.known.keys()].join(",")}]`;
  }
}

interface Pools {
  readonly texts: Texts;
  readonly pictures: Pictures;
  /** Dependence graphs: most blocks stay what they are from phase to phase. */
  readonly dags: Pool;
  /** Lists of instructions that count program points. */
  readonly lists: Pool;
  /** Blocks but for their instructions and cycles: id, label, successors, frequency, loops, regions. */
  readonly heads: Pool;
}

/** Kinds of dependences and deciders by number, as client/model.js has them. */
const KINDS = ["RAW", "WAR", "WAW", "memory", "order"] as const;
const DECIDERS = ["rewrite", "refusal", "scheduler", "allocator", "control"] as const;

/** The data as the script reads them (client/model.js), as JSON. */
async function encoded(data: PipelineData): Promise<string> {
  const pool = (): Pool => new Pool();
  const pools: Pools = { texts: new Texts(), pictures: new Pictures(), dags: pool(), lists: pool(), heads: pool() };
  const { texts } = pools;
  const functions: unknown[] = [];
  for (const f of data.functions) {
    const moments: unknown[] = [];
    for (const m of f.moments) moments.push(await momentOf(m, pools));
    functions.push({
      ...f,
      moments,
      // By instruction, as it was last: [id, origin, line].
      insts: lastOfEach(f).map((i) => [i.id, i.origin, i.line]),
      allocation: f.allocation && allocationOf(f.allocation, pools),
      sass: f.sass?.map((s) => [s.address, s.label, texts.of(s.text), texts.of(s.control), s.id, s.line]) ?? null,
    });
  }
  const { title, subtitle, sources, cudaLines } = data;
  const { pictures, dags, lists, heads } = pools;
  const plain = { title, subtitle, sources, cudaLines, functions, texts: texts.all, graphs: pictures.pictures };
  const json = JSON.stringify({ ...plain, node: { ...NODE, gap: GAP } });
  return `${json.slice(0, -1)},"dags":${dags.json()},"lists":${lists.json()},"heads":${heads.json()}}`;
}

/** The instructions of all moments, each as it was last. */
function lastOfEach({ moments }: PipelineFunction): PipelineInst[] {
  const last = new Map<number, PipelineInst>();
  for (const m of moments) for (const b of m.blocks) for (const inst of b.insts) last.set(inst.id, inst);
  return [...last.values()];
}

async function momentOf(m: PipelineMoment, { texts, pictures, dags, heads }: Pools): Promise<unknown> {
  const insts = m.blocks.flatMap((b) => b.insts);
  return {
    ...m,
    // Head, cycles, instructions, dependence graph: four numbers each.
    blocks: m.blocks.flatMap((b) => [
      heads.of([b.id, b.label, b.succs, Number(b.frequency.toPrecision(6)), b.loops, b.regions]),
      b.cycles,
      b.insts.length,
      b.dependences === null ? -1 : dags.of(dagOf(b.dependences)),
    ]),
    decisions: m.decisions.map((d) => [
      d.inst,
      DECIDERS.indexOf(d.by),
      texts.of(d.what),
      texts.of(d.why),
      ...(d.others.length > 0 ? [d.others] : []),
    ]),
    ids: steps(insts.map((i) => i.id)),
    texts: steps(insts.map((i) => texts.of(i.text))),
    live: [0, 1, 2].map((k) => insts.map((i) => i.live[k])).map((column) => (column.some((n) => n) ? column : [])),
    graph: await pictures.of(m.blocks),
  };
}

/** Each number as how much further it is than the one before: most are 1. */
const steps = (list: readonly number[]): number[] => list.map((n, i) => n - (list[i - 1] ?? 0));

/** Edges one after the other, each four numbers: how much further its first node is than that of the edge before, distance between the two nodes, cycles, kind. */
function dagOf({ edges, ...rest }: PipelineDependences): unknown {
  let last = 0;
  const flat = edges.flatMap(([from, to, cycles, kind]) => {
    const step = from - last;
    last = from;
    return [step, to - from, cycles, KINDS.indexOf(kind)];
  });
  return { ...rest, edges: flat };
}

function allocationOf({ files, spills }: PipelineAllocation, { texts, lists }: Pools): unknown {
  return {
    spills,
    files: files.map(({ file, insts, intervals }) => ({
      file,
      insts: lists.of(insts),
      intervals: intervals.map((i) => [
        texts.of(i.value),
        texts.of(i.name),
        i.register,
        i.width,
        texts.of(i.kind),
        texts.of(i.why),
        i.points,
      ]),
    })),
  };
}

const file = (name: string): string => readFileSync(resolve(folder, name), "utf8");
const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

async function pageOf(data: PipelineData): Promise<string> {
  const script = `"use strict";\n(() => {\n${SCRIPTS.map(file).join("\n")}\n})();\n`;
  const style = file("style.css");
  // In JSON `<` only stands within strings: the element cannot be ended from inside.
  const json = (await encoded(data)).replace(/</g, "\\u003c");
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
