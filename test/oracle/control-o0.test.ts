/**
 * Control words of -O0: ptxas's cubins are decoded, their control words dropped, chosen again by `controlO0` and compared
 * with what ptxas wrote, instruction by instruction.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCubin } from "../../lib/elf/index";
import { decodeInst } from "../../lib/sass/decode";
import { controlO0 } from "../../lib/sched/index";
import { target as targetOf } from "../../lib/target/index";
import type { TargetName } from "../../lib/target/types";
import { describeOracle, inScratch, tool } from "./tools";

interface Tally {
  compared: number;
  unknown: number;
  /** `mnemonic: theirs, ours` → count. */
  readonly different: Record<string, number>;
}

/** The control word's 21 bits: stall, yield, write, read, wait, reuse from bit 0 up. */
function bitsOf(words: Uint32Array, at: number): number {
  return ((words[at + 3] as number) >>> 9) & 0x1fffff;
}

function compare(file: string, arch: TargetName, tally: Tally): void {
  const cubin = readCubin(new Uint8Array(readFileSync(file)));
  if (!cubin.ok) throw new Error(`${file} is unreadable`);
  for (const f of cubin.value.functions) {
    for (let at = 0; at + 3 < f.words.length; at += 4) {
      const theirs = bitsOf(f.words, at);
      // The branch to itself and the padding at the end, no part of the function.
      if ((theirs & 15) === 0) continue;
      const inst = decodeInst(f.words, at, targetOf(arch));
      if (inst === null) {
        tally.unknown++;
        continue;
      }
      inst.control = null;
      const c = controlO0.control(inst, targetOf(arch));
      const ours = c.stall | (c.yield << 4) | (c.writeSb << 5) | (c.readSb << 8) | (c.wait << 11) | (c.reuse << 17);
      tally.compared++;
      if (ours === theirs) continue;
      const key = `${inst.form.name}: ${theirs.toString(16)}, ${ours.toString(16)}`;
      tally.different[key] = (tally.different[key] ?? 0) + 1;
    }
  }
}

function compile(text: string, arch: TargetName, dir: string): string {
  const cubin = join(dir, "k.cubin");
  const source = join(dir, "k.ptx");
  writeFileSync(source, text);
  const made = tool("ptxas", ["-O0", `-arch=${arch}`, source, "-o", cubin]);
  expect(made.stderr).toBe("");
  return cubin;
}

describeOracle("control words of -O0 are those of ptxas", () => {
  for (const arch of ["sm_75", "sm_90", "sm_100"] as const) {
    test(`the starter corpus on ${arch}`, () => {
      const tally: Tally = { compared: 0, unknown: 0, different: {} };
      const folder = join(__dirname, "../corpus/ptx", arch);
      inScratch((dir) => {
        for (const name of readdirSync(folder).sort()) {
          compare(compile(readFileSync(join(folder, name), "utf8"), arch, dir), arch, tally);
        }
      });
      expect(tally.different).toEqual({});
      expect(tally.unknown).toBe(0);
      expect(tally.compared).toBeGreaterThan(5000);
    });
  }
});
