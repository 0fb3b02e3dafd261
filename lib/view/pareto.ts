/** Two quantities of which less is better: points, and the front that no other point beats. */
import { type Chart, chart } from "./chart.js";
import type { VegaLiteSpec } from "./render.js";
import { textWidth } from "./text-width.js";
import { faint, ink, palette } from "./theme.js";

/** Pixels: the plot, the space between its edges and the outermost points, the height of a label's letters. */
const WIDTH = 520;
const HEIGHT = 300;
const PADDING = 12;
const LABEL_SIZE = 10;

/** A point of a trade-off. */
export interface TradePoint {
  /** Who it is, for the pointer. */
  readonly name: string;
  /** Figure along the x axis. */
  readonly x: number;
  /** Figure along the y axis. */
  readonly y: number;
  /** What gives it its colour. */
  readonly group: string;
}

/** Points in the same place share one label. */
function atPlaces(points: readonly TradePoint[]): TradePoint[] {
  const places = new Map<string, TradePoint>();
  for (const p of points) {
    const key = `${p.x} ${p.y}`;
    const known = places.get(key);
    places.set(key, known === undefined ? p : { ...known, name: `${known.name}, ${p.name}` });
  }
  return [...places.values()];
}

/** Where a label can stand beside its point, best first: pixels from the point, and which end is there. */
const PLACES = [
  { align: "left", dx: 7, dy: -6 },
  { align: "left", dx: 7, dy: 11 },
  { align: "right", dx: -7, dy: -6 },
  { align: "right", dx: -7, dy: 11 },
] as const;
type Place = (typeof PLACES)[number];

interface Label {
  readonly point: TradePoint;
  readonly place: Place;
  readonly onFront: boolean;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const apart = (a: Box, b: Box): boolean => a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top;

/**
 * Labels that lie on no other: each takes the first place that is free. One of the front that finds none stands in the first,
 * another is left out (its point tells its name under the pointer).
 */
function placed(front: readonly TradePoint[], others: readonly TradePoint[]): Label[] {
  const all = [...front, ...others];
  const pixels = (key: "x" | "y", length: number): ((p: TradePoint) => number) => {
    const values = all.map((p) => p[key]);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return (p) => PADDING + ((p[key] - least) / (most - least || 1)) * (length - 2 * PADDING);
  };
  const [px, py] = [pixels("x", WIDTH), pixels("y", HEIGHT)];
  const boxes = all.map((p) => ({
    left: px(p) - 4,
    right: px(p) + 4,
    top: HEIGHT - py(p) - 4,
    bottom: HEIGHT - py(p) + 4,
  }));
  const labels: Label[] = [];
  for (const point of all) {
    const onFront = front.includes(point);
    const width = textWidth(point.name, { fontSize: LABEL_SIZE });
    const boxAt = ({ align, dx, dy }: Place): Box => {
      const x = px(point) + dx;
      const y = HEIGHT - py(point) + dy;
      const left = align === "left" ? x : x - width;
      return { left, right: left + width, top: y - LABEL_SIZE / 2, bottom: y + LABEL_SIZE / 2 };
    };
    const free = PLACES.find((place) => boxAt(place).left >= 0 && boxes.every((b) => apart(boxAt(place), b)));
    const place = free ?? (onFront ? PLACES[0] : null);
    if (place === null) continue;
    boxes.push(boxAt(place));
    labels.push({ point, place, onFront });
  }
  return labels;
}

/** Points with the Pareto front: those that no other point beats on both axes (less is better). */
export function paretoChart(
  points: readonly TradePoint[],
  options: {
    /** Title above the chart. */
    readonly title?: string;
    /** Name and unit of the x axis. */
    readonly x: string;
    /** Name and unit of the y axis. */
    readonly y: string;
  },
): Chart {
  const front = points
    .filter((p) => !points.some((q) => q.x <= p.x && q.y <= p.y && (q.x < p.x || q.y < p.y)))
    .sort((a, b) => a.x - b.x || a.y - b.y);
  const shown = atPlaces(front);
  const labels = placed(shown, atPlaces(points.filter((p) => !front.includes(p))));
  const axis = (key: "x" | "y"): VegaLiteSpec => {
    const values = points.map((p) => p[key]);
    const span = Math.max(...values) - Math.min(...values);
    // No ticks between whole numbers.
    const whole = values.every(Number.isInteger) && { axis: { tickCount: Math.max(1, Math.min(10, span)) } };
    return { field: key, type: "quantitative", scale: { zero: false, padding: PADDING }, ...whole };
  };
  const x = { ...axis("x"), title: options.x };
  const y = { ...axis("y"), title: options.y };
  return chart(
    {
      title: options.title ?? "Trade-off",
      width: WIDTH,
      height: HEIGHT,
      layer: [
        {
          data: { values: front },
          mark: { type: "line", interpolate: "step-after", strokeDash: [4, 3], color: "#888888" },
          encoding: { x, y },
        },
        {
          data: { values: points },
          mark: { type: "point", filled: true, size: 70 },
          encoding: {
            x,
            y,
            color: { field: "group", type: "nominal", title: null, scale: { range: palette } },
            tooltip: [{ field: "name" }, { field: "x", title: options.x }, { field: "y", title: options.y }],
          },
        },
        ...PLACES.flatMap((place) =>
          [false, true].flatMap((onFront) => {
            const values = labels.filter((l) => l.place === place && l.onFront === onFront).map((l) => l.point);
            if (values.length === 0) return [];
            const mark = { type: "text", ...place, fontSize: LABEL_SIZE, color: onFront ? ink : faint };
            return [{ data: { values }, mark, encoding: { x, y, text: { field: "name" } } }];
          }),
        ),
      ],
    },
    `front: ${shown.map((p) => `${p.name} (${p.x}, ${p.y})`).join(", ")}`,
  );
}
