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

/** Stall 1, no scoreboards. */
const unscheduled = 0x7e1;

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
      // ptxas puts a NOP after NANOSLEEP on sm_80 to 89, after everything else is scheduled.
      if (inst.form.name === "NOP" && theirs === unscheduled) continue;
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

/** One PTX statement each, of instructions that the corpus has little of. */
const statements: readonly string[] = [
  "rcp.approx.f32 %f1, %f0",
  "sqrt.approx.ftz.f32 %f1, %f0",
  "sin.approx.f32 %f1, %f0",
  "ex2.approx.ftz.f32 %f1, %f0",
  "popc.b32 %r1, %r0",
  "clz.b32 %r1, %r0",
  "brev.b32 %r1, %r0",
  "bfind.u32 %r1, %r0",
  "prmt.b32 %r1, %r0, %r2, %r3",
  "lop3.b32 %r1, %r0, %r2, %r3, 0x96",
  "mul.hi.u32 %r1, %r0, %r2",
  "mul.wide.s32 %l1, %r0, %r2",
  "mad.lo.s64 %l1, %l0, %l2, %l3",
  "shf.l.wrap.b32 %r1, %r0, %r2, %r3",
  "dp4a.s32.s32 %r1, %r0, %r2, %r3",
  "cvt.rzi.s32.f32 %r1, %f0",
  "cvt.rn.f32.s64 %f1, %l0",
  "cvt.rn.f64.s32 %d1, %r0",
  "cvt.rn.f16.f32 %h1, %f0",
  "cvt.f64.f32 %d1, %f0",
  "cvt.rmi.f32.f32 %f1, %f0",
  "fma.rn.f64 %d1, %d0, %d2, %d3",
  "setp.lt.f64 %p1, %d0, %d2",
  "min.f64 %d1, %d0, %d2",
  "fma.rn.f16x2 %r1, %r0, %r2, %r3",
  "atom.global.add.f32 %f1, [%l0], %f0",
  "atom.global.cas.b64 %l1, [%l0], %l2, %l3",
  "red.global.add.u32 [%l0], %r0",
  "atom.shared.exch.b32 %r1, [s], %r0",
  "ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [s]",
  "st.shared.v2.f32 [s], {%f0, %f1}",
  "ld.b32 %r1, [%l0]",
  "st.b64 [%l0], %l1",
  "shfl.sync.bfly.b32 %r1|%p1, %r0, 1, 0x1f, -1",
  "vote.sync.ballot.b32 %r1, %p0, -1",
  "match.any.sync.b32 %r1, %r0, -1",
  "bar.warp.sync -1",
  "barrier.sync 1, 64",
  "bar.red.popc.u32 %r1, 0, %p0",
  "membar.gl",
  "fence.acq_rel.sys",
  "mov.u32 %r1, %clock",
  "mov.u64 %l1, %globaltimer",
  "activemask.b32 %r1",
  "nanosleep.u32 20",
];

/** Everything of the list in one kernel, each result stored. */
function mixed(arch: string): string {
  const registers =
    ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %l<8>; .reg .f32 %f<8>; .reg .f64 %d<8>;";
  const results: readonly (readonly [string, string])[] = [
    ["%r1", "b32"],
    ["%f1", "f32"],
    ["%l1", "b64"],
    ["%d1", "f64"],
  ];
  const load = results.flatMap(([r, t]) =>
    [0, 2, 3].map((n) => `ld.global.${t} ${r.slice(0, 2)}${n}, [%l7+${8 * n}];`),
  );
  const body = statements.flatMap((s) => [
    `${s};`,
    ...results.filter(([r]) => s.includes(`${r},`)).map(([r, t]) => `st.global.${t} [%l7], ${r};`),
  ]);
  return [
    ".version 9.0",
    `.target ${arch}`,
    ".address_size 64",
    ".visible .entry k(.param .b64 p) {",
    registers,
    ".shared .align 16 .b8 s[64];",
    "ld.param.b64 %l7, [p];",
    ...load,
    "ld.global.b64 %l0, [%l7+64];",
    "setp.eq.s32 %p0, %r0, 1;",
    ...body,
    "ret;",
    "}",
    "",
  ].join("\n");
}

/** Target → the folder of the corpus that is compiled for it. */
const sources: Readonly<Partial<Record<TargetName, string>>> = {
  sm_75: "sm_75",
  sm_80: "sm_75",
  sm_86: "sm_75",
  sm_89: "sm_75",
  sm_90: "sm_90",
  sm_100: "sm_100",
  sm_103: "sm_100",
  sm_110: "sm_100",
  sm_120: "sm_90",
  sm_121: "sm_100",
};

describeOracle("control words of -O0 are those of ptxas", () => {
  for (const [arch, source] of Object.entries(sources) as [TargetName, string][]) {
    test(`the starter corpus on ${arch}`, () => {
      const tally: Tally = { compared: 0, unknown: 0, different: {} };
      const folder = join(__dirname, "../corpus/ptx", source);
      inScratch((dir) => {
        for (const name of readdirSync(folder).sort()) {
          compare(compile(readFileSync(join(folder, name), "utf8"), arch, dir), arch, tally);
        }
      });
      expect(tally.different).toEqual({});
      expect(tally.unknown).toBe(0);
      expect(tally.compared).toBeGreaterThan(4500);
    });
    test(`${statements.length} other PTX instructions on ${arch}`, () => {
      const tally: Tally = { compared: 0, unknown: 0, different: {} };
      inScratch((dir) => compare(compile(mixed(arch), arch, dir), arch, tally));
      expect(tally.different).toEqual({});
      // The table need not have every instruction of these yet.
      expect(tally.unknown).toBeLessThan(3);
      expect(tally.compared).toBeGreaterThan(200);
    });
  }
});
