/**
 * Lanes that meet at different instructions, in ptxas's code: how it brings them together on which target and level, and that its
 * cubins compute in the simulator what the PTX ISA says and ours do.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile";
import { simulate } from "../../lib/sim/index";
import { type GatherKernel, gatherKernels, gatherText, LANES, N } from "../lower/gather-kernels";
import { describeOracle, inScratch, tool } from "./tools";

const SMS = [75, 80, 90, 100] as const;
const LEVELS = [0, 3] as const;

function ptxas(text: string, sm: number, level: number): Uint8Array {
  return inScratch((dir) => {
    const source = join(dir, "k.ptx");
    writeFileSync(source, text);
    const out = join(dir, "k.cubin");
    const made = tool("ptxas", [`-arch=sm_${sm}`, `-O${level}`, "-o", out, source]);
    if (made.status !== 0) throw new Error(made.stderr);
    return new Uint8Array(readFileSync(out));
  });
}

/** The instructions as nvdisasm prints them. */
function listed(cubin: Uint8Array): string[] {
  return inScratch((dir) => {
    const file = join(dir, "k.cubin");
    writeFileSync(file, cubin);
    const r = tool("nvdisasm", ["-c", file]);
    expect([r.status, r.stderr]).toEqual([0, ""]);
    return [...r.stdout.matchAll(/^\s+\/\*[0-9a-f]+\*\/\s+(.*?) *;/gm)].map((m) => m[1]!);
  });
}

function run(cubin: Uint8Array): number[] | string {
  const out = new Uint32Array(32);
  const r = simulate(cubin, { kernel: "k", grid: 1, block: 32, params: [out, { u32: N }] });
  if (!r.ok) throw new Error(r.diagnostics.map((d) => d.message).join("\n"));
  return r.value.fault?.message ?? [...out];
}

/** Not comparable: see the reasons in gather-kernels.ts. */
function differs(k: GatherKernel, sm: number, level: number): boolean {
  return (k.mixesPredicates === true && sm < 90) || (k.severalMasks === true && level > 0);
}

/** One instruction in both branches of a divergent branch, or in straight code. */
function small(instruction: string, mask: string, divergent: boolean): string {
  const at = instruction.replaceAll("MASK", mask);
  const code = divergent ? `@%low bra THEN; ${at} bra DONE; THEN: add.u32 %x, %x, 1; ${at} DONE:` : at;
  return gatherText({ name: "", code, expected: () => 0 }, "sm_90");
}

const instructions = [
  "shfl.sync.bfly.b32 %d, %x, 1, 31, MASK;",
  "vote.sync.ballot.b32 %d, %low, MASK;",
  "match.any.sync.b32 %d, %x, MASK;",
  "redux.sync.add.u32 %d, %x, MASK;",
  "bar.warp.sync MASK;",
];

describeOracle("gathering", () => {
  test.each(SMS.flatMap((sm) => LEVELS.map((level) => [sm, level] as const)))("sm_%i -O%i", (sm, level) => {
    for (const k of gatherKernels) {
      if (sm < (k.from ?? 0) || differs(k, sm, level)) continue;
      const text = gatherText(k, `sm_${sm}`);
      expect([k.name, run(ptxas(text, sm, level))]).toEqual([k.name, LANES.map((l) => k.expected(l) >>> 0)]);
    }
  });

  test.each([
    [75, 0, "CALL.REL.NOINC"],
    [80, 0, "CALL.REL.NOINC"],
    [90, 0, "WARPSYNC.COLLECTIVE"],
    [100, 0, "WARPSYNC.COLLECTIVE"],
    [120, 0, "WARPSYNC.COLLECTIVE"],
    [75, 3, "CALL.REL.NOINC"],
    [80, 3, "CALL.REL.NOINC"],
    [90, 3, "WARPSYNC.COLLECTIVE"],
    [100, 3, "WARPSYNC.COLLECTIVE"],
    [120, 3, "WARPSYNC.COLLECTIVE"],
  ])("the form on sm_%i at -O%i", (sm, level, mark) => {
    for (const instruction of instructions) {
      if (sm < 80 && instruction.startsWith("redux")) continue;
      for (const mask of ["0xffffffff", "0xffff", "%n"]) {
        for (const divergent of [true, false]) {
          const text = small(instruction, mask, divergent).replace("sm_90", `sm_${sm}`);
          const found = listed(ptxas(text, sm, level)).some((line) => line.includes(mark));
          // -O0: always. Above: where the lanes may have parted.
          const gathers = level === 0 || divergent;
          expect([instruction, mask, divergent, found]).toEqual([instruction, mask, divergent, gathers]);
        }
      }
    }
  });

  test("ptxas's gathered code is the same at all places of a function", () => {
    for (const level of LEVELS) {
      for (const k of gatherKernels) {
        if (differs(k, 90, level)) continue;
        const code = listed(ptxas(gatherText(k, "sm_90"), 90, level));
        const byForm = new Map<string, Set<string>>();
        code.forEach((line, at) => {
          if (!line.startsWith("WARPSYNC.COLLECTIVE")) return;
          const body = code.slice(at + 1, code.indexOf("ENDCOLLECTIVE", at)).filter((i) => !/^MOV (R\d+), \1$/.test(i));
          const key = body.map((i) => i.split(" ")[0]).join();
          byForm.set(key, (byForm.get(key) ?? new Set()).add(body.join("; ")));
        });
        for (const [key, set] of byForm)
          expect([k.name, level, key, [...set]]).toEqual([k.name, level, key, [[...set][0]]]);
      }
    }
  });

  test("nvdisasm reads ours; attributes list the same kinds of places", () => {
    for (const sm of SMS) {
      const made = compile(gatherText(gatherKernels[0]!, `sm_${sm}`), { target: `sm_${sm}` });
      expect(listed(made.cubin!)).toContain("EXIT");
      inScratch((dir) => {
        const file = join(dir, "k.cubin");
        writeFileSync(file, made.cubin!);
        const info = tool("cuobjdump", ["-elf", file]).stdout;
        const values = /EIATTR_COOP_GROUP_MASK_REGIDS\s+Format:.*\n\s+Value:\s+(.*)/.exec(info)?.[1]?.trim();
        expect([sm, values]).toEqual([sm, sm >= 90 ? "0x5000005 0x5000005" : "0xffffffff 0xffffffff"]);
      });
    }
  });
});
