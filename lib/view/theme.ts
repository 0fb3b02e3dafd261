/** The common look of all charts. */
import type { VegaLiteSpec } from "./render.js";

/** One colour per register file, the same in every chart. */
export const fileColors: Readonly<Record<string, string>> = {
  R: "#3b66c4",
  UR: "#2a9d8f",
  P: "#e07a1f",
  UP: "#c9a400",
  B: "#8a5fb5",
};

/** Colours for categories without a meaning of their own. */
export const palette: readonly string[] = [
  "#3b66c4",
  "#e07a1f",
  "#2a9d8f",
  "#c0504d",
  "#8a5fb5",
  "#c9a400",
  "#5b9bd5",
  "#7f7f7f",
];

/** More of them, where a legend is long. */
export const manyColors: readonly string[] = [...palette, "#9bbb59", "#d884b7", "#7a5230", "#1f3864"];

export const ink = "#222222";
export const faint = "#777777";
/** The chosen, the kernel itself, a limit. */
export const accent = "#c0392b";

export const config: VegaLiteSpec = {
  background: "#ffffff",
  padding: 8,
  config: {
    font: "sans-serif",
    view: { stroke: null },
    title: {
      anchor: "start",
      fontSize: 14,
      fontWeight: "bold",
      color: ink,
      subtitleColor: faint,
      subtitleFontSize: 11,
      offset: 12,
      subtitlePadding: 5,
    },
    axis: {
      labelColor: "#555555",
      titleColor: "#555555",
      titleFontWeight: "normal",
      titleFontSize: 11,
      labelFontSize: 11,
      gridColor: "#ececec",
      domainColor: "#bbbbbb",
      tickColor: "#bbbbbb",
      titlePadding: 8,
      labelFlush: false,
    },
    // Said here, too, since a dark front end lays its own white letters under all that a chart leaves open.
    style: { "guide-label": { fill: "#555555" }, "guide-title": { fill: "#555555" } },
    header: { labelColor: "#555555", titleColor: "#555555" },
    legend: { title: null, labelFontSize: 11, labelLimit: 0, labelColor: "#444444", orient: "top" },
    range: { category: palette },
  },
};
