import { shownAs } from "../inspect.js";
import { constantsOf, features, isaOf, limitsOf, type Sm, sms, targetNames } from "./table.js";
import type { Feature, Target, TargetName } from "./types.js";

const made = new Map<TargetName, Target>();

/** Is this one of the names that `-arch` takes? */
export function isTargetName(name: string): name is TargetName {
  return (targetNames as readonly string[]).includes(name);
}

/** The one Target value of a name. Throws RangeError on a name that is not in `targetNames`. */
export function target(name: TargetName): Target {
  let value = made.get(name);
  if (value === undefined) {
    if (!isTargetName(name))
      throw new RangeError(`unknown target '${String(name)}' (one of ${targetNames.join(", ")})`);
    value = build(name);
    made.set(name, value);
  }
  return value;
}

/** The plain target of an SM number as it stands in a cubin's header; null for one that ptxas 13 does not make. */
export function targetOfSm(sm: number): Target | null {
  return (sms as readonly number[]).includes(sm) ? target(`sm_${sm}` as TargetName) : null;
}

function build(name: TargetName): Target {
  const match = /^sm_(\d+)([af]?)$/.exec(name)!;
  const sm = Number(match[1]) as Sm;
  const has = new Set<Feature>();
  for (const [feature, row] of Object.entries(features) as [Feature, (typeof features)[Feature]][]) {
    if (row.on.includes(sm)) has.add(feature);
  }
  const value: Target = {
    name,
    sm,
    suffix: match[2] as "" | "a" | "f",
    isa: isaOf[sm],
    limits: limitsOf(sm),
    constants: constantsOf(sm),
    has: (feature) => has.has(feature),
  };
  return shownAs(value, describe, (t) => `[target ${t.name}]`);
}

/** Limits one below the other, and the features by name. */
function describe(t: Target): string {
  const words = (key: string): string => key.replace(/([A-Z])/g, (c) => ` ${c.toLowerCase()}`);
  const limits = Object.entries(t.limits).map(([key, n]) => `  ${words(key).padEnd(28)}${String(n).padStart(8)}`);
  const has = (Object.keys(features) as Feature[]).filter((f) => t.has(f));
  return [`Target ${t.name}, instruction set of sm_${t.isa}`, ...limits, `  has: ${has.join(", ")}`].join("\n");
}
