/**
 * node tools/run-ts.cjs tools/capmerc.ts [--ours] [sm_100 …]: Mercury capsules derived from the words of ptxas's `-c` objects of the
 * corpus beside the capsules in them, byte for byte; with `--ours`, for how many of ptxlab's own functions every item is known.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { writeCapsule } from "../lib/elf/cubin/capmerc.js";
import { capsuleOf } from "../lib/elf/cubin/capmerc-derive.js";
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
  readonly unknown = new Map<string, number>();

  /** `expected` null: only whether every item is known. */
  take(name: string, words: Uint32Array, arch: TargetName, expected: Uint8Array | null): void {
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
    } else if (expected === null || Buffer.from(writeCapsule(mine)).equals(expected)) this.equal++;
    else this.wrong.push(name);
  }

  print(head: string, what: string): void {
    const unknown = [...this.unknown].map(([text, n]) => `${text} ${n}`).join(", ");
    console.log(
      `${head}: ${this.equal} of ${this.all} functions ${what}; wrong: ${this.wrong.join(" ") || "none"}; first unknown: ${unknown || "none"}`,
    );
  }
}

function theirs(dir: string, text: string, arch: string, level: number): Uint8Array {
  writeFileSync(join(dir, "k.ptx"), text);
  const ran = tool("ptxas", ["-c", `-arch=${arch}`, `-O${level}`, "k.ptx", "-o", "k.o"], { cwd: dir });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return readFileSync(join(dir, "k.o"));
}

const ours = process.argv.includes("--ours");
const asked = process.argv.slice(2).filter((a) => a.startsWith("sm_"));
const archs = (asked.length > 0 ? asked : ["sm_100", "sm_103", "sm_110", "sm_120", "sm_121"]) as TargetName[];
for (const arch of archs)
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
      for (const [section, data] of file)
        if (section.startsWith(CAPSULE)) {
          const kernel = section.slice(CAPSULE.length);
          count.take(kernel, wordsOf(file.get(`.text.${kernel}`)!), arch, data);
        }
    }
    count.print(`${arch} -O${level}`, ours ? "known" : "equal");
  }
