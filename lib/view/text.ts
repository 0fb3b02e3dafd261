/** Texts of stages: one block of code, or all stages of a compilation folded away below each other. */
import { type HtmlView, htmlView } from "./display.js";
import { border, element, escapeHtml, monospace } from "./html.js";

/** How a text is shown. */
export interface TextOptions {
  /** Title above it. */
  readonly title?: string;
  /** Lines shown; the rest is counted. Default 300. */
  readonly maxLines?: number;
  /** CSS pixels before it scrolls. Default 420. */
  readonly height?: number;
}

function cut(text: string, maxLines: number): string {
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.length <= maxLines
    ? lines.join("\n")
    : `${lines.slice(0, maxLines).join("\n")}\n… ${lines.length - maxLines} more lines`;
}

function block(text: string, height: number): string {
  const style = `${monospace};line-height:1.35;margin:0;padding:6px 10px;max-height:${height}px;overflow:auto;border:${border};border-radius:4px;white-space:pre`;
  return element("pre", style, escapeHtml(text));
}

/** A text in a box of its own. */
export function code(text: string, options: TextOptions = {}): HtmlView {
  const { title, maxLines = 300, height = 420 } = options;
  const shown = cut(text, maxLines);
  const head = title === undefined ? "" : element("div", "font-weight:600;margin:2px 0 6px 0", escapeHtml(title));
  return htmlView(head + block(shown, height), title === undefined ? shown : `${title}\n${shown}`);
}

/** The text of one stage. */
export interface StageText {
  /** Name of the stage. */
  readonly stage: string;
  /** What is shown under that name, lines as they are. */
  readonly text: string;
  /** A few words beside the name: `41 instructions, 23 values`. */
  readonly note?: string;
}

/** The texts of all stages, folded; one that equals the stage before it is marked as unchanged and has no body. */
export function stages(
  all: readonly StageText[],
  options: TextOptions & {
    /** Name of the stage that is open at first. */
    readonly open?: string;
  } = {},
): HtmlView {
  const { maxLines = 300, height = 420 } = options;
  const parts: string[] = [];
  const plain: string[] = [];
  all.forEach(({ stage, text, note }, i) => {
    const unchanged = i > 0 && text === all[i - 1]!.text;
    const words = [unchanged ? "unchanged" : "", note ?? ""].filter((w) => w !== "").join(", ");
    const name = `<b>${escapeHtml(stage)}</b>${words === "" ? "" : ` <span style="opacity:.65">${escapeHtml(words)}</span>`}`;
    const open = options.open === stage ? " open" : "";
    parts.push(
      unchanged
        ? element("div", "padding:3px 0 3px 16px;opacity:.6", name)
        : `<details${open} style="padding:3px 0"><summary style="cursor:pointer">${name}</summary>${block(cut(text, maxLines), height)}</details>`,
    );
    plain.push(`== ${stage}${words === "" ? "" : ` (${words})`}${unchanged ? "" : `\n${cut(text, maxLines)}`}`);
  });
  const head =
    options.title === undefined ? "" : element("div", "font-weight:600;margin:2px 0 6px 0", escapeHtml(options.title));
  return htmlView(head + parts.join(""), plain.join("\n"));
}
