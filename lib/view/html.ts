/** Small parts of HTML: no script, inline styles only, colours that work on light and dark pages. */

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ENTITIES[c]!);
}

export const monospace = "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;font-size:12px";
export const border = "1px solid rgba(128,128,128,.25)";

/** `<tag style=… >content</tag>`; the content is HTML already. */
export function element(tag: string, style: string, content: string, attributes = ""): string {
  const styled = style === "" ? "" : ` style="${escapeHtml(style)}"`;
  return `<${tag}${styled}${attributes === "" ? "" : ` ${attributes}`}>${content}</${tag}>`;
}

/** A box that scrolls when its content is higher than `height` CSS pixels. */
export function scrolling(content: string, height: number): string {
  return element("div", `max-height:${height}px;overflow:auto;border:${border};border-radius:4px`, content);
}

export function heading(title: string): string {
  return element("div", "font-weight:600;margin:2px 0 6px 0", escapeHtml(title));
}

/** Columns of text, padded to a common width; numbers (as told by `right`) to the right. */
export function alignColumns(rows: readonly (readonly string[])[], right: readonly boolean[]): string {
  const columns = Math.max(0, ...rows.map((r) => r.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(0, ...rows.map((r) => r[i]?.length ?? 0)));
  const pad = (cell: string, i: number): string => (right[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!));
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}
