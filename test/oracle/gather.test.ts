/**
 * Lanes that meet at different instructions, in ptxas's code: how it brings them together on which target and level, and that its
 * cubins compute in the simulator what the PTX ISA says and ours do.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile";
import { simulate } from "../../lib/sim/index";
import { type GatherKernel, gatherKernels, gatherText, LANES, N, TILED } from "../lower/gather-kernels";
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

/** The instructions in nvdisasm's text. */
function instructionsIn(text: string): string[] {
  return [...text.matchAll(/^\s+\/\*[0-9a-f]+\*\/\s+(.*?) *;/gm)].map((m) => m[1]!);
}

function run(cubin: Uint8Array, kernel: string): number[] | string {
  const out = new Uint32Array(32);
  const r = simulate(cubin, { kernel, grid: 1, block: 32, params: [out, { u32: N }] });
  if (!r.ok) throw new Error(r.diagnostics.map((d) => d.message).join("\n"));
  return r.value.fault?.message ?? [...out];
}

/** nvdisasm's text of each kernel. */
function sections(cubin: Uint8Array): Map<string, string> {
  return inScratch((dir) => {
    const file = join(dir, "k.cubin");
    writeFileSync(file, cubin);
    const parts = tool("nvdisasm", ["-c", file])
      .stdout.split(/^\s*\.section\s+\.text\./m)
      .slice(1);
    return new Map(parts.map((t) => [/^\w+/.exec(t)![0], t]));
  });
}

/** Not comparable: see the reasons in gather-kernels.ts. */
function differs(k: GatherKernel, sm: number): boolean {
  return k.mixesPredicates === true && sm < 90;
}

/** Kernels as one module: asking the tools takes longer than answering. */
function module(kernels: readonly GatherKernel[], sm: number): string {
  const texts = kernels.map((k, n) => gatherText(k, `sm_${sm}`).replace("entry k(", `entry k${n}_(`));
  const directive = /^\.(version|target|address_size) .*\n/gm;
  return (texts[0]!.match(directive) ?? []).join("") + texts.map((t) => t.replaceAll(directive, "")).join("");
}

/** One instruction in both branches of a divergent branch, or in straight code. */
function small(instruction: string, mask: string, divergent: boolean): GatherKernel {
  const at = instruction.replaceAll("MASK", mask);
  const code = divergent ? `@%low bra THEN; ${at} bra DONE; THEN: add.u32 %x, %x, 1; ${at} DONE:` : at;
  return { name: at, code, expected: () => 0 };
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
    const kernels = [...gatherKernels, ...TILED].filter((k) => sm >= (k.from ?? 0) && !differs(k, sm));
    const cubin = ptxas(module(kernels, sm), sm, level);
    const found = kernels.map((k, n) => [k.name, run(cubin, `k${n}_`)]);
    expect(found).toEqual(kernels.map((k) => [k.name, LANES.map((l) => k.expected(l) >>> 0)]));
  });

  test.each([75, 80, 90, 100, 120].flatMap((sm) => LEVELS.map((level) => [sm, level] as const)))(
    "the form on sm_%i at -O%i",
    (sm, level) => {
      const mark = sm >= 90 ? "WARPSYNC.COLLECTIVE" : "CALL.REL.NOINC";
      const cases = instructions
        .filter((i) => sm >= 80 || !i.startsWith("redux"))
        .flatMap((i) => ["0xffffffff", "0xffff", "%n"].flatMap((m) => [true, false].map((d) => [i, m, d] as const)));
      const kernels = cases.map(([i, m, d]) => small(i, m, d));
      const code = sections(ptxas(module(kernels, sm), sm, level));
      // -O0: always. Above: where the lanes may have parted.
      const found = cases.map((c, n) => [...c, code.get(`k${n}_`)?.includes(mark)]);
      expect(found).toEqual(cases.map(([i, m, d]) => [i, m, d, level === 0 || d]));
    },
  );

  test("ptxas's gathered code is the same at all places of a function", () => {
    for (const level of LEVELS) {
      const kernels = gatherKernels.filter((k) => !differs(k, 90));
      for (const [name, text] of sections(ptxas(module(kernels, 90), 90, level))) {
        const code = instructionsIn(text);
        const byForm = new Map<string, Set<string>>();
        code.forEach((line, at) => {
          if (!line.startsWith("WARPSYNC.COLLECTIVE")) return;
          const body = code.slice(at + 1, code.indexOf("ENDCOLLECTIVE", at)).filter((i) => !/^MOV (R\d+), \1$/.test(i));
          const key = body.map((i) => i.replaceAll(/\d+/g, "")).join();
          byForm.set(key, (byForm.get(key) ?? new Set()).add(body.join("; ")));
        });
        for (const [key, set] of byForm)
          expect([name, level, key, [...set]]).toEqual([name, level, key, [[...set][0]]]);
      }
    }
  });

  test("nvdisasm reads ours; attributes list the same kinds of places", () => {
    for (const sm of SMS) {
      const made = compile(gatherText(gatherKernels[0]!, `sm_${sm}`), { target: `sm_${sm}`, opt: 0 });
      expect(instructionsIn(sections(made.cubin!).get("k") ?? "")).toContain("EXIT");
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
