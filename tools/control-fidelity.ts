/**
 * node tools/run-ts.cjs tools/control-fidelity.ts [-t sm_90,…] [-O 1,3] [-n rules] [-v FUNCTION] [FILE.ptx|FILE.cubin …]: our
 * control words beside ptxas's on ptxas's own instruction order, field by field, and the differences by rule. Without files:
 * the starter corpus for every SM. Needs the real tools (npm run oracle:setup).
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCubin } from "../lib/elf/index.js";
import { liftFunction } from "../lib/lift/index.js";
import { snapshot } from "../lib/ori/func.js";
import type { Control, Func, Inst } from "../lib/ori/types.js";
import { renderInst } from "../lib/sass/index.js";
import { assignControl, type ControlDecision } from "../lib/sched/index.js";
import { inScratch, tool } from "../test/oracle/tools.js";
import { numberOf, readArguments } from "./arguments.js";

const fields = ["stall", "yield", "writeSb", "readSb", "wait", "reuse"] as const;
type Field = (typeof fields)[number];

const folders: Readonly<Record<string, string>> = {
  sm_75: "sm_75",
  sm_80: "sm_75",
  sm_86: "sm_75",
  sm_87: "sm_75",
  sm_88: "sm_75",
  sm_89: "sm_75",
  sm_90: "sm_90",
  sm_100: "sm_100",
  sm_103: "sm_100",
  sm_110: "sm_100",
  sm_120: "sm_90",
  sm_121: "sm_90",
};

interface Tally {
  insts: number;
  equal: number;
  refused: number;
  readonly same: Record<Field, number>;
  readonly rules: Map<string, { count: number; example: string }>;
}

/** What stands for an instruction in a rule: its mnemonic and what changes its timing. */
function nameOf(inst: Inst): string {
  const { op, mods } = inst.form;
  const more = mods.filter((m) => /^(WIDE|HI|MMA|64|128|F32|16816|1688)$/.test(m));
  return [op, ...more].join(".");
}

const board = (n: number): string => (n === 7 ? "-" : String(n));
const mask = (m: number): string => [0, 1, 2, 3, 4, 5].map((b) => ((m >> b) & 1 ? b : ".")).join("");
const show: Readonly<Record<Field, (v: number) => string>> = {
  stall: String,
  yield: String,
  writeSb: board,
  readSb: board,
  wait: mask,
  reuse: (v) => v.toString(2).padStart(3, "0"),
};

function ruleOf(field: Field, inst: Inst, theirs: Control, ours: Control, why: ControlDecision | undefined): string {
  const values = `${show[field](theirs[field])}, ours ${show[field](ours[field])}`;
  if (field === "stall" && why?.what === "stall") {
    const consumer = why.consumer === null ? "end" : nameOf(why.consumer);
    return `stall ${nameOf(inst)}: ${values} (${why.cause} ${nameOf(why.producer)} → ${consumer} ${why.distance})`;
  }
  if (field === "wait") {
    const one = (m: number): string => (m === 0 ? "none" : "some");
    return `wait ${nameOf(inst)}: ${one(theirs.wait)}, ours ${one(ours.wait)}`;
  }
  if (field === "writeSb" || field === "readSb") return `${field} ${nameOf(inst)}: ${values}`;
  return `${field} ${nameOf(inst)}: ${values}, stall ${theirs.stall}`;
}

function listing(inst: Inst, c: Control, isa: number): string {
  const word = fields.map((f) => show[f](c[f]).padStart(2)).join(" ");
  return `${word}  ${renderInst(inst, { isa })}`;
}

function compare(original: Func, where: string, tally: Tally, verbose: string | null): void {
  const func = snapshot(original);
  const stalls = new Map<Inst, ControlDecision>();
  assignControl(func, {
    observe: (d) => {
      if (d.what === "stall") stalls.set(d.inst, d);
    },
  });
  const ours = new Map(func.blocks.flatMap((b) => b.insts.map((i) => [i.id, i] as const)));
  for (const b of original.blocks) {
    if (verbose !== null) console.log(`block ${b.id} from ${b.preds.map((q) => q.id).join(" ")}`);
    for (const inst of b.insts) {
      const theirs = inst.control!;
      const mine = ours.get(inst.id)!;
      const c = mine.control!;
      tally.insts++;
      let all = true;
      for (const f of fields) {
        if (theirs[f] === c[f]) {
          tally.same[f]++;
          continue;
        }
        all = false;
        const rule = ruleOf(f, inst, theirs, c, stalls.get(mine));
        const known = tally.rules.get(rule);
        if (known) known.count++;
        else tally.rules.set(rule, { count: 1, example: `${where} ${original.name}+0x${(inst.id * 16).toString(16)}` });
      }
      if (all) tally.equal++;
      if (verbose !== null) {
        console.log(`   ${(inst.id * 16).toString(16).padStart(4, "0")} ${listing(inst, theirs, original.target.isa)}`);
        if (!all) console.log(`##    | ${listing(mine, c, original.target.isa)}`);
      }
    }
  }
}

function cubinsOf(arch: string, level: string, files: readonly string[]): [string, Uint8Array][] {
  const folder = join(__dirname, "../test/corpus/ptx", folders[arch]!);
  const inputs = files.length > 0 ? files : readdirSync(folder).sort().map((f) => join(folder, f)); // biome-ignore format: one line
  const out: [string, Uint8Array][] = [];
  for (const file of inputs) {
    if (file.endsWith(".cubin")) {
      out.push([file, new Uint8Array(readFileSync(file))]);
      continue;
    }
    inScratch((dir) => {
      writeFileSync(join(dir, "k.ptx"), readFileSync(file));
      const ran = tool("ptxas", [`-arch=${arch}`, `-O${level}`, "k.ptx", "-o", "k.cubin"], { cwd: dir });
      if (ran.status === 0)
        out.push([`${file.split("/").pop()} -O${level}`, new Uint8Array(readFileSync(join(dir, "k.cubin")))]);
      else console.log(`${file} is not for ${arch}: ${ran.stderr.split("\n")[0]}`);
    });
  }
  return out;
}

const { values: options, positionals } = readArguments({
  targets: { type: "string", short: "t", default: Object.keys(folders).join() },
  levels: { type: "string", short: "O", default: "1,2,3" },
  rules: { type: "string", short: "n", default: "12" },
  verbose: { type: "string", short: "v", default: "" },
});
const archs = options.targets.split(",");
const levels = options.levels.split(",");
const shown = numberOf(options.rules);
const { verbose } = options;

const percent = (n: number, of: number): string => `${((100 * n) / of).toFixed(2)} %`;
console.log(`${"".padEnd(8)}${["insts", "word", ...fields, "refused"].map((c) => c.padStart(10)).join("")}`);
for (const arch of archs) {
  const tally: Tally = {
    insts: 0,
    equal: 0,
    refused: 0,
    same: { stall: 0, yield: 0, writeSb: 0, readSb: 0, wait: 0, reuse: 0 },
    rules: new Map(),
  };
  for (const level of levels) {
    for (const [name, bytes] of cubinsOf(arch, level, positionals)) {
      const cubin = readCubin(bytes);
      if (!cubin.ok) throw new Error(`${name} is unreadable`);
      for (const f of cubin.value.functions) {
        if (verbose !== "" && !f.name.includes(verbose)) continue;
        const lifted = liftFunction(cubin.value, f);
        if (lifted.ok) compare(lifted.value.func, name, tally, verbose === "" ? null : verbose);
        else tally.refused++;
      }
    }
  }
  const cells = [tally.equal, ...fields.map((f) => tally.same[f])].map((n) => percent(n, tally.insts));
  console.log(
    `${arch.padEnd(8)}${[String(tally.insts), ...cells, String(tally.refused)].map((c) => c.padStart(10)).join("")}`,
  );
  const rules = [...tally.rules].sort((a, b) => b[1].count - a[1].count).slice(0, shown);
  for (const [rule, { count, example }] of rules)
    console.log(`  ${String(count).padStart(6)}  ${rule}   e.g. ${example}`);
}
