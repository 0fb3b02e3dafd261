/**
 * What the register allocator sees when it looks for a register: for one value, every physical register with what
 * choosing it would cost, those taken by interfering values, and the choice. A slider moves through the values in the
 * order in which they were allocated.
 */
import { type Chart, chart, compactData } from "./chart.js";
import type { VegaLiteSpec } from "./render.js";
import { accent, faint } from "./theme.js";

/** One look at all registers. Arrays are indexed by physical register. */
export interface FatpointScan {
  /** Name of the value, such as `%r12`. */
  readonly value: string;
  /** 1 = not to be had: taken by an interfering value, or out of line for a pair. */
  readonly occupied: ArrayLike<number>;
  /** Costs that decide first, by register. */
  readonly primary: ArrayLike<number>;
  /** Costs that decide among equal primary ones. */
  readonly secondary?: ArrayLike<number>;
  /** The register chosen, −1 for none. */
  readonly slot: number;
  /** Why that register. */
  readonly why?: string;
}

/** How the map is shown. */
export interface FatpointOptions {
  /** Title above the chart. */
  readonly title?: string;
  /** Registers drawn, from 0 on. Default: up to the highest one chosen, and 5 more. */
  readonly slots?: number;
  /** Scans kept; the most contested when there are more. Default 60. */
  readonly maxScans?: number;
  /** Index of the scan shown first. Default: the most contested: the most different costs, then the most registers taken. */
  readonly start?: number;
}

/** The two costs that a scan compares: the second decides among equals of the first. */
const costs = ["primary", "secondary"] as const;
type Cost = (typeof costs)[number];

type Bar = {
  readonly scan: number;
  readonly slot: number;
  readonly cost: number;
  /** Of the bar, in units of the cost. */
  readonly height: number;
  readonly state: "taken" | "free" | "chosen";
};

function takenBelow(scan: FatpointScan, slots: number): number {
  let count = 0;
  for (let i = 0; i < Math.min(slots, scan.occupied.length); i++) if (scan.occupied[i]) count++;
  return count;
}

/** Registers to be had whose costs differ from those of another: what makes the choice more than "the first free one". */
function contest(scan: FatpointScan, slots: number): number {
  const seen = new Set<string>();
  for (let i = 0; i < Math.min(slots, scan.occupied.length); i++) {
    if (!scan.occupied[i]) seen.add(`${scan.primary[i] ?? 0} ${scan.secondary?.[i] ?? 0}`);
  }
  return seen.size;
}

function barsOf(scan: FatpointScan, index: number, slots: number, which: Cost, unit: number): Bar[] {
  const bars: Bar[] = [];
  for (let slot = 0; slot < Math.min(slots, scan.occupied.length); slot++) {
    const cost = scan[which]?.[slot] ?? 0;
    const state = slot === scan.slot ? "chosen" : scan.occupied[slot] ? "taken" : "free";
    // Taken registers stand out by a full bar, the others are visible even at no cost.
    const height = state === "taken" ? unit : Math.max(cost, unit * (state === "chosen" ? 0.04 : 0.02));
    bars.push({ scan: index, slot, cost, height, state });
  }
  return bars;
}

function keepMostContested(scans: readonly FatpointScan[], max: number, slots: number): FatpointScan[] {
  if (scans.length <= max) return [...scans];
  const ranked = scans
    .map((s, i) => [contest(s, slots), takenBelow(s, slots), i] as const)
    .sort((a, b) => b[0] - a[0] || b[1] - a[1] || a[2] - b[2]);
  return ranked
    .slice(0, max)
    .map(([, , i]) => i)
    .sort((a, b) => a - b)
    .map((i) => scans[i]!);
}

/** One of the two curves over the registers. */
function panel(scans: readonly FatpointScan[], slots: number, which: Cost, title: string): VegaLiteSpec {
  const unit = Math.max(1, ...scans.flatMap((s) => Array.from({ length: slots }, (_, i) => s[which]?.[i] ?? 0)));
  return {
    width: 660,
    height: 120,
    data: compactData(scans.flatMap((s, i) => barsOf(s, i, slots, which, unit))),
    transform: scans.length > 1 ? [{ filter: "datum.scan == scan" }] : [],
    mark: { type: "bar", binSpacing: 1 },
    encoding: {
      x: {
        field: "slot",
        type: "ordinal",
        title: which === "secondary" ? "physical register" : null,
        axis: { labelAngle: 0, labelOverlap: true, grid: false },
      },
      y: { field: "height", type: "quantitative", title, scale: { domain: [0, unit * 1.15] } },
      color: {
        field: "state",
        type: "nominal",
        scale: { domain: ["taken", "free", "chosen"], range: ["#d5d9e2", "#7f9bd6", accent] },
      },
      tooltip: [{ field: "slot" }, { field: "state" }, { field: "cost" }],
    },
  };
}

/** Both costs of every register for the value being allocated, the taken ones and the choice; a slider over the values. */
export function fatpointChart(all: readonly FatpointScan[], options: FatpointOptions = {}): Chart {
  const slots = options.slots ?? Math.max(8, ...all.map((s) => s.slot + 6));
  const scans = keepMostContested(all, options.maxScans ?? 60, slots);
  const rank = (s: FatpointScan): number => contest(s, slots) * 1024 + takenBelow(s, slots);
  const contested = scans.reduce((best, s, i) => (rank(s) > rank(scans[best]!) ? i : best), 0);
  const start = options.start ?? contested;
  const notes = scans.map((s, scan) => ({
    scan,
    label: `${s.value} → ${s.slot < 0 ? "none" : `R${s.slot}`}${s.why === undefined ? "" : ` (${s.why})`}, ${takenBelow(s, slots)} taken`,
  }));
  const note: VegaLiteSpec = {
    width: 660,
    height: 16,
    data: { values: notes },
    transform: scans.length > 1 ? [{ filter: "datum.scan == scan" }] : [],
    mark: { type: "text", align: "left", baseline: "top", x: 0, y: 0, fontSize: 12, fontWeight: "bold", color: faint },
    encoding: { text: { field: "label", type: "nominal" } },
  };
  const slider = {
    name: "scan",
    value: start,
    bind: { input: "range", min: 0, max: scans.length - 1, step: 1, name: "value " },
  };
  return chart(
    {
      title: options.title ?? "Choosing a register",
      ...(scans.length > 1 ? { params: [slider] } : {}),
      vconcat: [
        note,
        panel(scans, slots, "primary", "primary cost"),
        panel(scans, slots, "secondary", "secondary cost"),
      ],
      spacing: 6,
    },
    notes[start]?.label ?? "no value was allocated",
  );
}

/** Registers in use after each allocated value: how the function fills its register file. */
export function allocationCurve(
  scans: readonly FatpointScan[],
  options: {
    /** Title above the chart. */
    readonly title?: string;
    /** Registers that there are, drawn as a line. */
    readonly limit?: number;
  } = {},
): Chart {
  let used = 0;
  const values = scans.map((s, order) => {
    used = Math.max(used, s.slot + 1);
    return { order, value: s.value, slot: s.slot, used };
  });
  const x = {
    field: "order",
    type: "quantitative",
    title: "values in the order of allocation",
    axis: { grid: false, tickMinStep: 1 },
    scale: { nice: false },
  };
  const shown = ["register given", "registers in use"] as const;
  const color = (what: (typeof shown)[number]): VegaLiteSpec => ({
    datum: what,
    scale: { domain: shown, range: ["#3b66c4", accent] },
  });
  return chart(
    {
      title: options.title ?? "How the register file fills",
      width: 660,
      height: 200,
      data: { values },
      layer: [
        {
          mark: { type: "line", interpolate: "step-after", strokeWidth: 1.6 },
          encoding: {
            x,
            y: { field: "used", type: "quantitative", title: "physical register" },
            color: color("registers in use"),
          },
        },
        {
          mark: { type: "point", filled: true, size: 22, opacity: 0.75 },
          encoding: {
            x,
            y: { field: "slot", type: "quantitative" },
            color: color("register given"),
            tooltip: [{ field: "value" }, { field: "slot" }, { field: "used" }],
          },
        },
      ],
    },
    `${values.length} values allocated in ${used} registers`,
  );
}
