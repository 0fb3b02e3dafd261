/** Parts that bigger views are put together from, as HTML. */
import type { Chart } from "./chart.js";
import { element, escapeHtml, heading, monospace } from "./html.js";

/** A heading, or, with content, a part that folds away below it. */
export function section(title: string, content: readonly string[], open = false): string {
  if (content.length === 0) return heading(title);
  const summary = element("summary", "cursor:pointer;font-weight:600", escapeHtml(title));
  return element("details", "padding:3px 0", summary + content.join(""), open ? "open" : "");
}

/** Messages, one per line; severe ones stand out. */
export function notices(
  messages: readonly {
    /** The message. */
    readonly text: string;
    /** It is an error, not a warning. */
    readonly severe: boolean;
  }[],
): string {
  const line = (m: { readonly text: string; readonly severe: boolean }): string =>
    element("div", `${monospace};white-space:pre-wrap${m.severe ? ";color:#c0392b" : ""}`, escapeHtml(m.text));
  return messages.map(line).join("");
}

/** A chart as a picture inside of HTML; its words are the alternative text. */
export async function picture(chart: Chart): Promise<string> {
  const { bytes, width, height } = await chart.png();
  const source = `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
  return `<img src="${source}" width="${width}" height="${height}" alt="${escapeHtml(chart.text)}">`;
}

/** A link that saves `bytes` under `name`. */
export function download(name: string, bytes: Uint8Array): string {
  const href = `data:application/octet-stream;base64,${Buffer.from(bytes).toString("base64")}`;
  const attributes = `download="${escapeHtml(name)}" href="${href}"`;
  return element("div", "padding:4px 0", element("a", "", `${escapeHtml(name)} (${bytes.length} bytes)`, attributes));
}
