/** How far long work has come: a bar with rate and time left, which a cell shows by itself. */
import { display, type HtmlView, htmlView, inNotebook } from "./display.js";
import { element, escapeHtml } from "./html.js";

/** A moment of the work. */
export interface ProgressState {
  /** What is done, for people: `Sweep large`. */
  readonly title: string;
  /** What is counted, in the plural: `points`. */
  readonly unit: string;
  /** How many there are. */
  readonly total: number;
  /** How many are done, those that were known before among them. */
  readonly done: number;
  /** How many were known before: they say nothing of the rate. */
  readonly known: number;
  /** Since the work began. */
  readonly seconds: number;
}

const number = (n: number): string => n.toLocaleString("en-US");

/** `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function timeText(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

/** The moment as a bar with a sentence. */
export function progress({ title, unit, total, done, known, seconds }: ProgressState): HtmlView {
  const rate = (done - known) / Math.max(seconds, 1e-3);
  const left = rate > 0 ? `, ${timeText((total - done) / rate)} left` : "";
  const text = `${title}: ${number(done)} of ${number(total)} ${unit}, ${rate.toFixed(rate < 10 ? 1 : 0)} per second${left}`;
  const share = total === 0 ? 100 : Math.floor((100 * done) / total);
  const bar = element("div", `width:${share}%;height:100%;background:#3b66c4`, "");
  const html =
    element("div", "width:24em;height:.6em;background:rgba(128,128,128,.3);margin:4px 0", bar) +
    element("div", "font-variant-numeric:tabular-nums", escapeHtml(text));
  return htmlView(html, text);
}

/** Work that takes no longer shows nothing; then the line is renewed in this interval. Milliseconds. */
const QUIET = 1000;
const INTERVAL = 500;
let lines = 0;

/** Shows work in a cell while it goes on; outside of notebooks nothing. */
export class CellProgress {
  private readonly began = Date.now();
  private readonly id = `ptxlab-progress-${process.pid}-${lines++}`;
  private readonly here = inNotebook();
  private shown = 0;
  private done: number;

  constructor(
    private readonly title: string,
    private readonly unit: string,
    private readonly total: number,
    private readonly known = 0,
  ) {
    this.done = known;
  }

  /** So many more are done. */
  add(count = 1): void {
    this.done += count;
    const now = Date.now();
    if (!this.here || now - this.began < QUIET || now - this.shown < INTERVAL) return;
    const { title, unit, total, done, known } = this;
    this.show(progress({ title, unit, total, done, known, seconds: (now - this.began) / 1000 }), now);
  }

  /** The work has ended: the line goes, since what came of it shows itself. */
  end(): void {
    if (this.shown > 0) this.show(htmlView("", ""), Date.now());
  }

  private show(view: HtmlView, now: number): void {
    const update = this.shown > 0;
    this.shown = now;
    void display(view, { id: this.id, update });
  }
}
