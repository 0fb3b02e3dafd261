import { type Displayable, displaySymbol, type MimeBundle, metadataSymbol } from "./display.js";
import { type Png, renderPng, renderSvg, type VegaLiteSpec } from "./render.js";
import { config } from "./theme.js";

const VEGA_LITE_MIME = "application/vnd.vegalite.v5+json";

/** A chart: live where the front end draws Vega-Lite, a PNG elsewhere, a few words in a terminal. */
export interface Chart extends Displayable {
  /** Complete Vega-Lite 5 specification with its data. */
  readonly spec: VegaLiteSpec;
  /** What the chart shows, in words and numbers. */
  readonly text: string;
  /** The chart as SVG. */
  svg(): Promise<string>;
  /** The chart as PNG, `scale` pixels per unit (default 2). */
  png(scale?: number): Promise<Png>;
}

/** Makes a chart of a specification, adding the common look; what the specification says itself wins. */
export function chart(body: VegaLiteSpec, text: string): Chart {
  const spec: VegaLiteSpec = { $schema: "https://vega.github.io/schema/vega-lite/v5.json", ...config, ...body };
  let picture: Promise<Png> | null = null;
  const png2x = (): Promise<Png> => {
    picture ??= renderPng(spec, 2);
    return picture;
  };
  return {
    spec,
    text,
    svg: () => renderSvg(spec),
    png: (scale = 2) => (scale === 2 ? png2x() : renderPng(spec, scale)),
    async [displaySymbol](): Promise<MimeBundle> {
      const { bytes } = await png2x();
      return { [VEGA_LITE_MIME]: spec, "image/png": Buffer.from(bytes).toString("base64"), "text/plain": text };
    },
    async [metadataSymbol](): Promise<MimeBundle> {
      const { width, height } = await png2x();
      const actions = { export: true, source: false, compiled: false, editor: false };
      return {
        "image/png": { width, height, alt: text },
        [VEGA_LITE_MIME]: { embed_options: { renderer: "svg", actions } },
      };
    },
  };
}

/**
 * Rows as a data source of a specification, written as CSV: a third of the size of JSON objects. Column types are told
 * by the first row; text must not contain commas or line ends.
 */
export function compactData(rows: readonly Readonly<Record<string, number | string>>[]): VegaLiteSpec {
  const first = rows[0];
  if (first === undefined) return { values: [] };
  const columns = Object.keys(first);
  const types = columns.map((c) => [c, typeof first[c] === "number" ? "number" : "string"]);
  const lines = rows.map((r) => columns.map((c) => r[c]).join(","));
  return {
    values: `${columns.join(",")}\n${lines.join("\n")}`,
    format: { type: "csv", parse: Object.fromEntries(types) },
  };
}
