/**
 * Small texts that tell faults apart, for test/phases/NAME/*.ori:
 *
 *   node tools/run-ts.cjs tools/faults/texts.ts make FOLDER [--seed 1] [--count 100] [--each 40] [--lines 90]
 *   node tools/run-ts.cjs tools/faults/texts.ts search FOLDER… --state FILE --out FOLDER [--seconds 4]
 *
 * `make`: from random bodies, decisions of control flow, random kernels and the corpus, compiled at -O3: functions as they stand before each phase that
 * changes them, and what the phase makes of them, as files FOLDER/NAME/pool-N.ori. `search`: for each fault that survived in a state file of
 * tools/plant-faults.ts a text on which it shows, by random edits of the folders' texts that reach it, with as few lines as do, as OUT/NAME/N.ori with the
 * fault in its first line, and beside it as N.wrong what the faulty code makes: to be read, named by what they show, and kept in test/phases.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { compile } from "../../lib/compile.js";
import { printFunc } from "../../lib/ori/print.js";
import type { Func } from "../../lib/ori/types.js";
import { bodies } from "../../lib/phases/bodies.js";
import type { PhaseName } from "../../lib/phases/table.js";
import type { TargetName } from "../../lib/target/index.js";
import { generate, ptxText } from "../../test/fuzz/program.js";
import { afterWith, normalize } from "../../test/phases/texts.js";
import { numberOf, readArguments, usage } from "../arguments.js";
import { bodyKernel, makeBodies } from "../bodies/generate.js";
import { kernelText, makeKernels, moduleText } from "../flow/kernels.js";
import { Child } from "./child.js";
import type { Found } from "./shrink.js";
import { type Fault, nameOf } from "./sites.js";

const { values, positionals } = readArguments({
  seed: { type: "string", default: "1" },
  count: { type: "string", default: "100" },
  each: { type: "string", default: "40" },
  lines: { type: "string", default: "90" },
  seconds: { type: "string", default: "4" },
  state: { type: "string", default: "" },
  out: { type: "string", default: "" },
});
const [command, folder = usage("make FOLDER or search FOLDER…")] = positionals;
const root = resolve(__dirname, "../..");
const sms = [75, 90, 100, 120] as const;

/** PTX of all sources, small ones first. */
function sources(): { readonly text: string; readonly target: TargetName }[] {
  const [seed, count] = [numberOf(values.seed), numberOf(values.count)];
  const turn = <T>(list: readonly T[], text: (one: T, sm: number) => string) =>
    list.map((one, k) => {
      const sm = sms[k % sms.length] as number;
      return { text: text(one, sm), target: `sm_${sm}` as TargetName };
    });
  const corpus = readdirSync(join(root, "test/corpus/ptx"), { recursive: true, encoding: "utf8" })
    .filter((f) => f.endsWith(".ptx"))
    .sort()
    .map((f) => readFileSync(join(root, "test/corpus/ptx", f), "latin1"))
    .map((text) => ({ text, target: (/^\s*\.target\s+(\w+)/m.exec(text)?.[1] ?? "sm_90") as TargetName }));
  return [
    ...turn(makeBodies(seed, count), (body, sm) => moduleText(sm, [bodyKernel("k", body)])),
    ...turn(makeKernels(seed, count), ({ body }, sm) => moduleText(sm, [kernelText("k", body)])),
    ...turn(
      Array.from({ length: Math.ceil(count / 3) }, (_, k) => 1000 * seed + k),
      (s, sm) => ptxText(generate(s), `sm_${sm}`),
    ),
    ...corpus,
  ];
}

/** What a phase makes of a text; null where it refuses or throws. */
function made(text: string, phase: PhaseName): string | null {
  try {
    return afterWith(text, {}, phase);
  } catch {
    return null;
  }
}

const plain = (func: Func): string => printFunc(func, { details: false });

function make(): void {
  const kept = new Map<PhaseName, Map<string, string>>();
  for (const { text, target } of sources()) {
    const before = new Map<string, Func>();
    compile(text, {
      target,
      opt: 3,
      observe: (e) => {
        if (typeof bodies[e.phase] !== "function") return;
        const size = e.func.blocks.reduce((n, b) => n + b.insts.length, 0);
        if (e.kind === "before") {
          if (size <= numberOf(values.lines)) before.set(e.func.name, e.snapshot());
          return;
        }
        const was = before.get(e.func.name);
        before.delete(e.func.name);
        const of = kept.get(e.phase) ?? new Map<string, string>();
        kept.set(e.phase, of);
        if (!e.changed || was === undefined || of.size >= numberOf(values.each)) return;
        const [x, y] = [plain(was), plain(e.func)];
        if (x !== y) of.set(y, x);
      },
    });
  }
  let files = 0;
  for (const [phase, texts] of kept) {
    let n = 0;
    for (const text of texts.values()) {
      const after = made(text, phase);
      if (after === null || after === normalize(text)) continue;
      mkdirSync(join(folder, phase), { recursive: true });
      writeFileSync(join(folder, phase, `pool-${n++}.ori`), `${text}; run ${phase}\n${after}\n`);
      files++;
    }
    if (n > 0) console.log(`${phase} ${n}`);
  }
  console.log(`${files} files`);
}

async function search(): Promise<void> {
  const { faults, outcomes } = JSON.parse(readFileSync(values.state, "utf8")) as {
    faults: readonly Fault[];
    outcomes: Record<number, { outcome: string }>;
  };
  let child: Child | null = null;
  const asked = Object.entries(outcomes).filter(([, o]) => o.outcome === "survived" || o.outcome === "unreached");
  for (const n of asked.map(([n]) => Number(n))) {
    const fault = faults[n] as Fault;
    child ??= new Child(root, faults);
    const ms = 1000 * numberOf(values.seconds);
    const question = { script: "tools/faults/shrink.ts", fault: n, folders: positionals.slice(1), ms };
    const said: Found | null = await child.ask<Found>(question, 60_000 + 2 * ms);
    if (said?.text == null) {
      console.log(`${said === null ? "no end" : `none of ${said.reaching}, ${said.tries} tries`}: ${nameOf(fault)}`);
      if (said === null) {
        child.kill();
        child = null;
      }
      continue;
    }
    const { text, phase, after, wrong } = said;
    const out = join(values.out, phase, `${n}.ori`);
    mkdirSync(dirname(out), { recursive: true });
    const code = after.replace(/^;.*$/gm, "").trim();
    const tail = code === normalize(text) ? after.slice(code.length + 1) : after;
    writeFileSync(out, `; ${nameOf(fault)}\n${text}; run ${phase}\n${tail}`);
    writeFileSync(out.replace(/ori$/, "wrong"), wrong);
    console.log(`${text.split("\n").length} lines, ${said.tries} tries: ${out}: ${nameOf(fault)}`);
  }
  child?.kill();
}

if (command === "make") make();
else if (command === "search") void search();
else usage("make FOLDER or search FOLDER…");
