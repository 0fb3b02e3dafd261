/**
 * Vega-Lite specification → SVG → PNG, without a browser. The packages are loaded when first needed, so that a program
 * that only compiles never pays for them. Text is drawn with the font that comes with ptxlab: the same picture on every
 * machine.
 */
import path from "node:path";
import type { TopLevelSpec } from "vega-lite";
import { fontFolder, type TextLook, textWidth } from "./text-width.js";

/** What Vega asks for the width of a text; its own guess is far too wide. Its types leave it out. */
interface Measuring {
  readonly textMetrics: { width: (item: TextLook, text: unknown) => number };
}

/** A Vega-Lite 5 specification: plain JSON. */
export type VegaLiteSpec = Readonly<Record<string, unknown>>;

/** A picture. */
export interface Png {
  /** The PNG file. */
  readonly bytes: Uint8Array;
  /** Size in CSS pixels at which it is meant to be shown: the pixels of the picture divided by the scale. */
  readonly width: number;
  /** Height in pixels. */
  readonly height: number;
}

const FONT_FAMILY = "DejaVu Sans";
const MONOSPACE_FAMILY = "DejaVu Sans Mono";
const FONT_FILES = ["DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono"];

export async function renderSvg(spec: VegaLiteSpec): Promise<string> {
  const [vega, vegaLite] = await Promise.all([import("vega"), import("vega-lite")]);
  (vega as unknown as Measuring).textMetrics.width = (look, text) => textWidth(String(text ?? ""), look);
  // A copy: vega marks the rows of inline data with ids of its own.
  const { spec: compiled } = vegaLite.compile(structuredClone(spec) as unknown as TopLevelSpec);
  const view = new vega.View(vega.parse(compiled), { renderer: "none" });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

/** `scale` pixels per CSS pixel. */
export async function renderPng(spec: VegaLiteSpec, scale = 2): Promise<Png> {
  const [svg, { Resvg }] = await Promise.all([renderSvg(spec), import("@resvg/resvg-js")]);
  const picture = new Resvg(svg, {
    fitTo: { mode: "zoom", value: scale },
    font: {
      fontFiles: FONT_FILES.map((name) => path.join(fontFolder(), `${name}.ttf`)),
      loadSystemFonts: false,
      defaultFontFamily: FONT_FAMILY,
      sansSerifFamily: FONT_FAMILY,
      monospaceFamily: MONOSPACE_FAMILY,
    },
  }).render();
  return {
    bytes: picture.asPng(),
    width: Math.round(picture.width / scale),
    height: Math.round(picture.height / scale),
  };
}
