/**
 * How much of PTX is compiled, instruction by instruction: one kernel for each line of a file of `ptx-to-sass` (the PTX under test, TAB,
 * what ptxas makes of it or `rejected: `), outside the matrix, asynchronous, texture families and calls:
 *
 *   node tools/run-ts.cjs tools/single-instructions.ts FACTS.tsv.gz sm_90a [-O LEVEL] [--every N] [--only REGEX] [--list] [--run] [--mnemonics]
 *
 * prints how many of those ptxas takes are compiled, what is refused by our first message, and what is compiled though ptxas refuses
 * it. `--run` compares results in the simulator with those of ptxas -O0's and -O3's code on random and edge values, bit by bit.
 * `--mnemonics` compiles at -O3 and compares mnemonics (tools/single/mnemonics.ts) and bytes with ptxas -O3's, and names the families that differ most.
 * `--census N` with it names the N differences ("ours − ptxas's" mnemonics) that most lines share, and up to four lines of each.
 * `--words N` with it names the N kinds of difference at the first word that is not ptxas's, and up to four lines of each; `--beside N` prints the
 * first N kernels with other words beside ptxas's, with control bits.
 * `--every` samples, `--list` prints every line refused, `--only` takes lines that match.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { compile } from "../lib/compile.js";
import { disassemble, type ListedFunction } from "../lib/disassemble.js";
import { readCubin } from "../lib/elf/index.js";
import { unwrap } from "../lib/result.js";
import { isTargetName, type TargetName } from "../lib/target/index.js";
import { numberOf, readArguments, usage } from "./arguments.js";
import { besides, firstDifference } from "./single/first-difference.js";
import { inScope, moduleOf, type Single, singleKernel } from "./single/kernel.js";
import { mnemonicsOf } from "./single/mnemonics.js";
import { inputs, loaded, type Outcome, room, runSingle } from "./single/run.js";

const { values, positionals } = readArguments({
  every: { type: "string", default: "1" },
  from: { type: "string", default: "0" },
  only: { type: "string" },
  list: { type: "boolean", default: false },
  run: { type: "boolean", default: false },
  mnemonics: { type: "boolean", default: false },
  census: { type: "string", default: "0" },
  words: { type: "string", default: "0" },
  beside: { type: "string", default: "0" },
  opt: { type: "string", short: "O", default: "0" },
});
const [file, arch = ""] = positionals;
if (file === undefined || !isTargetName(arch)) usage("usage: single-instructions.ts FACTS.tsv.gz sm_NN [options]");
const target = arch as TargetName;
const every = numberOf(values.every);
const opt = values.mnemonics ? 3 : numberOf(values.opt);
const from = numberOf(values.from);

/** Lines with ptxas's verdict, each once. */
function rows(): { line: string; taken: boolean }[] {
  const seen = new Map<string, boolean>();
  const only = values.only === undefined ? null : new RegExp(values.only);
  for (const row of gunzipSync(readFileSync(file as string))
    .toString("utf8")
    .split("\n")) {
    const [line, made] = row.split("\t");
    if (line === undefined || made === undefined || !inScope(line)) continue;
    if (only !== null && !only.test(line)) continue;
    seen.set(line, !made.startsWith("rejected: "));
  }
  return [...seen].map(([line, taken]) => ({ line, taken })).filter((_, i) => i % every === from % every);
}

/** Cubins of ptxas for a batch, without the kernels it refuses. */
function theirs(batch: readonly Single[], level: number): { cubin: Uint8Array; kept: Single[] } | null {
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
  try {
    let kept = [...batch];
    for (let round = 0; round < 20 && kept.length > 0; round++) {
      const text = moduleOf(target, kept);
      const starts = kept.map((k) => text.slice(0, text.indexOf(`.entry ${k.name}(`)).split("\n").length);
      const [source, out] = [join(dir, "k.ptx"), join(dir, "k.cubin")];
      writeFileSync(source, text);
      const ptxas = join(__dirname, "../.oracle/bin/ptxas");
      const ran = spawnSync(ptxas, [`-arch=${target}`, `-O${level}`, source, "-o", out], { encoding: "utf8" });
      if (ran.status === 0) return { cubin: new Uint8Array(readFileSync(out)), kept };
      const bad = new Set<Single>();
      for (const m of ran.stderr.matchAll(/line (\d+); (?:error|fatal)/g)) {
        const k = kept[starts.filter((s) => s <= Number(m[1])).length - 1];
        if (k !== undefined) bad.add(k);
      }
      for (const m of ran.stderr.matchAll(/'(k\d+_)'/g)) for (const k of kept) if (k.name === m[1]) bad.add(k);
      if (bad.size === 0) {
        console.log(`ptxas: ${ran.stderr.split("\n")[0]}`);
        return null;
      }
      kept = kept.filter((k) => !bad.has(k));
    }
    return null;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

interface Compiled {
  readonly single: Single;
  readonly cubin: Uint8Array;
}

function difference(a: Uint8Array, b: Uint8Array): string {
  let n = 0;
  let first = "";
  const [x, y] = [new Uint32Array(a.buffer), new Uint32Array(b.buffer)];
  for (let i = 0; i < x.length; i++) {
    if (x[i] === y[i]) continue;
    if (n++ < 3)
      first += ` +0x${(i * 4 - 4096).toString(16)}: 0x${(x[i] as number).toString(16)}, ptxas 0x${(y[i] as number).toString(16)};`;
  }
  return n === 0 ? "" : `${n} words:${first}`;
}

function compareRuns(all: readonly Compiled[]): void {
  const counts = new Map<string, number>();
  const note = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const data = inputs(1);
  for (let i = 0; i < all.length; i += 100) {
    const batch = all.slice(i, i + 100);
    for (const level of [0, 3]) {
      const made = theirs(
        batch.map((k) => k.single),
        level,
      );
      const their = made === null ? null : loaded(made.cubin);
      if (made === null || their === null || typeof their === "string") {
        note(`-O${level}: ptxas's cubin not loaded`);
        if (typeof their === "string") console.log(their);
        continue;
      }
      const theirRoom = room(their.device);
      for (const k of batch) {
        if (!made.kept.includes(k.single)) {
          note(`-O${level}: rebuilt kernel refused by ptxas`);
          continue;
        }
        const our = loaded(k.cubin);
        if (typeof our === "string") {
          note("our cubin not loaded");
          continue;
        }
        // The same address on both devices, so that stored addresses are the same.
        const a = runSingle(our, k.single, data, room(our.device));
        const b = runSingle(their, k.single, data, theirRoom);
        note(`-O${level}: ${verdict(k.single, level, a, b)}`);
      }
    }
  }
  for (const [what, n] of [...counts].sort()) console.log(`${n} ${what}`);
}

function verdict(k: Single, level: number, a: Outcome, b: Outcome): string {
  if (b.fault !== null && a.fault !== null)
    return `both fault (${/supported by the simulator: \S+ /.exec(a.fault)?.[0].split(" ")[4] ?? a.fault.split(":")[0]})`;
  if (b.fault !== null) {
    console.log(`${k.line}\n  ptxas -O${level} faults: ${b.fault}`);
    return "ptxas's code faults";
  }
  if (a.fault !== null) {
    console.log(`${k.line}\n  ours faults: ${a.fault}`);
    return "ours faults";
  }
  const d = difference(a.memory, b.memory);
  if (d === "") return "equal";
  console.log(`${k.line}\n  -O${level} differs: ${d}`);
  return "different";
}

/** "ours − ptxas's": the mnemonics that only one of two lists has, as often as it has more of them; `order` if there are none. */
function surplus(ours: string, theirs: string): string {
  const count = new Map<string, number>();
  for (const [text, by] of [
    [ours, 1],
    [theirs, -1],
  ] as const)
    for (const m of text.split(" ")) if (m !== "") count.set(m, (count.get(m) ?? 0) + by);
  const side = (sign: number): string =>
    [...count]
      .filter(([, n]) => n * sign > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([m, n]) => (n * sign > 1 ? `${n * sign}×${m}` : m))
      .join(" ") || "nothing";
  const text = `${side(1)} − ${side(-1)}`;
  return text === "nothing − nothing" ? "order" : text;
}

function listedByName(cubin: Uint8Array): Map<string, ListedFunction> {
  return new Map(disassemble(unwrap(readCubin(cubin))).map((f) => [f.name, f]));
}

/** Families that are named, and examples of each. */
const WORST = 12;

function compareMnemonics(all: readonly Compiled[]): void {
  const families = new Map<string, { equal: number; all: number; example: string }>();
  const causes = new Map<string, string[]>();
  const kinds = new Map<string, string[]>();
  let beside = numberOf(values.beside);
  let [compared, equal, bytes] = [0, 0, 0];
  for (let i = 0; i < all.length; i += 100) {
    const batch = all.slice(i, i + 100);
    const made = theirs(
      batch.map((k) => k.single),
      3,
    );
    if (made === null) continue;
    const [theirMnemonics, theirCode] = [mnemonicsOf(made.cubin), listedByName(made.cubin)];
    for (const { single, cubin } of batch) {
      const { name, line } = single;
      const expected = theirMnemonics.get(name);
      if (expected === undefined) continue;
      const found = mnemonicsOf(cubin).get(name) ?? "";
      const family =
        /^(?:@!?%\w+ )?([a-z]\w*(?:\.\w+)?)/.exec(line.replace(/^.*[;{] *(?=[a-z]+\.[^;]*;?$)/, ""))?.[1] ?? line;
      const f = families.get(family) ?? { equal: 0, all: 0, example: "" };
      families.set(family, f);
      compared++;
      f.all++;
      const [code, other] = [listedByName(cubin).get(name), theirCode.get(name)];
      const part = code === undefined || other === undefined ? null : firstDifference(code, other);
      if (part === null) bytes++;
      else {
        kinds.set(part.kind, [...(kinds.get(part.kind) ?? []), line]);
        if (beside-- > 0) console.log(`${line}\n${besides(code as ListedFunction, other as ListedFunction)}\n`);
      }
      if (found === expected) {
        equal++;
        f.equal++;
        continue;
      }
      if (f.example === "") f.example = `${line.slice(0, 90)}\n      ours  ${found}\n      ptxas ${expected}`;
      const cause = surplus(found, expected);
      causes.set(cause, [...(causes.get(cause) ?? []), line]);
    }
  }
  const share = (n: number): string => `${((100 * n) / Math.max(1, compared)).toFixed(1)} %`;
  console.log(
    `mnemonics equal to ptxas -O3's: ${equal} of ${compared} (${share(equal)}); bytes: ${bytes} (${share(bytes)})`,
  );
  const worst = [...families].sort(([, a], [, b]) => b.all - b.equal - (a.all - a.equal)).slice(0, WORST);
  for (const [family, f] of worst)
    if (f.equal < f.all) console.log(`${String(f.all - f.equal).padStart(5)} of ${f.all} ${family}: ${f.example}`);
  mostFrequent(causes, numberOf(values.census));
  mostFrequent(kinds, numberOf(values.words));
}

function mostFrequent(found: ReadonlyMap<string, readonly string[]>, most: number): void {
  for (const [what, lines] of [...found].sort(([, a], [, b]) => b.length - a.length).slice(0, most))
    console.log(
      [`${String(lines.length).padStart(5)} ${what}`, ...lines.slice(0, 4).map((l) => l.slice(0, 110))].join(
        "\n        ",
      ),
    );
}

function reason(message: string): string {
  const text = message.replace(/^not supported yet: /, "");
  const name = text.split(" ")[0] as string;
  return message === text ? text.replace(/'[^']*'/g, "'…'") : name.split(".").slice(0, 3).join(".");
}

const groups = new Map<string, string[]>();
const accepted: string[] = [];
const compiled: Compiled[] = [];
let taken = 0;
for (const [i, row] of rows().entries()) {
  const single = singleKernel(row.line, `k${i}_`);
  const made = compile(moduleOf(target, [single]), { target, opt });
  if (!row.taken) {
    if (made.cubin !== null) accepted.push(row.line);
    continue;
  }
  taken++;
  if (made.cubin !== null) {
    compiled.push({ single, cubin: made.cubin });
    continue;
  }
  const first = made.diagnostics.find((d) => d.severity !== "warning")?.message ?? "no message";
  const key = reason(first);
  groups.set(key, [...(groups.get(key) ?? []), `${row.line}   [${first}]`]);
}
console.log(`${target}: ${compiled.length} of ${taken} compiled (${((100 * compiled.length) / taken).toFixed(2)} %)`);
for (const [key, lines] of [...groups].sort((a, b) => b[1].length - a[1].length)) {
  console.log(`${String(lines.length).padStart(5)} ${key}: ${values.list ? "" : (lines[0] as string).slice(0, 200)}`);
  if (values.list) for (const l of lines) console.log(`        ${l}`);
}
if (accepted.length > 0) {
  console.log(
    `${accepted.length} compiled though ptxas refuses them, as ${accepted.slice(0, values.list ? undefined : 3).join("\n    ")}`,
  );
}
if (values.run) compareRuns(compiled);
if (values.mnemonics) compareMnemonics(compiled);
