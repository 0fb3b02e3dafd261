/**
 * The hazard checker on ptxas's code: nothing is found in it, and what a seeded fault breaks is found. All SMs, levels
 * and CUDA units: tools/hazard-sweep.ts; 1,000 faults per SM: tools/hazard-faults.ts.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type CubinFunction, readCubin } from "../../lib/elf/index";
import { findingText } from "../../lib/hazard/index";
import { target } from "../../lib/target/index";
import type { TargetName } from "../../lib/target/types";
import { verifyCubin } from "../../lib/verify";
import { random } from "../corpus/random";
import { largeFaults, smallFaults } from "../hazard/judge";
import { describeOracle, inScratch, tool } from "./tools";

const ptx = resolve(__dirname, "../corpus/ptx");

describeOracle("hazards in ptxas's code", () => {
  for (const [arch, source] of [
    ["sm_75", "sm_75"],
    ["sm_86", "sm_75"],
    ["sm_90", "sm_90"],
    ["sm_100", "sm_100"],
    ["sm_120", "sm_100"],
  ] as const satisfies readonly (readonly [TargetName, string])[]) {
    const functions: CubinFunction[] = [];
    test(`${arch}: the corpus is clean at -O0 to -O3`, () => {
      const found: string[] = [];
      inScratch((dir) => {
        for (const file of readdirSync(join(ptx, source)).sort())
          for (const level of ["-O0", "-O1", "-O3"]) {
            const out = join(dir, "k.cubin");
            const ran = tool("ptxas", [level, `-arch=${arch}`, join(ptx, source, file), "-o", out]);
            expect(ran.stderr).toBe("");
            const cubin = readCubin(new Uint8Array(readFileSync(out)));
            if (!cubin.ok) throw new Error(`${file}: unreadable`);
            found.push(...verifyCubin(cubin.value)!.map(findingText));
            if (level !== "-O0") functions.push(...cubin.value.functions);
          }
      });
      expect(found).toEqual([]);
    });
    test(`${arch}: faults that make a hazard are found, others make no finding in small pieces`, () => {
      const small = smallFaults(functions, target(arch), 60, random(7));
      expect(small.missed).toEqual([]);
      expect(small.alarmed).toEqual([]);
      expect(small.hazards).toBeGreaterThan(15);
      const large = largeFaults(functions, target(arch), 30, random(7));
      expect(large.missed).toEqual([]);
      expect(large.hazards).toBeGreaterThan(5);
    });
  }
});
