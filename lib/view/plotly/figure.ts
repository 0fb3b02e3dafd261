/**
 * Figures that plotly.js draws: for ten thousand marks, zooming along both axes, and axes that are brushed, which Vega-Lite does
 * not do well. JupyterLab draws them with the extension that Python's package `plotly` brings; elsewhere the PNG beside it
 * shows the same data, drawn by Vega-Lite, since plotly.js draws in browsers alone.
 */
import { type Displayable, displaySymbol, type MimeBundle, metadataSymbol } from "../display.js";
import { type Png, renderPng, type VegaLiteSpec } from "../render.js";
import { config } from "../theme.js";

export const PLOTLY_MIME = "application/vnd.plotly.v1+json";

/** What plotly.js draws: plain JSON, its numbers as base64 where they are many. */
export interface PlotlyFigure {
  /** Traces. */
  readonly data: readonly Readonly<Record<string, unknown>>[];
  /** Axes, titles, sliders. */
  readonly layout: Readonly<Record<string, unknown>>;
  /** How the figure behaves: zooming by the wheel, buttons. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** A figure: live where the front end has plotly.js, a PNG elsewhere, a few words in a terminal. */
export interface LiveFigure extends Displayable {
  /** Complete figure with its data. */
  readonly figure: PlotlyFigure;
  /** The picture beside it as a Vega-Lite 5 specification. */
  readonly spec: VegaLiteSpec;
  /** What it shows, in words and numbers. */
  readonly text: string;
  /** The picture as PNG, `scale` pixels per unit (default 2). */
  png(scale?: number): Promise<Png>;
}

/** Numbers as plotly.js takes them in base64: little-endian, rows one after the other where there is a `shape`. */
export interface PackedNumbers {
  readonly dtype: "i2" | "i4" | "f4" | "f8";
  readonly bdata: string;
  readonly shape?: string;
}

const types = { i2: Int16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array } as const;

/** Packs numbers; with `columns` a matrix of so many columns. */
export function packed(
  dtype: PackedNumbers["dtype"],
  numbers: ArrayLike<number>,
  columns: number | null = null,
): PackedNumbers {
  const { buffer } = types[dtype].from(numbers);
  const bdata = Buffer.from(buffer).toString("base64");
  return columns === null ? { dtype, bdata } : { dtype, bdata, shape: `${numbers.length / columns}, ${columns}` };
}

const look = {
  paper_bgcolor: "#ffffff",
  font: { family: "sans-serif", size: 11, color: "#444444" },
  margin: { l: 70, r: 30, t: 60, b: 50 },
  hoverlabel: { font: { family: "monospace" } },
};

/** An axis as the charts of Vega-Lite have it. */
export function axis(title: string, rest: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { title: { text: title }, gridcolor: "#ececec", linecolor: "#bbbbbb", zeroline: false, ...rest };
}

/** Makes a figure of its parts; `picture` is the same data for Vega-Lite, shown beside it with `beside` pixels per unit. */
export function liveFigure(
  title: string,
  { data, layout }: Pick<PlotlyFigure, "data" | "layout">,
  picture: VegaLiteSpec,
  text: string,
  beside = 2,
): LiveFigure {
  const figure: PlotlyFigure = {
    data,
    layout: { ...look, title: { text: title, x: 0, xanchor: "left", pad: { l: 12 } }, ...layout },
    config: { responsive: true, scrollZoom: true, displaylogo: false },
  };
  const spec: VegaLiteSpec = {
    $schema: "https://vega.github.io/schema/vega-lite/v5.json",
    ...config,
    title,
    ...picture,
  };
  let drawn: Promise<Png> | null = null;
  const pngBeside = (): Promise<Png> => {
    drawn ??= renderPng(spec, beside);
    return drawn;
  };
  return {
    figure,
    spec,
    text,
    png: (scale = 2) => (scale === beside ? pngBeside() : renderPng(spec, scale)),
    async [displaySymbol](): Promise<MimeBundle> {
      const { bytes } = await pngBeside();
      return { [PLOTLY_MIME]: figure, "image/png": Buffer.from(bytes).toString("base64"), "text/plain": text };
    },
    async [metadataSymbol](): Promise<MimeBundle> {
      const { width, height } = await pngBeside();
      return { "image/png": { width, height, alt: text } };
    },
  };
}
