/**
 * Differences between our cubin and ptxas's for the same PTX, as lines of `describeCubin`:
 *
 *   node tools/run-ts.cjs tools/compare-cubins.ts kernel.ptx [sm_90] [--contents]
 *
 * `-` stands only in ptxas's, `+` only in ours. Sizes of code sections and offsets of instructions differ as long as the
 * code does; sections, symbols, attributes and their order are what to look at.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { describeCubin } from "../lib/elf/index.js";
import { isTargetName } from "../lib/target/index.js";

const args = process.argv.slice(2).filter((a) => !a.startsWith("--"));
const contents = process.argv.includes("--contents");
const [file, arch = "sm_90"] = args;
if (file === undefined || !isTargetName(arch)) {
  console.error("usage: compare-cubins.ts FILE.ptx [sm_NN] [--contents]");
  process.exit(2);
}

function theirs(input: string): Uint8Array {
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
  try {
    const output = join(dir, "k.cubin");
    const ptxas = join(__dirname, "../.oracle/bin/ptxas");
    const ran = spawnSync(ptxas, ["-O0", "-arch", arch, input, "-o", output], { encoding: "utf8" });
    if (ran.status !== 0) throw new Error(ran.stderr || String(ran.error));
    return readFileSync(output);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function lines(bytes: Uint8Array): string[] {
  const described = describeCubin(bytes, { contents });
  if (!described.ok) throw new Error(described.diagnostics[0]?.message);
  return described.value.map((l) => l.replace(/^symbol \d+ /, "symbol "));
}

const ours = compile(readFileSync(file, "latin1"), { target: arch, opt: 0, file });
if (ours.cubin === null) {
  for (const d of ours.diagnostics) console.error(d.message);
  process.exit(1);
}
const a = lines(theirs(file));
const b = lines(ours.cubin);
const inA = new Set(a);
const inB = new Set(b);
for (const l of a) if (!inB.has(l)) console.log(`- ${l}`);
for (const l of b) if (!inA.has(l)) console.log(`+ ${l}`);
const kept = a.filter((l) => inB.has(l));
const order = b.filter((l) => inA.has(l));
console.log(
  `${kept.length} lines equal, ${a.length - kept.length} only in ptxas's, ${b.length - order.length} only in ours`,
);
if (kept.join("\n") !== order.join("\n")) console.log("the equal lines stand in another order");
