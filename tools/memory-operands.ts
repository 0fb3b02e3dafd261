/**
 * What is known of the memory operands of ptxas's code:  node tools/run-ts.cjs tools/memory-operands.ts [SM …] [--cccl] [--list KERNEL]
 *
 * The corpus at -O0 … -O3 (with --cccl: device-wide sort, scan and reduce of CCCL): share of operands whose base is known, by kind,
 * and of pairs of accesses in one block of which one writes what lib/analysis says. Default SMs: all.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aliasOf, type MemoryOperand, memoryOperands } from "../lib/analysis/index.js";
import { readCubin } from "../lib/elf/index.js";
import { liftCubin } from "../lib/lift/index.js";
import { unwrap } from "../lib/result.js";
import { available } from "../test/oracle/tools.js";
import { readArguments, smsOf } from "./arguments.js";
import { ccclCubins, corpusCubins } from "./sass/cubins.js";

class Shares {
  private readonly counts = new Map<string, number>();
  total = 0;

  add(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
    this.total++;
  }

  toString(): string {
    const percent = (n: number): string => `${((100 * n) / Math.max(1, this.total)).toFixed(1)} %`;
    const rows = [...this.counts].sort((a, b) => b[1] - a[1]);
    return `${this.total}: ${rows.map(([what, n]) => `${what} ${percent(n)}`).join(", ")}`;
  }
}

class Tally {
  readonly bases = new Shares();
  readonly pairs = new Shares();
  affine = 0;
  known = 0;

  add(bytes: Uint8Array, list: boolean): void {
    for (const { func } of unwrap(liftCubin(unwrap(readCubin(bytes))))) {
      const operands = memoryOperands(func);
      for (const o of operands) {
        this.bases.add(o.base.kind);
        if (o.base.kind !== "unknown") this.known++;
        if (o.offset !== null) this.affine++;
        if (list) console.log(describe(o));
      }
      for (let i = 0; i < operands.length; i++)
        for (let j = i + 1; j < operands.length && operands[j]!.block === operands[i]!.block; j++) {
          const [a, b] = [operands[i]!, operands[j]!];
          if (a.access !== "load" || b.access !== "load") this.pairs.add(aliasOf(a, b));
        }
    }
  }

  print(name: string): void {
    const share = (n: number): string => `${((100 * n) / Math.max(1, this.bases.total)).toFixed(1)} %`;
    console.log(`${name}: base known ${share(this.known)}, a sum ${share(this.affine)} of ${this.bases}`);
    console.log(`    pairs with a write ${this.pairs}`);
  }
}

function describe(o: MemoryOperand): string {
  const index = o.index.map((t) => `${t.coefficient} * ${t.value}`).join(" + ");
  return `b${o.block} #${o.inst.id} ${o.inst.form.name}: ${JSON.stringify(o.base)} + ${o.offset} + ${index}`;
}

if (!available) throw new Error("needs .oracle");
const { values: options, positionals } = readArguments({
  list: { type: "string" },
  cccl: { type: "boolean", default: false },
});
const only = options.list;
const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
try {
  for (const sm of smsOf(positionals)) {
    if (only !== undefined) {
      for (const c of corpusCubins(sm, [3], dir)) if (c.name.startsWith(`${only} `)) new Tally().add(c.bytes, true);
      continue;
    }
    const tally = new Tally();
    for (const c of corpusCubins(sm, [0, 1, 2, 3], dir)) tally.add(c.bytes, false);
    tally.print(`sm_${sm}`);
    if (!options.cccl) continue;
    const large = new Tally();
    for (const c of ccclCubins(sm, [3], dir)) large.add(c.bytes, false);
    large.print(`CCCL sm_${sm} -O3`);
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
