/**
 * The timing model against a GPU, without one: estimates the 80 codes of the corpus whose times on an H100 are recorded
 * (test/gpu/events.ts) and prints rank correlation over all codes and within kernels, the error per kernel with one fitted
 * constant (what lies around a launch between two events), differences between codes of a kernel, the same on every other
 * kernel with the constant of the rest, and the two codes that ran under the profiler.
 *
 *     node tools/run-ts.cjs tools/timing-gpu.ts [--codes] [NAME=VALUE …]
 *
 * `NAME=VALUE` changes a parameter of the model (`warm=true l2Latency=250`); `--codes` prints every code.
 */
import type { EstimateOptions } from "../lib/timing/index.js";
import { mean, slope, spearman } from "../test/gpu/agreement.js";
import { behindCopies, flushed, median, recordedEvents, type TimedCode, timedCodes } from "../test/gpu/events.js";
import { modelled } from "../test/gpu/model.js";

const parameters: NonNullable<EstimateOptions["parameters"]> = Object.fromEntries(
  process.argv
    .slice(2)
    .filter((a) => a.includes("="))
    .map((a) => {
      const [name, value] = a.split("=") as [string, string];
      return [name, value === "true" || value === "false" ? value === "true" : Number(value)];
    }),
);
/** Kernels whose codes differ by less cannot be told apart by events. */
const RESOLVED = 2;

const record = recordedEvents();
const codes = timedCodes().map((c) => {
  const { microseconds } = modelled(c.cubin, c.kernel, "small", { ...behindCopies, ...parameters });
  return { ...c, model: microseconds };
});
type Estimated = TimedCode & { readonly model: number };
const times = codes.map((c) => c.us);
const aroundOf = (list: readonly Estimated[]): number => median(list.map((c) => c.us - c.model));
const around = aroundOf(codes);
const show = (x: number, digits = 2): string => x.toFixed(digits);

console.log(`${record.card}, driver ${record.driver}, ${record.date}: ${codes.length} codes`);
const raw = codes.map((c) => {
  const k = record.codes.indexOf(c.name);
  return k === 0 ? c.us : record.kernels[c.kernel]!.us[k - 1]!;
});
const model = codes.map((c) => c.model);
console.log(
  `rank correlation over all: ${show(spearman(times, model), 3)} (of the times as they were taken ${show(spearman(raw, model), 3)})`,
);

const within: number[] = [];
const resolved: number[] = [];
const noise: number[] = [];
console.log(`\nkernel: microseconds beyond ${show(around)} and the model's (ranks within); mean error`);
for (const kernel of Object.keys(record.kernels)) {
  const own = codes.filter((c) => c.kernel === kernel);
  const us = own.map((c) => c.us);
  const rank = spearman(
    us,
    own.map((c) => c.model),
  );
  within.push(rank);
  const apart = Math.max(...us) - Math.min(...us) >= RESOLVED;
  if (apart) resolved.push(rank);
  const { first } = own[0]!;
  noise.push(Math.max(...first) - Math.min(...first));
  const error = mean(own.map((c) => Math.abs(c.us - around - c.model)));
  console.log(`  ${kernel.padEnd(18)} error ${show(error)} us, rank ${show(rank)}${apart ? "" : "  (not resolved)"}`);
  if (process.argv.includes("--codes"))
    for (const c of own)
      console.log(`      ${c.name.padEnd(10)} ${show(c.us - around).padStart(6)}  model ${show(c.model).padStart(6)}`);
}

/** Model and measured: each code's difference to the first of its kernel. */
function differences(list: readonly Estimated[]): [number[], number[]] {
  const out: [number[], number[]] = [[], []];
  for (const c of list) {
    const first = list.find((o) => o.kernel === c.kernel)!;
    if (c === first) continue;
    out[0].push(c.model - first.model);
    out[1].push(c.us - first.us);
  }
  return out;
}

const [a, b] = differences(codes);
const errors = codes.map((c) => Math.abs(c.us - around - c.model));
console.log(`
mean error ${show(mean(errors))} us, median ${show(median(errors))} us, with one constant of ${show(around)} us; the same code differs between processes by ${show(median(noise))} us (median; at most ${show(Math.max(...noise))})
rank correlation within kernels: mean ${show(mean(within))}; of the ${resolved.length} whose codes are ${RESOLVED} us apart ${show(mean(resolved))}
differences to ${record.codes[0]} (${a.length}): rank correlation ${show(spearman(a, b), 3)}, measured/model ${show(slope(a, b), 3)}, mean error ${show(mean(a.map((v, i) => Math.abs(v - b[i]!))))} us`);
const kernels = Object.keys(record.kernels);
for (const rest of [0, 1]) {
  const inHalf = (c: Estimated): boolean => kernels.indexOf(c.kernel) % 2 === rest;
  const half = codes.filter(inHalf);
  const constant = aroundOf(codes.filter((c) => !inHalf(c)));
  const [x, y] = differences(half);
  const off = half.map((c) => Math.abs(c.us - constant - c.model));
  console.log(
    `kernels ${rest === 0 ? "1, 3, 5 …" : "2, 4, 6 …"} with the constant of the others (${show(constant)} us): mean error ${show(mean(off))} us, median ${show(median(off))} us, rank correlation ${show(
      spearman(
        half.map((c) => c.us),
        half.map((c) => c.model),
      ),
      3,
    )}; differences: mean error ${show(mean(x.map((v, i) => Math.abs(v - y[i]!))))} us, rank correlation ${show(spearman(x, y), 3)}, measured/model ${show(slope(x, y), 3)}`,
  );
}
for (const [kernel, byCode] of Object.entries(record.profiled))
  for (const [name, p] of Object.entries(byCode)) {
    const { cubin } = codes.find((x) => x.kernel === kernel && x.name === name)!;
    const c = modelled(cubin, kernel, "small", { ...parameters, ...flushed });
    console.log(
      `profiled, caches flushed: ${kernel} ${name} ${p.active} cycles, model ${Math.round(c.cycles)} (${show(c.cycles / p.active, 3)}); ${p.instructions} warp-instructions, simulator ${c.instructions}`,
    );
  }
