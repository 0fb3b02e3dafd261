/**
 * node tools/run-ts.cjs tools/capmerc.ts [--ours] [sm_100 …]: Mercury capsules derived from the words of ptxas's `-c` objects of the
 * corpus beside the capsules in them, byte for byte, and the Mercury addresses of EXIT beside theirs; with `--ours`, for how many of
 * ptxlab's own functions every item is known. With FILE.o … instead: the same of these objects of ptxas (its targets have one base
 * of parameters).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { EIATTR } from "../lib/elf/cubin/attributes.js";
import { writeCapsule } from "../lib/elf/cubin/capmerc.js";
import { capsuleOf } from "../lib/elf/cubin/capmerc-derive.js";
import { decodeInfo, infoWords } from "../lib/elf/cubin/info.js";
import { readElf } from "../lib/elf/elf64.js";
import { decodeCode, renderInst } from "../lib/sass/index.js";
import { type TargetName, target as targetOf } from "../lib/target/index.js";
import { corpus, corpusPtx } from "../test/corpus/cases.js";
import { inScratch, tool } from "../test/oracle/tools.js";

const CAPSULE = ".nv.capmerc.text.";

function sections(file: Uint8Array): Map<string, Uint8Array> {
  const elf = readElf(file);
  if (!elf.ok) throw new Error(elf.diagnostics[0]!.message);
  return new Map(elf.value.sections.map((s) => [s.name, s.data]));
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.slice().buffer);
}

class Count {
  equal = 0;
  all = 0;
  readonly wrong: string[] = [];
  exits = 0;
  allExits = 0;
  readonly unknown = new Map<string, number>();

  /** `expected` null: only whether every item is known. `exits`: where EXITs stand by ptxas, in machine code and in Mercury. */
  take(
    name: string,
    words: Uint32Array,
    arch: TargetName,
    expected: Uint8Array | null,
    exits: readonly (readonly [plain: number, mercury: number])[] = [],
  ): void {
    this.all++;
    const target = targetOf(arch);
    const index = expected === null ? 0 : new DataView(expected.buffer, expected.byteOffset).getUint32(0, true);
    const mine = capsuleOf(words, index, {
      paramBase: target.constants.paramBase,
      compiled: expected === null,
    });
    if ("unknown" in mine) {
      const inst = decodeCode(words.subarray(mine.unknown * 4, mine.unknown * 4 + 4), target)[0] ?? null;
      const text =
        inst === null
          ? "?"
          : renderInst(inst, { isa: target.isa })
              .replace(/^@\S+ /, "")
              .split(" ")[0]!;
      this.unknown.set(text, (this.unknown.get(text) ?? 0) + 1);
    } else {
      for (const [plain, mercury] of exits) {
        this.allExits++;
        if (mine.addresses[plain / 16] === mercury) this.exits++;
      }
      if (expected === null || Buffer.from(writeCapsule(mine)).equals(expected)) this.equal++;
      else this.wrong.push(name);
    }
  }

  print(head: string, what: string): void {
    const unknown = [...this.unknown].map(([text, n]) => `${text} ${n}`).join(", ");
    const exits = this.allExits > 0 ? `; EXIT at ${this.exits} of ${this.allExits} addresses` : "";
    console.log(
      `${head}: ${this.equal} of ${this.all} functions ${what}; wrong: ${this.wrong.join(" ") || "none"}; first unknown: ${unknown || "none"}${exits}`,
    );
  }
}

function theirs(dir: string, text: string, arch: string, level: number): Uint8Array {
  writeFileSync(join(dir, "k.ptx"), text);
  const ran = tool("ptxas", ["-c", `-arch=${arch}`, `-O${level}`, "k.ptx", "-o", "k.o"], { cwd: dir });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return readFileSync(join(dir, "k.o"));
}

/** EXIT_INSTR_OFFSETS of both descriptions of a function. */
function exitsOf(file: ReadonlyMap<string, Uint8Array>, kernel: string): [number, number][] {
  const offsets = (section: string): number[] => {
    const records = decodeInfo(file.get(section) ?? new Uint8Array(0));
    if (!records.ok) throw new Error(`${section}: unreadable`);
    return records.value.filter((r) => r.code === EIATTR.EXIT_INSTR_OFFSETS).flatMap(infoWords);
  };
  const mercury = offsets(`.nv.merc.nv.info.${kernel}`);
  return offsets(`.nv.info.${kernel}`).map((plain, i) => [plain, mercury[i]!]);
}

function takeAll(count: Count, file: ReadonlyMap<string, Uint8Array>, arch: TargetName): void {
  for (const [section, data] of file) {
    if (!section.startsWith(CAPSULE)) continue;
    const kernel = section.slice(CAPSULE.length);
    count.take(kernel, wordsOf(file.get(`.text.${kernel}`)!), arch, data, exitsOf(file, kernel));
  }
}

const objects = process.argv.slice(2).filter((a) => a.endsWith(".o"));
if (objects.length > 0) {
  const count = new Count();
  for (const path of objects) takeAll(count, sections(readFileSync(path)), "sm_100");
  count.print(`${objects.length} objects`, "equal");
}
const ours = process.argv.includes("--ours");
const asked = process.argv.slice(2).filter((a) => a.startsWith("sm_"));
const archs = (asked.length > 0 ? asked : ["sm_100", "sm_103", "sm_110", "sm_120", "sm_121"]) as TargetName[];
for (const arch of objects.length > 0 ? [] : archs)
  for (const level of [0, 1, 3]) {
    const count = new Count();
    for (const { name } of corpus) {
      const text = corpusPtx(name, "sm_100").replace(/\.target sm_100\b/, `.target ${arch}`);
      if (ours) {
        const made = compile(text, { target: arch, opt: level, relocatable: true });
        if (made.cubin === null) continue;
        for (const [section, data] of sections(made.cubin))
          if (section.startsWith(".text.")) count.take(section.slice(6), wordsOf(data), arch, null);
        continue;
      }
      const file = sections(inScratch((dir) => theirs(dir, text, arch, level)));
      takeAll(count, file, arch);
    }
    count.print(`${arch} -O${level}`, ours ? "known" : "equal");
  }
