/* The data of the page, and what follows from them: who came from whom. The other scripts share these names. */

/**
 * @typedef {{ instructions: number, blocks: number, liveR: number, registers: number, warps: number, cycles: number, spills: number }} Figures
 * @typedef {{ id: number, label: string, succs: number[], frequency: number, loops: number[], regions: string[], cycles: number, count: number, dag: number }} BlockNote
 * @typedef {[id: number, label: string, succs: number[], frequency: number, loops: number[], regions: string[]]} HeadNote
 * Edges of a dependence graph: four numbers each (page.ts).
 * @typedef {{ edges: number[], earliest: number[], ahead: number[], issue: number[], critical: number[] }} DagNote
 * @typedef {[inst: number, by: number, what: number, why: number, others?: number[]]} DecisionNote
 * @typedef {{ inst: number, by: string, what: string, why: string, others: number[] }} Decision
 * @typedef {[value: number, name: number, register: number, width: number, kind: number, why: number, points: number[][]]} IntervalNote
 * @typedef {{ file: string, insts: number, intervals: IntervalNote[] }} FileNote
 * @typedef {{ files: FileNote[], spills: { value: string, name: string, home: string, why: string }[] }} AllocationNote
 * @typedef {{ phase: string, index: number, category: string, does: string, figures: Figures, blocks: BlockNote[], ids: number[], texts: number[], live: number[][], graph: number, decisions: DecisionNote[] }} Moment
 * @typedef {{ phase: string, ran: boolean, why: string, edits: number, milliseconds: number | null }} PhaseNote
 * @typedef {{ name: string, kind: string, threads: number, mostWarps: number, moments: Moment[], phases: PhaseNote[], allocation: AllocationNote | null, insts: [number, number, number][], sass: [number, string, number, number, number, number][] | null }} FuncNote
 * @typedef {{ kind: string, name: string, lines: string[] }} Source
 * @typedef {{ width: number, height: number, nodes: [number, number][], edges: [number, number, number[]][] }} Picture
 * @typedef {{ title: string, subtitle: string, sources: Source[], cudaLines: number[], functions: FuncNote[], texts: string[], graphs: Picture[], dags: DagNote[], lists: number[][], heads: HeadNote[], node: { width: number, height: number, gap: number } }} PageData
 * One row of a column. `id`: of the instruction, −1 for none; `line`: of the PTX, or of the CUDA source in its own column.
 * @typedef {{ kind: "inst" | "block" | "line", id: number, line: number, text: string, block?: BlockNote, live?: number, mark?: string, control?: string, state?: string, words?: boolean[], tip?: () => string }} Row
 * What is selected: an instruction, or a line of a source.
 * @typedef {{ id: number } | { source: string, line: number } | null} Chosen
 */

/** @type {PageData} */
const page = JSON.parse(document.getElementById("data")?.textContent ?? "null");

// Blocks and instructions as they are used here; in the file they are lists of numbers (page.ts).
for (const f of page.functions)
  for (const m of f.moments) {
    m.blocks = blocksOf(/** @type {*} */ (m.blocks));
    m.ids = summed(m.ids);
    m.texts = summed(m.texts);
  }

/** @param {number[]} list @returns {BlockNote[]} */
function blocksOf(list) {
  return Array.from({ length: list.length / 4 }, (_, k) => {
    const [id, label, succs, frequency, loops, regions] = page.heads[list[4 * k]];
    const [cycles, count, dag] = list.slice(4 * k + 1, 4 * k + 4);
    return { id, label, succs, frequency, loops, regions, cycles, count, dag };
  });
}

/** The numbers of which these are the steps. @param {number[]} steps */
function summed(steps) {
  let sum = 0;
  return steps.map((n) => {
    sum += n;
    return sum;
  });
}

/** Lines of the PTX by line of the CUDA source. */
const ptxOfCuda = new Map();
page.cudaLines.forEach((cuda, i) => {
  if (cuda > 0) ptxOfCuda.set(cuda, [...(ptxOfCuda.get(cuda) ?? []), i + 1]);
});

const DECIDERS = ["rewrite", "refusal", "scheduler", "allocator", "control"];
/** Tints that tell neighbours apart. */
const TINTS = 6;
const KINDS = ["RAW", "WAR", "WAW", "memory", "order"];

/** @param {DecisionNote} d @returns {Decision} */
const decisionOf = ([inst, by, what, why, others = []]) => ({
  inst,
  by: DECIDERS[by],
  what: page.texts[what],
  why: page.texts[why],
  others,
});

/** Decisions of a moment by instruction. @type {WeakMap<Moment, Map<number, Decision[]>>} */
const decided = new WeakMap();

/** What was decided at an instruction before this moment was reached. @param {Moment} m @param {number} id @returns {Decision[]} */
function decisionsAt(m, id) {
  let map = decided.get(m);
  if (map === undefined) {
    map = new Map();
    for (const note of m.decisions) {
      const list = map.get(note[0]) ?? [];
      map.set(note[0], list);
      list.push(decisionOf(note));
    }
    decided.set(m, map);
  }
  return map.get(id) ?? [];
}

/** Place of the block in a moment that an instruction stands in, and its place there; −1 where it is not there. @param {Moment} m @param {number} id */
function placeOf(m, id) {
  let at = m.ids.indexOf(id);
  if (at < 0) return { block: -1, at: -1, first: 0 };
  let first = 0;
  for (const [block, b] of m.blocks.entries()) {
    if (at < b.count) return { block, at, first };
    at -= b.count;
    first += b.count;
  }
  return { block: -1, at: -1, first: 0 };
}

/** Descent of the instructions of one function. */
class Descent {
  /** @param {FuncNote} func */
  constructor(func) {
    /** @type {Map<number, number>} */
    this.origin = new Map();
    /** @type {Map<number, number>} */
    this.line = new Map();
    /** @type {Map<number, number[]>} */
    this.made = new Map();
    /** @type {Map<number, number[]>} */
    this.byLine = new Map();
    for (const [id, origin, line] of func.insts) {
      this.origin.set(id, origin);
      this.line.set(id, line);
      if (origin >= 0) this.made.set(origin, [...(this.made.get(origin) ?? []), id]);
      if (line > 0) this.byLine.set(line, [...(this.byLine.get(line) ?? []), id]);
    }
  }

  /** What it came from, nearest first. @param {number} id */
  ancestors(id) {
    const out = [];
    const seen = new Set([id]);
    for (let o = this.origin.get(id) ?? -1; o >= 0 && !seen.has(o); o = this.origin.get(o) ?? -1) {
      out.push(o);
      seen.add(o);
    }
    return out;
  }

  /** What was made of it. @param {number} id */
  descendants(id) {
    /** @type {Set<number>} */
    const seen = new Set();
    const work = [id];
    for (let next = work.pop(); next !== undefined; next = work.pop())
      for (const child of this.made.get(next) ?? []) {
        if (seen.has(child)) continue;
        seen.add(child);
        work.push(child);
      }
    seen.delete(id);
    return [...seen];
  }

  /**
   * What lights up: the instructions themselves, their kin, and the lines of both sources.
   * @param {Chosen} selection
   */
  lit(selection) {
    /** @type {Set<number>[]} */
    const [own, kin, ptx, cuda] = [new Set(), new Set(), new Set(), new Set()];
    if (selection !== null && "id" in selection) {
      own.add(selection.id);
      for (const id of [...this.ancestors(selection.id), ...this.descendants(selection.id)]) kin.add(id);
    } else if (selection !== null) {
      const lines = selection.source === "cuda" ? (ptxOfCuda.get(selection.line) ?? []) : [selection.line];
      if (selection.source === "cuda") cuda.add(selection.line);
      for (const line of lines) {
        ptx.add(line);
        for (const id of this.byLine.get(line) ?? []) kin.add(id);
      }
      for (const id of [...kin]) for (const d of this.descendants(id)) kin.add(d);
    }
    for (const id of [...own, ...kin]) {
      const line = this.line.get(id) ?? 0;
      if (line > 0) ptx.add(line);
    }
    for (const line of ptx) if (page.cudaLines[line - 1]) cuda.add(page.cudaLines[line - 1]);
    return { own, kin, ptx, cuda };
  }
}

/** Longest increasing run of numbers, as the set of positions that belong to it. @param {number[]} places */
function longestIncreasing(places) {
  /** @type {number[]} */
  const ends = [];
  const previous = new Int32Array(places.length);
  for (let i = 0; i < places.length; i++) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[ends[middle]] < places[i]) low = middle + 1;
      else high = middle;
    }
    previous[i] = low > 0 ? ends[low - 1] : -1;
    ends[low] = i;
  }
  const kept = new Set();
  for (let i = ends.length > 0 ? ends[ends.length - 1] : -1; i >= 0; i = previous[i]) kept.add(i);
  return kept;
}

/** What became of each instruction from one moment to the next: "+", "~", "↕" or "". @param {Moment | null} before @param {Moment} after */
function marks(before, after) {
  if (before === null) return after.ids.map(() => "");
  const at = new Map(before.ids.map((id, i) => [id, i]));
  const common = after.ids.flatMap((id, i) => (at.has(id) ? [i] : []));
  const kept = longestIncreasing(common.map((i) => at.get(after.ids[i]) ?? 0));
  const out = after.ids.map(() => "+");
  common.forEach((i, k) => {
    const changed = before.texts[at.get(after.ids[i]) ?? 0] !== after.texts[i];
    out[i] = changed ? "~" : kept.has(k) ? "" : "↕";
  });
  return out;
}

/** Rows of a moment: block heads and instructions. @param {Moment} m @param {string[]} marked @param {Descent} descent @returns {Row[]} */
function momentRows(m, marked, descent) {
  /** @type {Row[]} */
  const rows = [];
  let at = 0;
  for (const block of m.blocks) {
    rows.push({ kind: "block", id: -1, line: 0, text: blockText(block), block });
    for (let k = 0; k < block.count; k++, at++) {
      const id = m.ids[at];
      const live = m.live[0][at] ?? 0;
      rows.push({
        kind: "inst",
        id,
        line: descent.line.get(id) ?? 0,
        text: page.texts[m.texts[at]],
        live,
        mark: marked[at],
        tip: tipOf(m, at),
      });
    }
  }
  return rows;
}

/** Live registers of all files, and what was decided there. @param {Moment} m @param {number} at @returns {() => string} */
const tipOf = (m, at) => () => {
  const live = ["R", "UR", "P"].map((file, k) => `${file} ${m.live[k][at] ?? 0}`).join(", ");
  const made = decisionsAt(m, m.ids[at]).filter((d) => d.by !== "refusal");
  return [`live: ${live}`, ...made.map(decisionText)].join("\n");
};

/** @param {Decision} d */
const decisionText = (d) => `${d.by}: ${d.what}${d.why === "" ? "" : `: ${d.why}`}`;

/** @param {BlockNote} b */
function blockText(b) {
  const label = b.label === "" ? "" : ` ${b.label}`;
  const times = b.frequency === 1 ? "" : ` ×${Number(b.frequency.toPrecision(3))}`;
  const loops = b.loops.length > 0 ? `, loop of b${b.loops[b.loops.length - 1]}` : "";
  const regions = b.regions.length > 0 ? `, region ${b.regions.join(" ")}` : "";
  return `b${b.id}${label}${times}, ${b.cycles} cycles${loops}${regions}`;
}

/** Rows of the machine code. @param {FuncNote} f @returns {Row[]} */
function sassRows(f) {
  /** @type {Row[]} */
  const rows = [];
  for (const [address, label, text, control, id, line] of f.sass ?? []) {
    if (label !== "") rows.push({ kind: "block", id: -1, line: 0, text: `${label}:` });
    const where = address.toString(16).padStart(4, "0");
    rows.push({ kind: "inst", id, line, text: `${where}  ${page.texts[text]}`, control: page.texts[control] });
  }
  return rows;
}
