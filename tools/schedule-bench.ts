/**
 * Our scheduler on ptxas's own instructions: compiles the corpus with ptxas -O3, lifts it, drops the order inside each
 * block, and compares the estimated cycles of our order with those of ptxas's under the same issue model
 * (lib/sched/estimate.ts). Geometric means over blocks of 8 instructions and more.
 *
 *     node tools/run-ts.cjs tools/schedule-bench.ts [--policy NAME] [--sm sm_75,sm_90] [--worst N] [--isolated]
 *         [--cuda] [--growth]
 *
 * "Issue" compares the cycles until the last instruction issues, "drain" those until the last result is there that the
 * next blocks soon read. `--isolated` leaves out latencies across blocks, before and after: then both are the same.
 * `--cuda` adds what nvcc makes of test/corpus/kernels/*.cu. `--growth` prints the time per instruction on one block of
 * n … 32 n instructions instead.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { readCubin } from "../lib/elf/index.js";
import { liftCubin } from "../lib/lift/index.js";
import { Builder, newFunc, operand } from "../lib/ori/index.js";
import type { Func } from "../lib/ori/types.js";
import { unwrap } from "../lib/result.js";
import { type BlockReport, type Policy, policyNamed, scheduleFunc, schedulePolicies } from "../lib/sched/index.js";
import { target } from "../lib/target/index.js";

const root = resolve(__dirname, "..");
const bin = join(root, ".oracle/bin");

const { values: args } = parseArgs({
  options: {
    policy: { type: "string" },
    sm: { type: "string", default: "sm_75,sm_80,sm_86,sm_90,sm_100,sm_120" },
    worst: { type: "string", default: "0" },
    isolated: { type: "boolean", default: false },
    cuda: { type: "boolean", default: false },
    growth: { type: "boolean", default: false },
  },
});

/** The corpus's PTX for one SM; the newest text that the SM accepts stands for those the corpus has no text for. */
function ptxFor(sm: string): string[] {
  const number = Number(sm.slice(3));
  const has = [100, 90, 75].find((n) => n <= number) as number;
  const dir = join(root, "test/corpus/ptx", `sm_${has}`);
  return readdirSync(dir).map((f) => join(dir, f));
}

function run(tool: string, ...a: string[]): void {
  const r = spawnSync(join(bin, tool), a, { encoding: "utf8" });
  if (r.status !== 0) throw new Error(`${tool} ${a.join(" ")}: ${r.stderr}`);
}

interface Unit {
  readonly name: string;
  readonly func: () => Func[];
}

function units(sm: string, dir: string): Unit[] {
  const lift = (file: string) => (): Func[] =>
    unwrap(liftCubin(unwrap(readCubin(new Uint8Array(readFileSync(file)))))).map((l) => l.func);
  const out: Unit[] = [];
  for (const ptx of ptxFor(sm)) {
    const file = join(dir, `${sm}-${out.length}.cubin`);
    run("ptxas", `-arch=${sm}`, "-O3", ptx, "-o", file);
    out.push({ name: `${sm} ${ptx.split("/").pop()}`, func: lift(file) });
  }
  if (args.cuda) {
    for (const name of readdirSync(join(root, "test/corpus/kernels")).filter((f) => f.endsWith(".cu"))) {
      const file = join(dir, `${sm}-${name}.cubin`);
      run("nvcc", `-arch=${sm}`, "-cubin", join(root, "test/corpus/kernels", name), "-o", file);
      out.push({ name: `${sm} ${name}`, func: lift(file) });
    }
  }
  return out;
}

class Means {
  private cycles = 0;
  private drain = 0;
  count = 0;
  better = 0;
  worse = 0;

  add(b: BlockReport): void {
    this.cycles += Math.log(b.after.cycles / b.before.cycles);
    this.drain += Math.log(b.after.drain / b.before.drain);
    this.count++;
    if (b.after.drain < b.before.drain) this.better++;
    if (b.after.drain > b.before.drain) this.worse++;
  }

  toString(): string {
    const mean = (sum: number): string => Math.exp(sum / Math.max(1, this.count)).toFixed(4);
    return `issue ${mean(this.cycles)}  drain ${mean(this.drain)}  shorter ${this.better}  longer ${this.worse}  of ${this.count}`;
  }
}

function compare(policies: readonly Policy[]): void {
  const dir = mkdtempSync(join(tmpdir(), "schedule-bench-"));
  try {
    const sms = args.sm.split(",");
    const all = sms.map((sm) => [sm, units(sm, dir)] as const);
    for (const policy of policies) {
      const total = new Means();
      const worst: [number, string][] = [];
      const lines: string[] = [];
      let more = 0;
      for (const [sm, list] of all) {
        const means = new Means();
        for (const unit of list) {
          for (const func of unit.func()) {
            const report = scheduleFunc(func, policy, { crossBlock: !args.isolated });
            const most = (which: "before" | "after"): number =>
              Math.max(0, ...report.blocks.map((b) => b[which].maxLive[0] ?? 0));
            if (most("after") > Math.max(func.used.R, most("before"))) more++;
            for (const b of report.blocks) {
              if (b.instructions < 8) continue;
              means.add(b);
              total.add(b);
              worst.push([
                b.after.drain / b.before.drain,
                `${unit.name} ${func.name} b${b.block}: ${b.instructions} instructions, issue ${b.before.cycles} → ${b.after.cycles}, drain ${b.before.drain} → ${b.after.drain}`,
              ]);
            }
          }
        }
        lines.push(`    ${sm}: ${means}`);
      }
      console.log(`${policy.name}: ${total}${more > 0 ? `  more registers live than allocated: ${more}` : ""}`);
      if (policies.length === 1) console.log(lines.join("\n"));
      worst.sort((a, b) => b[0] - a[0]);
      for (const [ratio, text] of worst.slice(0, Number(args.worst))) console.log(`    ${ratio.toFixed(3)} ${text}`);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** One block of n instructions, like unrolled code: address sums, loads, products, stores. */
function block(n: number): Func {
  const b = new Builder(newFunc("k", target("sm_90")));
  const { reg, ureg, imm } = operand;
  const kinds = 8;
  for (let i = 0; i < n; i++) {
    const d = 8 + ((i * 7) % 200);
    const a = 8 + ((i * 13 + 5) % 200);
    switch (i % kinds) {
      case 0:
        b.emit("LDG.E", { d: reg(d) }, { base: reg(2, 2), off: imm(4 * i), desc: ureg(4, 2) });
        break;
      case 3:
        b.emit("LDS", { d: reg(d) }, { base: reg(a), off: imm(4 * (i % 64)) });
        break;
      case 6:
        b.emit("STG.E", {}, { base: reg(4, 2), off: imm(4 * i), desc: ureg(4, 2), data: reg(a) });
        break;
      case 7:
        b.emit("IADD3", { d: reg(d) }, { a: reg(a), b: reg(d), c: imm(i) });
        break;
      default:
        b.emit("FFMA", { d: reg(d) }, { a: reg(a), b: reg(8 + ((i * 3) % 200)), c: reg(d) });
    }
  }
  b.emit("EXIT", {}, {});
  const func = b.finish();
  func.virtual = false;
  func.milestone = "post-expanded";
  return func;
}

/** Independent instructions only: the widest list of candidates there can be. */
function wide(n: number): Func {
  const b = new Builder(newFunc("k", target("sm_90")));
  for (let i = 0; i < n; i++)
    b.emit("IADD3", { d: operand.RZ() }, { a: operand.reg(2), b: operand.imm(i), c: operand.RZ() });
  b.emit("EXIT", {}, {});
  const func = b.finish();
  func.virtual = false;
  func.milestone = "post-expanded";
  return func;
}

function growth(policies: readonly Policy[]): void {
  for (const policy of policies) {
    const row = (make: (n: number) => Func): string => {
      const times = [3125, 6250, 12500, 25000, 50000, 100000].map((n) => {
        const func = make(n);
        const start = performance.now();
        scheduleFunc(func, policy);
        return `${(((performance.now() - start) * 1000) / n).toFixed(2)}`;
      });
      return times.join("  ");
    };
    row(() => block(3000));
    console.log(`${policy.name}: µs per instruction at 3125 … 100000: mixed ${row(block)}; independent ${row(wide)}`);
  }
}

const wanted = args.policy;
const one = wanted === undefined ? undefined : policyNamed(wanted);
if (wanted !== undefined && one === undefined) {
  console.error(`no policy ${wanted}; there are: ${schedulePolicies.map((p) => p.name).join(", ")}`);
  process.exit(2);
}
const chosen = one === undefined ? schedulePolicies : [one];
if (args.growth) growth(chosen);
else compare(chosen);
