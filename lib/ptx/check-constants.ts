/** Constants that an instruction takes in a range or with few values alone, in ptxas's order and words; measured on ptxas 13.0.88. */
import type { Operand } from "./ast.js";

const BARRIERS: RegExp = /^bar(?:rier)?(?:\.|$)/;
/** name, operand, least, greatest; measured. */
const RANGES: readonly (readonly [string, number, number, number])[] = [
  ["bar", 0, 0, 15],
  ["barrier", 0, 0, 15],
  ["bar.arrive", 0, 0, 15],
  ...["bar.cta", "barrier.cta", "barrier.arrive", "bar.cta.arrive", "barrier.cta.arrive"].map(
    (name) => [name, 0, 0, 15] as const,
  ),
  ["bar.red", 1, 0, 15],
  ...["barrier.red", "bar.cta.red", "barrier.cta.red"].map((name) => [name, 1, 0, 15] as const),
  ["setmaxnreg.inc", 0, 24, 256],
  ["setmaxnreg.dec", 0, 24, 256],
  ["pmevent", 0, 0, 15],
  ["pmevent.mask", 0, 0, 65535],
  ["bfe", 2, 0, 255],
  ["bfe", 3, 0, 255],
  ["bfi", 3, 0, 255],
  ["bfi", 4, 0, 255],
];

/** The same by name. */
const rangesOf: ReadonlyMap<string, readonly (typeof RANGES)[number][]> = RANGES.reduce(
  (all, range) => all.set(range[0], [...(all.get(range[0]) ?? []), range]),
  new Map<string, (typeof RANGES)[number][]>(),
);

const SIGNED_RANGES: RegExp = /^(?:setmaxnreg|pmevent)/;
/** Counts of registers, which ptxas calls the argument 1. */
const MULTIPLES: ReadonlySet<string> = new Set(["setmaxnreg.inc", "setmaxnreg.dec"]);

const WARP = 32;
/** Name → operand, how it is called, its values; measured. */
const EXPECTED: ReadonlyMap<string, readonly [number, number, readonly number[]]> = new Map([
  ["applypriority", [1, 2, [128]]],
  ["discard", [1, 2, [128]]],
  ["mbarrier.test_wait.parity", [2, 2, [0, 1]]],
  ["mbarrier.try_wait.parity", [2, 2, [0, 1]]],
]);

/** What is wrong with the constants among the operands. */
export function constantFaults(name: string, operands: readonly Operand[]): string[] {
  const found = ranges(name, operands);
  found.push(...values(name, operands));
  return found;
}

/** Constants with a range of their own. */
function ranges(instruction: string, operands: readonly Operand[]): string[] {
  const out: string[] = [];
  const columns = instruction === "tcgen05.dealloc" ? operands[1] : undefined;
  if (columns?.kind === "int" && (columns.lo | 0) % 32 !== 0) {
    const value = columns.lo | 0;
    out.push(`Argument 1 of instruction '${instruction}': unexpected value '${value}', expected to be multiple of 32`);
  }
  for (const [name, index, least, greatest] of rangesOf.get(instruction) ?? []) {
    const o = operands[index];
    if (o === undefined || o.kind !== "int") continue;
    const signed = SIGNED_RANGES.test(name);
    const v = BARRIERS.test(name) ? o.lo : signed ? o.lo | 0 : o.hi * 0x100000000 + o.lo;
    if (MULTIPLES.has(name) && v % 8 !== 0)
      out.push(`Argument 1 of instruction '${name}': unexpected value '${v}', expected to be multiple of 8`);
    if (v >= least && v <= greatest) continue;
    const range = `out of range, expected to be in range [${least}..${greatest}]`;
    const place = MULTIPLES.has(name) ? 1 : index;
    out.push(
      BARRIERS.test(name)
        ? `Barrier number '${(BigInt(o.hi) << 32n) | BigInt(o.lo)}' ${range}`
        : `Argument ${place} of instruction '${name}': value '${v}' ${range}`,
    );
  }
  return out;
}

/** Constants that must have one of few values. */
function values(name: string, operands: readonly Operand[]): string[] {
  const out: string[] = [];
  const threads = BARRIERS.test(name) ? operands[name.includes("red") ? 2 : 1] : undefined;
  if (threads?.kind === "int" && threads.lo % WARP !== 0)
    out.push("Number of threads participating in barrier must be in multiple of warp size");
  const expected = EXPECTED.get(name);
  const o = operands[expected?.[0] ?? 0];
  if (expected === undefined || o?.kind !== "int" || (o.hi === 0 && expected[2].includes(o.lo))) return out;
  const value = (BigInt(o.hi) << 32n) | BigInt(o.lo >>> 0);
  out.push(
    `Argument ${expected[1]} of instruction '${name}': unexpected value '${value}', expected to be ${expected[2].join(" or ")}`,
  );
  return out;
}
