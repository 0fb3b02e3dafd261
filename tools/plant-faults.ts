/**
 * `node tools/run-ts.cjs tools/plant-faults.ts [--state FILE] [--count N] [--seed N] [--seconds N] [--again FILE] [--suites REGEXP] [--quick] [--list] [--verbose]`: plants small
 * faults, one at a time, in lib/ori, lib/analysis, lib/phases and lib/rules, and runs those components' own tests until one fails. Prints which
 * survive, and the share that was killed. The faults are made of the syntax tree and chosen by the seed; a fault that does not change
 * what a test can see (a limit that nothing meets, a list that is in order anyway) survives rightly, so each survivor is to be looked at.
 *
 * All chosen faults stand in the transformed sources at once, each behind a switch; the tree is never written. One run of the suites
 * without a fault tells what each test takes and which faults it reaches. A fault is then tried with the tests that reach it, those of the
 * suites named like the file first, then the quickest, as many as take 3 seconds of the processor, in a process that many faults share;
 * what survives there is tried in a fresh one for 6 seconds, in which the fault is on from the start, with all tests of these suites.
 * What takes several times as long as without the fault has no end, and is killed, too.
 *
 * With --state the run without faults and the outcomes are kept in a file, and a later call goes on from it: it holds for one state of the
 * tree, seed and count. --again FILE takes the faults that survived in another state file, as far as they still exist, in place of chosen ones.
 * --suites REGEXP asks only suites whose path it matches, --quick only the shared process.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { numberOf, readArguments, usage } from "./arguments.js";
import { Child } from "./faults/child.js";
import { allFaults, choose, components, type Fault, filesIn, nameOf } from "./faults/sites.js";

const root = resolve(__dirname, "..");
const { values } = readArguments({
  state: { type: "string" },
  count: { type: "string", default: "300" },
  seed: { type: "string", default: "1" },
  seconds: { type: "string", default: "3600" },
  again: { type: "string" },
  suites: { type: "string", default: "" },
  quick: { type: "boolean", default: false },
  list: { type: "boolean", default: false },
  verbose: { type: "boolean", default: false },
});
const end = Date.now() + 1000 * numberOf(values.seconds);

/** A suite as it is without a fault. */
interface Suite {
  readonly suite: string;
  /** Why it does not load, "" where it does. */
  readonly why: string;
  /** Faults reached while it loads, by number. */
  readonly loading: readonly number[];
  /** Milliseconds of the processor that loading takes. */
  readonly ms: number;
  /** Sources that it loads. */
  readonly files: readonly string[];
  readonly tests: readonly { index: number; why: string; ms: number; reaches: readonly number[] }[];
}

interface Outcome {
  readonly outcome: "killed" | "survived" | "unreached" | "unsure";
  /** The test that killed it, and how. */
  readonly by: string;
}

interface State {
  /** What the state holds for. */
  readonly key: string;
  readonly faults: readonly Fault[];
  baseline: readonly Suite[];
  readonly outcomes: Record<number, Outcome>;
}

/** Suites of the components that take long or need the corpus: what they kill is not the components' own tests' merit. */
const slow = /corpus|growth|resume/;
/** Most milliseconds of the processor that the tests asked about one fault take without it, in the shared process and in a fresh one. */
const [SHARED, FRESH] = [3_000, 6_000];

/** The tree's state: all sources and tests that a fault could show in. */
function treeKey(): string {
  const hash = createHash("sha1");
  const files = [...filesIn(root, "lib", /\.ts$/), ...filesIn(root, "test", /\.(ts|ori)$/)];
  for (const f of files) hash.update(f).update(readFileSync(join(root, f)));
  return hash.digest("hex");
}

function chosen(faults: readonly Fault[]): readonly Fault[] {
  if (values.again === undefined) return choose(faults, numberOf(values.count), numberOf(values.seed));
  const other = JSON.parse(readFileSync(values.again, "utf8")) as State;
  const lived = other.faults.filter((_, n) => ["survived", "unreached"].includes(other.outcomes[n]?.outcome ?? ""));
  const same = (a: Fault, b: Fault): boolean => a.file === b.file && a.what === b.what && a.with === b.with;
  // Lines may have moved: of equal ones in a file the nearest.
  return lived.flatMap((l) => {
    const found = faults
      .filter((f) => same(f, l))
      .sort((a, b) => Math.abs(a.line - l.line) - Math.abs(b.line - l.line));
    if (found.length === 0) console.log(`no longer there: ${nameOf(l)}`);
    return found.slice(0, 1);
  });
}

const faults = allFaults(root);
const key = `${treeKey()} ${values.suites} ${values.again ?? `${values.seed} ${values.count}`}`;

function opened(): State {
  const fresh = (): State => ({ key, faults: chosen(faults), baseline: [], outcomes: {} });
  if (values.state === undefined || !existsSync(values.state)) return fresh();
  const state = JSON.parse(readFileSync(values.state, "utf8")) as State;
  return state.key === key ? state : usage(`${values.state} is of another state of the tree, seed or count`);
}

const state = opened();
const save = (): void => {
  if (values.state !== undefined) writeFileSync(values.state, JSON.stringify(state));
};

interface Asked {
  readonly suite: string;
  readonly index: number;
}

/** The tests to be asked about a fault, and the milliseconds they take without it. */
function testsFor(n: number, whole: boolean): { readonly tests: readonly Asked[]; readonly ms: number } {
  const own = basename((state.faults[n] as Fault).file, ".ts");
  const rank = (s: Suite, reaches: boolean): number =>
    (basename(s.suite).startsWith(`${own}.`) ? 0 : 1) + (reaches ? 0 : 2);
  const killers = new Set(Object.values(state.outcomes).map((o) => o.by.slice(0, o.by.indexOf(":"))));
  const all = state.baseline
    .filter((s) => s.why === "")
    .flatMap((s) => {
      const near = whole && (s.loading.includes(n) || s.tests.some((t) => t.reaches.includes(n)));
      return (
        s.tests
          .filter((t) => t.why === "" && (near || t.reaches.includes(n)))
          .map((t) => ({ suite: s.suite, index: t.index, ms: t.ms, rank: rank(s, t.reaches.includes(n)) }))
          .sort((a, b) => a.rank - b.rank || a.ms - b.ms)
          // Suites of hundreds of small tests do not push all others back, and what has killed a fault is likely to kill another one.
          .map((t, k) => ({ ...t, weight: (t.ms + 1) * (killers.has(`${t.suite} ${t.index + 1}`) ? 1 : 10 + k) }))
      );
    })
    .sort((a, b) => a.rank - b.rank || a.weight - b.weight);
  const tests: Asked[] = [];
  let ms = 0;
  for (const t of all) {
    if (tests.length > 0 && ms + t.ms > (whole ? FRESH : SHARED)) break;
    tests.push({ suite: t.suite, index: t.index });
    ms += t.ms;
  }
  return { tests, ms };
}

let shared: Child | null = null;
/** Faults that the shared process has tried: it does not keep for ever what they left in memory. */
let tries = 0;
const MOST_TRIES = 50;

function endShared(): void {
  shared?.kill();
  shared = null;
  tries = 0;
}

async function tried(n: number): Promise<Outcome> {
  const atLoading = state.baseline.some((s) => s.loading.includes(n));
  const some = testsFor(n, false);
  if (some.tests.length > 0 && !atLoading) {
    if (tries++ >= MOST_TRIES) endShared();
    shared ??= new Child(root, state.faults);
    const said = await shared.ask<Outcome>({ fault: n, tests: some.tests, fresh: false }, 8_000 + 3 * some.ms);
    if (said === null) {
      endShared();
      return { outcome: "killed", by: "no end" };
    }
    // What a fault left behind must not be another one's.
    if (said.outcome === "unsure") endShared();
    else if (said.outcome === "killed" || values.quick) return said;
  }
  const { tests, ms } = testsFor(n, true);
  if (tests.length === 0) return { outcome: "unreached", by: "" };
  const child = new Child(root, state.faults);
  const said = await child.ask<Outcome>({ fault: n, tests, fresh: true }, 10_000 + 3 * ms);
  child.kill();
  return said ?? { outcome: "killed", by: "no end" };
}

async function withoutFaults(): Promise<readonly Suite[]> {
  const asked = new RegExp(values.suites);
  const suites = components
    .flatMap((c) => filesIn(root, `test/${c}`, /\.test\.ts$/))
    .filter((s) => !slow.test(s) && asked.test(s));
  const child = new Child(root, state.faults);
  const said = await child.ask<Suite[]>({ suites }, 3_600_000);
  child.kill();
  return said ?? usage("the run without faults did not end");
}

async function main(): Promise<void> {
  if (values.list) {
    for (const f of state.faults) console.log(nameOf(f));
    return;
  }
  if (state.baseline.length === 0) {
    state.baseline = await withoutFaults();
    save();
  }
  for (const s of state.baseline) {
    if (s.why !== "") console.log(`left out: ${s.suite}: ${s.why}`);
    for (const t of s.tests) if (t.why !== "") console.log(`left out: ${s.suite} ${t.index + 1}: ${t.why}`);
  }
  for (let n = 0; n < state.faults.length && Date.now() < end; n++) {
    if (state.outcomes[n] !== undefined) continue;
    const o = await tried(n);
    state.outcomes[n] = o;
    save();
    if (values.verbose) console.log(`${o.outcome}: ${nameOf(state.faults[n] as Fault)} (${o.by})`);
  }
  endShared();
  const counts = { killed: 0, survived: 0, unreached: 0, unsure: 0 };
  for (const [n, o] of Object.entries(state.outcomes)) {
    counts[o.outcome]++;
    if (o.outcome !== "killed") console.log(`${o.outcome}: ${nameOf(state.faults[Number(n)] as Fault)}`);
  }
  const tries = Object.keys(state.outcomes).length;
  const share = ((100 * counts.killed) / Math.max(1, tries)).toFixed(1);
  console.log(
    `${tries} of ${state.faults.length} faults, chosen of ${faults.length}: ${counts.killed} killed (${share} %), ${counts.survived} survived, ${counts.unreached} where no test comes`,
  );
}

void main();
