/** The disassembler on at least 10 MB of CCCL's machine code against nvdisasm, file by file in the same run. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { disassemble, listingText } from "../../lib/disassemble.js";
import { readCubin } from "../../lib/elf/index.js";
import { unwrap } from "../../lib/result.js";
import { ccclCubins } from "../../tools/sass/cubins.js";
import { available, tool } from "../oracle/tools.js";
import { row } from "./measure.js";

const sms = [75, 90, 100, 120];
const levels = [0, 3];
const enough = 10e6;
const command = resolve(__dirname, "../../bin/ptxlab");
const built = existsSync(resolve(__dirname, "../../dist/cli/index.js"));

interface Total {
  /** Seconds. */
  theirs: number;
  ours: number;
  command: number;
  bytes: number;
  instructions: number;
  files: number;
}

export function benchDis(): void {
  if (!built) console.log("the command is not built (npm run build)");
  console.log("\ndisassembler: CCCL's sort, scan and reduce, -O0 and -O3, nvdisasm -c in the same run");
  if (!available) {
    console.log("needs .oracle (npm run oracle:setup)");
    return;
  }
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
  try {
    const paths = sms.flatMap((sm) => ccclCubins(sm, levels, dir).map((c) => c.path));
    const warm: Total = { theirs: 0, ours: 0, command: 0, bytes: 0, instructions: 0, files: 0 };
    const sum: Total = { ...warm };
    // The first round compiles our tables and has the files read from disk; the command does so each time.
    for (const path of paths) one(path, warm, built);
    while (sum.bytes < enough) for (const path of paths) one(path, sum, false);
    report("first round", warm);
    report("after it", sum);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function seconds(body: () => void): number {
  const start = process.hrtime.bigint();
  body();
  return Number(process.hrtime.bigint() - start) / 1e9;
}

function one(path: string, sum: Total, asCommand: boolean): void {
  sum.theirs += seconds(() => {
    if (tool("nvdisasm", ["-c", path]).status !== 0) throw new Error(`nvdisasm: ${path}`);
  });
  sum.ours += seconds(() => {
    const cubin = unwrap(readCubin(new Uint8Array(readFileSync(path))));
    const functions = disassemble(cubin);
    Buffer.from(listingText(cubin, functions));
    for (const f of functions) sum.instructions += f.instructions.length;
    sum.bytes += cubin.elf.bytes.length;
  });
  if (asCommand)
    sum.command += seconds(() => {
      const ran = spawnSync(process.execPath, [command, "dis", path], { maxBuffer: 1 << 28 });
      if (ran.status !== 0) throw new Error(`ptxlab dis: ${path}`);
    });
  sum.files++;
}

function report(what: string, s: Total): void {
  console.log(`${what}: ${s.files} files, ${(s.bytes / 1e6).toFixed(1)} MB, ${s.instructions} instructions`);
  row(["", "seconds", "M instr/s", "nvdisasm/it"]);
  for (const [name, time] of [
    ["nvdisasm", s.theirs],
    ["in process", s.ours],
    ["command", s.command],
  ] as const)
    if (time > 0) row([name, time.toFixed(2), (s.instructions / time / 1e6).toFixed(3), (s.theirs / time).toFixed(2)]);
}
