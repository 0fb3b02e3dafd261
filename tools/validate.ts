/**
 * `node tools/run-ts.cjs tools/validate.ts [--sm N,N…] [--seconds N] [--corpus] [--programs] [--fuzz FROM:COUNT] [--every N] [--state FILE]`: translation
 * validation: after every phase that changes something the code is finished plainly and run; prints what differs from -O0, and counts.
 * With --every N each program is judged after every N-th such phase, another one for each; of several SMs each program takes the next.
 * With --state random kernels go on where the call before left them, and the counts are of all calls.
 * Without a choice: corpus, programs and 200 random kernels, as far as the seconds (default 100) go.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { launchRunner, NotValidated, type Runner, validate } from "../lib/experiment/validation.js";
import { simulate } from "../lib/sim/index.js";
import type { TargetName } from "../lib/target/index.js";
import { type CorpusTarget, corpus, corpusPtx, corpusTargets } from "../test/corpus/cases.js";
import { generate, inputCells, ptxText, RESULT_WORDS, THREADS } from "../test/fuzz/program.js";
import { programs } from "../test/programs/programs.js";

const args = process.argv.slice(2);
const value = (name: string): string | null => {
  const at = args.indexOf(name);
  return at < 0 ? null : (args[at + 1] ?? null);
};
const sms = (value("--sm") ?? "90").split(",").map(Number);
const end = Date.now() + 1000 * Number(value("--seconds") ?? 100);
const chosen = ["--corpus", "--programs", "--fuzz"].filter((a) => args.includes(a));
const wanted = (what: string): boolean => chosen.length === 0 || chosen.includes(what);
const every = Math.max(1, Number(value("--every") ?? 1));
const file = value("--state");
const state: { turn: number; seeds: number; counts: Record<string, number>; differences: string[] } =
  file !== null && existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : { turn: 0, seeds: 0, counts: {}, differences: [] };
const counts = new Map<string, number>(Object.entries(state.counts));
/** The SM of the program that is about to be judged. */
const smNow = (): number => sms[state.turn % sms.length] as number;
const count = (what: string, by = 1): void => void counts.set(what, (counts.get(what) ?? 0) + by);

/** False when the time has run out. */
function one(name: string, textFor: (target: TargetName) => string, run: Runner): boolean {
  if (Date.now() > end) return false;
  const target = `sm_${smNow()}` as TargetName;
  // Another phase for each program of an SM.
  const place = Math.floor(state.turn / sms.length);
  state.turn++;
  try {
    const { phases } = validate(textFor(target), { target, select: (k) => (k + place) % every === 0 }, run);
    count("programs");
    count("phases", phases.length);
    for (const p of phases) count(p.verdict);
    for (const p of phases)
      if (p.verdict === "different") {
        const what = `${name} ${target} ${p.phase}: ${p.detail}`;
        console.log(what);
        state.differences.push(what);
      }
  } catch (e) {
    if (!(e instanceof NotValidated)) throw e;
    count("not validated");
    if (args.includes("--verbose")) console.log(`${name}: ${e.message}`);
  }
  state.counts = Object.fromEntries(counts);
  return true;
}

const nothing = (): null => null;
if (wanted("--corpus"))
  for (const c of corpus) {
    const text = (target: TargetName): string =>
      corpusPtx(c.name, corpusTargets.includes(target as CorpusTarget) ? (target as CorpusTarget) : "sm_75");
    if (!one(c.name, text, launchRunner(c.launch, nothing))) break;
  }
if (wanted("--programs"))
  for (const p of programs) if (p.sm <= smNow() && !one(p.name, () => p.ptx, launchRunner(p.launch, nothing))) break;
if (wanted("--fuzz")) {
  const [from = 0, n = 200] = (value("--fuzz") ?? "0:200").split(":").map(Number);
  for (let seed = from + state.seeds; seed < from + n; seed++) {
    const run: Runner = (cubin) => {
      const [cells, out] = [inputCells(seed), new Uint32Array(THREADS * RESULT_WORDS)];
      const made = simulate(cubin, { kernel: "k", block: THREADS, params: [cells, out], maxInstructions: 1_000_000 });
      const fault = made.ok ? made.value.fault : null;
      const why = made.ok ? (fault?.message ?? "") : (made.diagnostics[0]?.message ?? "no result");
      return { ran: why === "", expected: [], text: why === "" ? `cells=${cells.join()}\nout=${out.join()}` : why };
    };
    if (!one(`seed ${seed}`, (target) => ptxText(generate(seed), target), run)) break;
    state.seeds++;
    if (file !== null) writeFileSync(file, JSON.stringify(state));
  }
}
console.log([...counts].map(([k, n]) => `${n} ${k}`).join(", "));
