/**
 * The cubin writer against ptxas: ptxas's machine code goes through our writer, and what comes out must describe itself as
 * ptxas's own file does: sections, symbols, attributes, relocations, notes, banks, in the same order.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile";
import { describeCubin, encodeInfo, link, readCubin } from "../../lib/elf/index";
import { sms, type TargetName, target } from "../../lib/target/index";
import { corpusPtx, corpusTargets } from "../corpus/cases";
import { recode } from "./recode";
import { describeOracle, inScratch, tool } from "./tools";

const archs = sms.map((sm) => `sm_${sm}` as TargetName);

function ptxasCubin(dir: string, ptx: string, arch: string, ...options: string[]): Uint8Array {
  const input = join(dir, "k.ptx");
  const output = join(dir, "k.cubin");
  writeFileSync(input, ptx);
  const ran = tool("ptxas", [`-arch=${arch}`, "-O0", ...options, input, "-o", output]);
  if (ran.status !== 0) throw new Error(ran.stderr);
  return readFileSync(output);
}

/** Lines in which the two may differ, each for a reason. */
const excused: readonly [pattern: RegExp, why: string][] = [
  [/\.merc|capmerc/, "Capsule Mercury is written into relocatable objects alone"],
  [/^sm_1\d\d executable flags=/, "and the header says so"],
  [/^segment LOAD/, "sizes include the padding between sections, which hangs on the length of string tables"],
  [/^section \.(symtab|debug_frame) /, "sizes follow from symbols and helpers"],
  [/^section \.rela\S+ .*size=0x0$/, "empty where nothing is left to relocate: the recoded code has no relocations"],
  [/\.debug_frame\+/, "steps inside the prologue of debuggers' unwind programs"],
  [/CRS_STACK_SIZE|^section \.nv\.info\.\w+ .*size=/, "ptxas tells regions that it removed again"],
  [/ NOTYPE$|^symbol \d+ {2}bind=0 type=0/, "deleted symbols"],
  [/gb10b_war_var/, "its place among the symbols of sm_110 is not known"],
  [/reservedSmem\.cap/, "its rule is not known on sm_90"],
  [/\$__internal_/, "helper functions"],
];

function lines(bytes: Uint8Array): string[] {
  const d = describeCubin(bytes, { contents: true });
  if (!d.ok) throw new Error(d.diagnostics[0]!.message);
  return d.value
    .filter((l) => !excused.some(([pattern]) => pattern.test(l)))
    .map((l) => l.replace(/^symbol \d+ /, "symbol "));
}

function rewritten(ptx: string, theirs: Uint8Array, arch: TargetName): Uint8Array {
  const { codes, program } = recode(ptx, theirs, arch);
  const cubin = readCubin(theirs);
  const mine = link(codes, program, {
    commandLine: cubin.ok ? `${cubin.value.tool!.options} ` : "",
    virtualSm: Number(/\.target\s+sm_(\d+)/.exec(ptx)![1]),
  });
  if (!mine.ok) throw new Error(mine.diagnostics[0]!.message);
  return mine.value;
}

const ptxDir = join(__dirname, "ptx");
const own = ["variables", "layout", "shared", "initializers", "jump-table"];

describeOracle("the cubin writer against ptxas", () => {
  for (const arch of archs)
    test.each(own)(`${arch}: %s`, (name) => {
      inScratch((dir) => {
        const ptx = readFileSync(join(ptxDir, `${name}.ptx`), "utf8");
        // Helper functions after the kernel (sm_75's shuffles) are code, not container.
        if (name === "jump-table" && target(arch).has("constantOperands")) return;
        const theirs = ptxasCubin(dir, ptx, arch);
        expect(lines(rewritten(ptx, theirs, arch))).toEqual(lines(theirs));
      });
    });

  test.each([1, 2, 4, 16])("constants aligned to %i bytes", (align) => {
    inScratch((dir) => {
      const ptx = `.version 8.7
.target sm_75
.address_size 64
.const .align ${align} .b8 t[18] = {1, 2};
.visible .entry k(.param .u64 p)
{
  .reg .b32 %r; .reg .b64 %d;
  ld.param.u64 %d, [p]; ld.const.u8 %r, [t+1]; st.global.u32 [%d], %r; ret;
}
`;
      const bank = (bytes: Uint8Array): string[] => lines(bytes).filter((l) => l.startsWith("section .nv.constant3 "));
      const made = compile(ptx, { target: "sm_90", opt: 0 });
      expect(bank(made.cubin as Uint8Array)).toEqual(bank(ptxasCubin(dir, ptx, "sm_90")));
    });
  });

  // Kernels for which ptxas neither calls helpers nor makes votes of its own.
  for (const arch of corpusTargets)
    test.each([
      "saxpy",
      "sgemm",
      "transpose",
      "reduction",
      "constant_memory",
      "dynamic_shared",
      "struct_param",
      "local_array",
    ])(`corpus, ${arch}: %s`, (name) => {
      inScratch((dir) => {
        const ptx = corpusPtx(name, arch);
        const theirs = ptxasCubin(dir, ptx, arch);
        expect(lines(rewritten(ptx, theirs, arch))).toEqual(lines(theirs));
      });
    });
});

describeOracle("ptxas's cubins", () => {
  test("read on every target, attributes decode and encode to the same bytes", () => {
    inScratch((dir) => {
      for (const arch of [
        "sm_75",
        "sm_80",
        "sm_86",
        "sm_87",
        "sm_88",
        "sm_89",
        "sm_90a",
        "sm_100f",
        "sm_103a",
        "sm_110",
        "sm_121",
      ])
        for (const file of readdirSync(ptxDir)) {
          const read = readCubin(ptxasCubin(dir, readFileSync(join(ptxDir, file), "utf8"), arch));
          if (!read.ok) throw new Error(`${arch} ${file}: ${read.diagnostics[0]!.message}`);
          const cubin = read.value;
          expect(cubin.target.replace(/[af]$/, "")).toBe(arch.replace(/[af]$/, ""));
          for (const f of cubin.functions) {
            const section = cubin.elf.sections.find((s) => s.name === `.nv.info.${f.name}`)!;
            expect(Buffer.from(encodeInfo(f.info))).toEqual(Buffer.from(section.data));
          }
        }
    });
  });

  test("say what -v says", () => {
    inScratch((dir) => {
      const ptx = readFileSync(join(ptxDir, "variables.ptx"), "utf8");
      const input = join(dir, "v.ptx");
      writeFileSync(input, ptx);
      for (const arch of ["sm_75", "sm_90"]) {
        const out = join(dir, "v.cubin");
        const { stderr } = tool("ptxas", ["-v", `-arch=${arch}`, input, "-o", out]);
        const read = readCubin(readFileSync(out));
        if (!read.ok) throw new Error("unreadable");
        const used = [
          ...stderr.matchAll(
            /properties for (\w+)\n\s+(\d+) bytes stack.*\n.*Used (\d+) registers, used (\d+) barriers/g,
          ),
        ];
        expect(used).toHaveLength(2);
        for (const [, name, frame, registers, barriers] of used) {
          const f = read.value.functions.find((x) => x.name === name)!;
          expect([f.frameBytes, f.registers, f.barriers]).toEqual([Number(frame), Number(registers), Number(barriers)]);
        }
        const smem = / (\d+) bytes smem/.exec(stderr)!;
        const first = read.value.functions.find((x) => x.name === "first")!;
        expect(first.sharedBytes - first.sharedReserved).toBe(Number(smem[1]));
      }
    });
  });
});

describeOracle("NVIDIA's tools accept our cubins", () => {
  const six = ["saxpy", "sgemm", "histogram", "constant_memory", "dynamic_shared", "struct_param"];
  const cases = archs.map((arch) => {
    const own = corpusTargets.find((t) => t === arch);
    return [arch, own ?? "sm_75", own ? six : ["histogram"]] as const;
  });
  test.each(cases)("the corpus on %s: nvdisasm, cuobjdump and nvlink without a word", (arch, source, names) => {
    inScratch((dir) => {
      for (const name of names) {
        const text = corpusPtx(name, source);
        const exec = compile(text, { target: arch, opt: 0, lineInfo: true });
        const object = compile(text, { target: arch, opt: 0, relocatable: true });
        if (exec.cubin === null || object.cubin === null) throw new Error(exec.diagnostics[0]?.message ?? name);
        const files = { exec: join(dir, "k.cubin"), object: join(dir, "k.o"), linked: join(dir, "l.cubin") };
        writeFileSync(files.exec, exec.cubin);
        writeFileSync(files.object, object.cubin);
        const runs = [
          tool("nvdisasm", ["-c", files.exec]),
          tool("nvdisasm", ["-g", files.exec]),
          tool("cuobjdump", ["-elf", "-sass", files.exec]),
          tool("cuobjdump", ["-elf", files.object]),
          tool("nvlink", ["-arch", arch, files.object, "-o", files.linked]),
          tool("nvdisasm", ["-c", files.linked]),
        ];
        expect(runs.map((r) => [name, r.status, r.stderr])).toEqual(runs.map(() => [name, 0, ""]));
        const linked = readCubin(readFileSync(files.linked));
        const alone = readCubin(exec.cubin);
        if (!linked.ok || !alone.ok) throw new Error("unreadable");
        const shape = (c: typeof linked): unknown =>
          c.ok &&
          c.value.functions.map((f) => [f.name, f.registers, f.sharedBytes, f.frameBytes, f.barriers, f.paramBytes]);
        expect(shape(linked)).toEqual(shape(alone));
      }
    });
  });
});
