/**
 * Mercury capsules. ptxas says what they hold; nvlink, which finalizes sm_100 for sm_103 when `.nv.compat` does not excuse it, says
 * what they mean.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCapsule, writeCapsule } from "../../lib/elf/cubin/capmerc";
import { bodyLength, capsuleOf } from "../../lib/elf/cubin/capmerc-derive";
import { type Elf, readElf } from "../../lib/elf/elf64";
import { type TargetName, target } from "../../lib/target/index";
import { logicModules } from "../../tools/capmerc/logic";
import { functionsOf, sectionsOf, sizesOf } from "../../tools/capmerc/objects";
import { logicObject } from "../../tools/capmerc/own";
import { corpusPtx } from "../corpus/cases";
import { describeOracle, inScratch, tool } from "./tools";

const CAPSULE = ".nv.capmerc.text.";
const archs: readonly TargetName[] = ["sm_100", "sm_103", "sm_110", "sm_120", "sm_121"];

function readObject(file: Uint8Array): Elf {
  const elf = readElf(file);
  if (!elf.ok) throw new Error(elf.diagnostics[0]!.message);
  return elf.value;
}

function section(elf: Elf, name: string): Uint8Array {
  return elf.sections.find((s) => s.name === name)!.data;
}

function words(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.slice().buffer);
}

function object(dir: string, name: string, arch: string, level: number): Buffer {
  const ptx = corpusPtx(name, "sm_100").replace(/\.target sm_100\b/, `.target ${arch}`);
  writeFileSync(join(dir, "k.ptx"), ptx);
  const ran = tool("ptxas", ["-c", `-arch=${arch}`, `-O${level}`, "k.ptx", "-o", "k.o"], { cwd: dir });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return readFileSync(join(dir, "k.o"));
}

describeOracle("Mercury capsules", () => {
  test.each(archs)("%s: derived from ptxas's words, they equal ptxas's, or the words do not tell", (arch) => {
    const { paramBase } = target(arch).constants;
    let likely = 0;
    inScratch((dir) => {
      for (const name of ["saxpy", "sgemm", "dgemm", "histogram", "local_array", "struct_param", "constant_memory"])
        for (const level of [0, 3]) {
          const elf = readObject(object(dir, name, arch, level));
          const theirs = section(elf, CAPSULE + name);
          const read = readCapsule(theirs)!;
          expect(Buffer.from(writeCapsule(read))).toEqual(Buffer.from(theirs));
          const text = section(elf, `.text.${name}`);
          expect(read.units.reduce((n, u) => n + u.words, 0) * 16).toBe(text.length);
          const sure = capsuleOf(words(text), read.textSection, { paramBase });
          if (!("unknown" in sure)) expect(Buffer.from(writeCapsule(sure))).toEqual(Buffer.from(theirs));
          // A plain MOV or LDS stands for several things that PTX can say; the most frequent is nearly always meant.
          const most = capsuleOf(words(text), read.textSection, { paramBase, likely: true });
          if (!("unknown" in most) && Buffer.from(writeCapsule(most)).equals(Buffer.from(theirs))) likely++;
        }
    });
    expect(likely).toBeGreaterThanOrEqual(11);
  });

  test("every logic table of LOP3, with a zero or not, in our own code: instructions begin where nvlink finds them", () => {
    const arch: TargetName = "sm_103";
    const { paramBase } = target(arch).constants;
    inScratch((dir) => {
      for (const text of logicModules("103", [false])) {
        if (!/lop3\.b32 %r3, (%r0, %r1, (%r2|0)|0, %r1, 0),/.test(text)) continue;
        const file = logicObject(text, arch, 1);
        const sizes = sizesOf(dir, file, "103");
        if (typeof sizes === "string") throw new Error(sizes);
        for (const { name, words: code } of functionsOf(sectionsOf(file))) {
          const derived = capsuleOf(code, 1, { paramBase, compiled: true });
          if ("unknown" in derived) throw new Error(`${name}: word ${derived.unknown}`);
          let at = 0;
          const starts = [0, ...sizes.get(name)!.map((size) => (at += size))];
          const own = [...new Set(derived.addresses.subarray(0, bodyLength(code)))];
          expect(own).toEqual(starts.slice(0, own.length));
        }
      }
    });
  });

  /** The text that nvlink makes for `arch` when it must finalize; `change` is made to the capsule. */
  function finalized(dir: string, arch: string, change: (capsule: Uint8Array) => void): Uint8Array {
    const bytes = object(dir, "saxpy", "sm_100", 0);
    const elf = readObject(bytes);
    const compat = elf.sections.find((s) => s.name === ".nv.compat")!;
    // CAN_FASTPATH_FINALIZE (0x0b) is the last attribute.
    const value = compat.offset + compat.size - 8;
    expect([...bytes.subarray(value - 4, value)]).toEqual([4, 0x0b, 8, 0]);
    bytes.writeUInt32LE(0, value);
    const capsule = elf.sections.find((s) => s.name === `${CAPSULE}saxpy`)!;
    change(bytes.subarray(capsule.offset, capsule.offset + capsule.size));
    writeFileSync(join(dir, "k.o"), bytes);
    const ran = tool("nvlink", [`-arch=${arch}`, "k.o", "-o", "k.cubin"], { cwd: dir });
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    return section(readObject(readFileSync(join(dir, "k.cubin"))), ".text.saxpy");
  }

  test("nvlink makes the words of sm_103 from the items: the same as ptxas's, or another register where the item says so", () => {
    inScratch((dir) => {
      const plain = words(section(readObject(object(dir, "saxpy", "sm_100", 0)), ".text.saxpy"));
      const same = words(finalized(dir, "sm_103", () => {}));
      // Symbols of the driver are filled in by nvlink, so only opcodes and registers are compared.
      expect(same.map((w, i) => (i % 4 === 0 ? w : 0))).toEqual(plain.map((w, i) => (i % 4 === 0 ? w : 0)));
      let unit = -1;
      const changed = words(
        finalized(dir, "sm_103", (capsule) => {
          const { units } = readCapsule(capsule)!;
          unit = units.findIndex((u) => (plain[u.first * 4]! & 0xfff) === 0x919);
          const { item } = units[unit]!;
          // S2R: the register's number stands from bit 86 on.
          item![10]! &= 0x3f;
          item![11] = 50 >> 2;
          item![10]! |= (50 & 3) << 6;
        }),
      );
      expect([(plain[unit * 4]! >> 16) & 0xff, (changed[unit * 4]! >> 16) & 0xff]).toEqual([
        (same[unit * 4]! >> 16) & 0xff,
        50,
      ]);
    });
  });
});
