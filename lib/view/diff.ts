/**
 * What changed between two texts, by lines: a shortest edit script (Myers, "An O(ND) difference algorithm", 1986). The
 * furthest reaching point of every diagonal is kept per number of edits, and the path is read off backwards.
 */
import { type HtmlView, htmlView } from "./display.js";
import { border, element, escapeHtml, heading, monospace } from "./html.js";

/** A line of a difference. */
export interface DiffLine {
  /** In both texts, or in one alone. */
  readonly kind: "same" | "removed" | "added";
  /** The line. */
  readonly text: string;
}

/** Beyond this many edits the texts are called different as a whole: a script that long helps nobody. */
const MAX_EDITS = 2000;

/** The lines of both texts with what was removed and added, as few as possible. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const trace = furthestPoints(before, after);
  if (trace === null)
    return [...before.map((text) => line("removed", text)), ...after.map((text) => line("added", text))];
  const out: DiffLine[] = [];
  let x = before.length;
  let y = after.length;
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const reach = trace[edits]!;
    const k = x - y;
    const down = k === -edits || (k !== edits && at(reach, k - 1) < at(reach, k + 1));
    const fromX = at(reach, down ? k + 1 : k - 1);
    const fromY = fromX - (down ? k + 1 : k - 1);
    for (; x > fromX && y > fromY; x--, y--) out.push(line("same", before[x - 1]!));
    out.push(down ? line("added", after[y - 1]!) : line("removed", before[x - 1]!));
    x = fromX;
    y = fromY;
  }
  for (; x > 0; x--) out.push(line("same", before[x - 1]!));
  return out.reverse();
}

const line = (kind: DiffLine["kind"], text: string): DiffLine => ({ kind, text });
const at = (reach: Int32Array, k: number): number => reach[k + (reach.length >> 1)]!;

/** Per number of edits, x of the furthest point on the diagonals around 0 before that edit; null past MAX_EDITS. */
function furthestPoints(before: readonly string[], after: readonly string[]): Int32Array[] | null {
  const most = Math.min(before.length + after.length, MAX_EDITS);
  const middle = most + 1;
  const reach = new Int32Array(2 * middle + 1);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reach.slice(middle - edits - 1, middle + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const down = k === -edits || (k !== edits && reach[middle + k - 1]! < reach[middle + k + 1]!);
      let x = down ? reach[middle + k + 1]! : reach[middle + k - 1]! + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x++;
      reach[middle + k] = x;
      if (x >= before.length && x - k >= after.length) return trace;
    }
  }
  return null;
}

/** How a difference is shown. */
export interface DiffOptions {
  /** Title above it. */
  readonly title?: string;
  /** Unchanged lines kept around a change. Default 3. */
  readonly context?: number;
  /** CSS pixels before it scrolls. Default 420. */
  readonly height?: number;
}

const SIGN = { same: " ", removed: "-", added: "+" } as const;
const COLOUR = {
  same: "",
  removed: "background:rgba(192,57,43,.18)",
  added: "background:rgba(39,150,80,.20)",
} as const;

/** Lines near a change, with a line that counts what was left out. */
function fold(lines: readonly DiffLine[], context: number): (DiffLine | number)[] {
  const near = new Uint8Array(lines.length);
  lines.forEach((l, i) => {
    if (l.kind !== "same") near.fill(1, Math.max(0, i - context), i + context + 1);
  });
  const out: (DiffLine | number)[] = [];
  lines.forEach((l, i) => {
    const last = out.at(-1);
    if (near[i]) out.push(l);
    else if (typeof last === "number") out[out.length - 1] = last + 1;
    else out.push(1);
  });
  return out;
}

/** What changed from one text to the other, unchanged stretches folded. */
export function diff(before: string, after: string, options: DiffOptions = {}): HtmlView {
  const lines = diffLines(before.split("\n"), after.split("\n"));
  const removed = lines.filter((l) => l.kind === "removed").length;
  const added = lines.filter((l) => l.kind === "added").length;
  const count = removed + added === 0 ? "no difference" : `${removed} lines removed, ${added} added`;
  const title = options.title === undefined ? count : `${options.title}: ${count}`;
  const folded = removed + added === 0 ? [] : fold(lines, options.context ?? 3);
  const rows = folded.map((l) =>
    typeof l === "number"
      ? element("div", "opacity:.55;padding:0 10px", `⋯ ${l} unchanged`)
      : element("div", `white-space:pre;padding:0 10px;${COLOUR[l.kind]}`, `${SIGN[l.kind]} ${escapeHtml(l.text)}`),
  );
  const box = `${monospace};line-height:1.35;max-height:${options.height ?? 420}px;overflow:auto;border:${border};border-radius:4px`;
  const plain = folded.map((l) => (typeof l === "number" ? `⋯ ${l} unchanged` : `${SIGN[l.kind]} ${l.text}`));
  return htmlView(
    heading(title) + (rows.length === 0 ? "" : element("div", box, rows.join(""))),
    [title, ...plain].join("\n"),
  );
}
