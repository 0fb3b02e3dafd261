/**
 * Small texts that tell faults apart, for test/phases/NAME/*.ori:
 *
 *   node tools/run-ts.cjs tools/faults/texts.ts make FOLDER [--seed 1] [--count 100] [--each 40] [--lines 90]
 *   node tools/run-ts.cjs tools/faults/texts.ts shrink FOLDER --state FILE --out FOLDER
 *
 * `make`: from random bodies, decisions of control flow, random kernels and the corpus, compiled at -O3: functions as they stand before each phase that
 * changes them, and what the phase makes of them, as files FOLDER/NAME/pool-N.ori. tools/plant-faults.ts (--suites phases/files, on a tree whose test/phases is
 * that folder) tells which of them kill which faults. `shrink`: for each fault that such a file killed the fewest of its lines that still do,
 * as OUT/NAME/FAULT.ori with the fault in its first line: to be read, named by what they show, and kept.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
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
import { type Fault, nameOf } from "./sites.js";

const { values, positionals } = readArguments({
  seed: { type: "string", default: "1" },
  count: { type: "string", default: "100" },
  each: { type: "string", default: "40" },
  lines: { type: "string", default: "90" },
  state: { type: "string", default: "" },
  out: { type: "string", default: "" },
});
const [command, folder = usage("make FOLDER or shrink FOLDER")] = positionals;
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

interface Killed {
  readonly n: number;
  readonly fault: Fault;
  /** The file that killed it. */
  readonly path: string;
}

/** Faults of a state file that a file of the folder killed. */
function killed(faults: readonly Fault[], outcomes: Readonly<Record<number, { by: string }>>): Killed[] {
  // As test/phases/files.test.ts counts: one test for each folder, then the files of each.
  const folders = readdirSync(folder).filter((f) => statSync(join(folder, f)).isDirectory());
  const files = folders.flatMap((f) =>
    readdirSync(join(folder, f))
      .filter((x) => x.endsWith(".ori"))
      .map((x) => join(folder, f, x)),
  );
  return Object.entries(outcomes).flatMap(([n, { by }]) => {
    const test = /files\.test\.ts (\d+):/.exec(by)?.[1];
    const path = files[Number(test) - 1 - folders.length];
    return path === undefined ? [] : [{ n: Number(n), fault: faults[Number(n)] as Fault, path }];
  });
}

async function shrink(): Promise<void> {
  const { faults, outcomes } = JSON.parse(readFileSync(values.state, "utf8")) as {
    faults: readonly Fault[];
    outcomes: Record<number, { by: string }>;
  };
  let child: Child | null = null;
  for (const { n, fault, path } of killed(faults, outcomes)) {
    const phase = /^; run (\S+)/m.exec(readFileSync(path, "utf8"))?.[1] as PhaseName;
    child ??= new Child(root, faults);
    const text = readFileSync(path, "utf8").split(/^; run .*$/m)[0] as string;
    const asked = { script: "tools/faults/shrink.ts", fault: n, text, phase };
    const said = await child.ask<{ text: string; after: string; wrong: string }>(asked, 120_000);
    if (said === null) {
      child.kill();
      child = null;
      console.log(`no end: ${nameOf(fault)} (${path})`);
      continue;
    }
    const out = join(values.out, phase, `${n}.ori`);
    mkdirSync(dirname(out), { recursive: true });
    const same = said.after === normalize(said.text);
    writeFileSync(
      out,
      `; ${nameOf(fault)}\n${said.text}; run ${phase}\n${same ? "" : `${said.after}\n`}; wrong:\n${said.wrong}\n`,
    );
    console.log(`${said.text.split("\n").length} lines: ${out}: ${nameOf(fault)}`);
  }
  child?.kill();
}

if (command === "make") make();
else if (command === "shrink") void shrink();
else usage("make FOLDER or shrink FOLDER");
