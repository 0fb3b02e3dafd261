/** f64 arithmetic. */
import { add64, fma64, mul64 } from "../number/f64.js";
import { Rounding } from "../number/rounding.js";
import type { Makers, Site } from "../site.js";
import type { LaneFunction } from "../stamp.js";
import type { Exec } from "../state.js";
import { boolNames, compareNames, floatSetpFunction } from "./float.js";

const add: LaneFunction = (a, b) => a + b;
const mul: LaneFunction = (a, b) => a * b;
const modes = [Rounding.RN, Rounding.RM, Rounding.RP, Rounding.RZ];
const addModes: readonly LaneFunction[] = modes.map((m) => (a, b) => add64(a, b, m));
const mulModes: readonly LaneFunction[] = modes.map((m) => (a, b) => mul64(a, b, m));
const fmaModes: readonly LaneFunction[] = modes.map((m) => (a, b, c) => fma64(a, b, c, m));

const less = (a: number, b: number): boolean => a < b || (a === b && Object.is(a, -0));
const more = (a: number, b: number): boolean => a > b || (a === b && Object.is(a, 0));

/**
 * DSETP.MIN and .MAX, the first half of fmin and fmax: p selects a, q says that both are NaN. Derived from ptxas's use:
 * the result is `p ? a : b`, and under q b's quiet bit is set.
 */
function chooser(wins: (a: number, b: number) => boolean): LaneFunction {
  return (a, b) => {
    if (Number.isNaN(b)) return Number.isNaN(a) ? 2 : 1;
    return !Number.isNaN(a) && wins(a, b) ? 1 : 0;
  };
}
const chooseMin = chooser(less);
const chooseMax = chooser(more);

function dsetp(s: Site): Exec {
  const sources = [s.f64("a"), s.f64("b"), s.flag("pin")];
  const out = { d: "none", preds: ["p", "q"] } as const;
  const choice = s.choose<LaneFunction | null>({ MIN: chooseMin, MAX: chooseMax }, null);
  const bool = s.choose(boolNames, "AND");
  if (choice !== null) return s.lanes(choice, sources, out);
  return s.lanes(floatSetpFunction(s.choose(compareNames, "T"), bool), sources, out);
}

export const double: Makers = {
  DADD: (s) => {
    const mode = s.rounding();
    return s.lanes(mode === Rounding.RN ? add : addModes[mode]!, [s.f64("a"), s.f64("b")], { d: "d" });
  },
  DMUL: (s) => {
    const mode = s.rounding();
    return s.lanes(mode === Rounding.RN ? mul : mulModes[mode]!, [s.f64("a"), s.f64("b")], { d: "d" });
  },
  DFMA: (s) => s.lanes(fmaModes[s.rounding()]!, [s.f64("a"), s.f64("b"), s.f64("c")], { d: "d" }),
  DSETP: dsetp,
};
