/**
 * The Mercury sections of our relocatable objects, with nvlink as judge: it takes them without a word, it knows every Mercury address
 * by which they name an instruction, and what it makes of them for another SM of the family computes what it should.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile";
import { EIATTR } from "../../lib/elf/cubin/attributes";
import { capsuleOf } from "../../lib/elf/cubin/capmerc-derive";
import { decodeInfo, encodeInfo, infoWords, wordsRecord } from "../../lib/elf/cubin/info";
import { readCubin } from "../../lib/elf/cubin/read";
import type { SourceLine } from "../../lib/elf/cubin/types";
import { type Elf, ET, readElf, SHDR_SIZE, view } from "../../lib/elf/elf64";
import { reschedule } from "../../lib/reschedule";
import { unwrap } from "../../lib/result";
import { runLaunchFile, simulate } from "../../lib/sim/index";
import { type TargetName, target } from "../../lib/target/index";
import { verifyCubin } from "../../lib/verify";
import { corpus, corpusPtx } from "../corpus/cases";
import { describeOracle, inScratch, tool } from "./tools";

const archs: readonly TargetName[] = ["sm_100", "sm_103", "sm_110", "sm_120", "sm_121"];
const levels = [0, 1, 3] as const;

function read(file: Uint8Array): Elf {
  const elf = readElf(file);
  if (!elf.ok) throw new Error(elf.diagnostics[0]!.message);
  return elf.value;
}

function data(file: Uint8Array, name: string): Uint8Array {
  const found = read(file).sections.find((s) => s.name === name);
  if (found === undefined) throw new Error(`no section ${name}`);
  return found.data;
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.slice().buffer);
}

function object(name: string, arch: TargetName, opt: number): Uint8Array {
  const text = corpusPtx(name, "sm_100").replace(/\.target sm_100\b/, `.target ${arch}`);
  const made = compile(text, { target: arch, opt, relocatable: true });
  expect(made.diagnostics).toEqual([]);
  return made.cubin!;
}

/** Objects become one cubin; many at once, for starting nvlink takes longer than linking. */
function linked(dir: string, files: readonly Uint8Array[], arch: TargetName): Uint8Array {
  const names = files.map((file, i) => {
    writeFileSync(join(dir, `${i}.o`), file);
    return `${i}.o`;
  });
  const ran = tool("nvlink", [`-arch=${arch}`, ...names, "-o", "k.cubin"], { cwd: dir });
  expect([ran.status, ran.stdout, ran.stderr]).toEqual([0, "", ""]);
  return readFileSync(join(dir, "k.cubin"));
}

/** The file with other bytes for one section: they go to the end. */
function replaced(file: Uint8Array, name: string, bytes: Uint8Array): Uint8Array {
  const elf = read(file);
  const start = (file.length + 15) & ~15;
  const out = new Uint8Array(start + bytes.length);
  out.set(file);
  out.set(bytes, start);
  const v = view(out);
  const table = Number(v.getBigUint64(40, true));
  const header = table + elf.sections.findIndex((s) => s.name === name) * SHDR_SIZE;
  v.setBigUint64(header + 24, BigInt(start), true);
  v.setBigUint64(header + 32, BigInt(bytes.length), true);
  return out;
}

/** Nothing excuses the linker from going by the capsules (CAN_FASTPATH_FINALIZE is the last attribute). */
function finalizing(file: Uint8Array): Uint8Array {
  const compat = data(file, ".nv.compat").slice();
  compat[compat.length - 8] = 0;
  return replaced(file, ".nv.compat", compat);
}

/** The object asks nvlink at which Mercury addresses (in units of 16 bytes) an instruction begins: as EXIT_INSTR_OFFSETS. */
function asking(file: Uint8Array, name: string, size: number): Uint8Array {
  const records = decodeInfo(data(file, `.nv.merc.nv.info.${name}`));
  if (!records.ok) throw new Error("unreadable");
  const asked = Array.from({ length: size / 16 }, (_, i) => i * 16);
  const info = encodeInfo(
    records.value.map((r) => (r.code === EIATTR.EXIT_INSTR_OFFSETS ? wordsRecord(r.code, asked) : r)),
  );
  return finalizing(replaced(file, `.nv.merc.nv.info.${name}`, info));
}

/** The answer: nvlink gives 0 for an address at which no instruction begins. */
function beginnings(made: Uint8Array, name: string): number[] {
  const answer = decodeInfo(data(made, `.nv.info.${name}`));
  const words = answer.ok ? infoWords(answer.value.find((r) => r.code === EIATTR.EXIT_INSTR_OFFSETS)!) : [];
  return [...words].flatMap((word, i) => (i === 0 || word !== 0 ? [i * 16] : []));
}

describeOracle("Mercury sections of our objects", () => {
  test.each(archs.flatMap((arch) => [0, 3].map((level) => [arch, level] as const)))(
    "%s -O%i: nvlink takes the corpus without a word and finds our instructions where we say",
    (arch, level) => {
      inScratch((dir) => {
        const { paramBase } = target(arch).constants;
        const objects = corpus.map(({ name }) => {
          const file = object(name, arch, level);
          expect(file[48]).toBe(2);
          const text = data(file, `.text.${name}`);
          const capsule = capsuleOf(wordsOf(text), 1, { paramBase, compiled: true });
          if ("unknown" in capsule) throw new Error(`${name}: word ${capsule.unknown}`);
          return { name, file, bytes: text.length, addresses: capsule.addresses, size: capsule.addresses.at(-1)! };
        });
        const made = linked(
          dir,
          objects.map((o) => o.file),
          arch,
        );
        expect(objects.map((o) => data(made, `.text.${o.name}`).length)).toEqual(objects.map((o) => o.bytes));
        const answer = linked(
          dir,
          objects.map((o) => asking(o.file, o.name, o.size)),
          arch,
        );
        for (const { name, addresses, size } of objects)
          expect([name, beginnings(answer, name)]).toEqual([name, [...new Set(addresses)].filter((at) => at < size)]);
      });
    },
  );

  test("executables: finalized as if they were relocatable, they compute what they should", () => {
    inScratch((dir) => {
      for (const name of ["constant_memory", "dynamic_shared", "local_array", "struct_param", "switch_table"]) {
        const { launch } = corpus.find((c) => c.name === name)!;
        const file = compile(corpusPtx(name, "sm_100"), { target: "sm_100", opt: 3, lineInfo: true }).cubin!.slice();
        expect([name, file[48]]).toEqual([name, 2]);
        // nvlink passes over executables in silence; this one it reads, but for the size of static shared memory.
        file[16] = ET.Rel;
        const ran = runLaunchFile(linked(dir, [finalizing(file)], "sm_103"), launch, { readFile: () => null });
        expect([name, ran.status, ran.status === 0 ? [] : ran.lines]).toEqual([name, 0, []]);
      }
    });
  });

  test.each(["sm_100", "sm_120"] as const)(
    "ptxas's %s objects in another order: nvlink takes them without a word, and what it finalizes computes what it should",
    (arch) => {
      inScratch((dir) => {
        const files = corpus.map(({ name }) => {
          writeFileSync(join(dir, "k.ptx"), corpusPtx(name, "sm_100").replace(/\.target sm_100\b/, `.target ${arch}`));
          expect(tool("ptxas", ["-c", "-O3", `-arch=${arch}`, "k.ptx", "-o", "k.o"], { cwd: dir }).status).toBe(0);
          const made = reschedule(readFileSync(join(dir, "k.o")));
          return { file: unwrap(made).bytes, said: made.diagnostics.map((d) => `${name}: ${d.message}`) };
        });
        expect(files.flatMap((f) => f.said)).toEqual([]);
        const bytes = files.map((f) => f.file);
        linked(dir, bytes, arch);
        const made = linked(dir, bytes.map(finalizing), arch === "sm_100" ? "sm_103" : "sm_121");
        corpus.forEach(({ name, launch }) => {
          const ran = runLaunchFile(made, launch, { readFile: () => null });
          expect([name, ran.status, ran.status === 0 ? [] : ran.lines]).toEqual([name, 0, []]);
        });
        expect(verifyCubin(unwrap(readCubin(made)))).toEqual([]);
      });
    },
  );

  test.each(levels)("sm_100 -O%i, finalized for sm_103, computes what it should and holds no hazard", (level) => {
    inScratch((dir) => {
      const files = corpus.map(({ name }) => object(name, "sm_100", level));
      const made = linked(dir, files.map(finalizing), "sm_103");
      expect(verifyCubin(unwrap(readCubin(made)))).toEqual([]);
      let changed = 0;
      corpus.forEach(({ name, launch }, i) => {
        if (data(made, `.text.${name}`).length !== data(files[i]!, `.text.${name}`).length) changed++;
        const ran = runLaunchFile(made, launch, { readFile: () => null });
        expect([name, ran.status, ran.status === 0 ? [] : ran.lines]).toEqual([name, 0, []]);
      });
      // FP64 is slower there: the finalizer has put NOPs in.
      if (level > 0) expect(changed).toBeGreaterThan(0);
    });
  });

  test.each(levels)(
    "-O%i: barriers with number and count in registers are one instruction, and the finalizer makes them again",
    (opt) => {
      const text = `.version 9.0
.target sm_100
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 i, .param .u32 n, .param .u32 m) {
.reg .b64 %d<3>; .reg .b32 %r<9>; .reg .pred %p<3>;
ld.param.u64 %d0, [p]; ld.param.u32 %r1, [i]; ld.param.u32 %r2, [n]; ld.param.u32 %r3, [m];
mov.u32 %r4, %tid.x; setp.lt.u32 %p1, %r4, 10;
bar.red.popc.u32 %r5, %r1, %r2, %p1;
bar.sync %r1, %r2;
bar.red.and.pred %p2, %r1, %r2, !%p1;
redux.sync.add.s32 %r6, %r4, %r3;
selp.u32 %r7, 1, 0, %p2;
mad.lo.s32 %r6, %r6, 100, %r5; mad.lo.s32 %r6, %r7, 7, %r6; add.s32 %r6, %r6, %r2;
mad.wide.u32 %d1, %r4, 4, %d0; st.global.u32 [%d1], %r6; ret; }`;
      inScratch((dir) => {
        const made = compile(text, { target: "sm_100", opt, relocatable: true });
        expect(made.diagnostics).toEqual([]);
        for (const arch of ["sm_100", "sm_103"] as const) {
          const file = linked(dir, [finalizing(made.cubin!)], arch);
          const out = new Int32Array(64);
          const params = [out, { u32: 3 }, { u32: 64 }, { s32: -1 }];
          const ran = simulate(file, { kernel: "k", grid: 1, block: 64, params });
          expect(ran.ok && ran.value.fault).toBeNull();
          // 10 threads of both warps below 10, not all others; the sum of the warp's own numbers.
          expect(out).toEqual(Int32Array.from(out, (_, t) => 74 + (t < 32 ? 49_600 : 152_000)));
          const cubin = readCubin(file);
          expect(cubin.ok && verifyCubin(cubin.value)).toEqual([]);
        }
      });
    },
  );

  test("-lineinfo: lines of the PTX text and of the source stay where they are, also through the finalizer", () => {
    inScratch((dir) => {
      for (const name of ["nbody", "switch_table", "transpose"]) {
        // One line of the source for every third of the PTX text.
        const body = corpusPtx(name, "sm_100").replace(
          /(?<=\n\t)(?=(ld|st|mov|add|mul|fma)\.)/g,
          (_, __, at: number) => (at % 3 === 0 ? `.loc 1 ${at} 0\n\t` : ""),
        );
        const made = compile(`${body}\n.file 1 "${name}.cu"\n`, {
          ...{ target: "sm_100" as const, opt: 3, relocatable: true, lineInfo: true },
        });
        expect(made.diagnostics).toEqual([]);
        const rows = (file: Uint8Array, offsets: boolean): unknown => {
          const cubin = readCubin(file);
          // nvlink may say the first line twice.
          const row = (ls: readonly Pick<SourceLine, "offset" | "line">[]): string[] => [
            ...new Set(ls.map((l) => `${l.offset}:${l.line}`)),
          ];
          const all = (ls: readonly Pick<SourceLine, "offset" | "line">[]): string[] =>
            offsets ? row(ls) : row(ls).map((r) => r.replace(/.*:/, ""));
          return cubin.ok && cubin.value.functions.map((f) => [all(f.ptxLines), all(f.sourceLines)]);
        };
        const linkedHere = linked(dir, [made.cubin!], "sm_100");
        expect(data(linkedHere, ".debug_line").length).toBeGreaterThan(100);
        expect(rows(linkedHere, true)).toEqual(rows(made.cubin!, true));
        // The finalizer may have put NOPs in.
        expect(rows(linked(dir, [finalizing(made.cubin!)], "sm_103"), false)).toEqual(rows(made.cubin!, false));
        const disassembled = tool("nvdisasm", ["-g", "-c", join(dir, "k.cubin")]);
        expect([disassembled.status, disassembled.stderr]).toEqual([0, ""]);
        expect(disassembled.stdout).toContain(`//## File "${name}.cu", line `);
      }
    });
  });

  test("linked code addresses shared memory after what the system reserves, as our executables do", () => {
    inScratch((dir) => {
      for (const arch of ["sm_90", "sm_100"] as const)
        for (const name of ["histogram", "dynamic_shared", "reduction"]) {
          const text = corpusPtx(name, arch);
          const alone = compile(text, { target: arch, opt: 0 }).cubin!;
          const made = linked(dir, [compile(text, { target: arch, opt: 0, relocatable: true }).cubin!], arch);
          expect([name, wordsOf(data(made, `.text.${name}`))]).toEqual([name, wordsOf(data(alone, `.text.${name}`))]);
        }
    });
  });
});
