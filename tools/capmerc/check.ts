/** Derived capsules beside ptxas's, and for how many of our own functions there is one. */
import { EIATTR } from "../../lib/elf/cubin/attributes.js";
import { writeCapsule } from "../../lib/elf/cubin/capmerc.js";
import { bodyLength, capsuleOf, type DerivedCapsule } from "../../lib/elf/cubin/capmerc-derive.js";
import { decodeInfo, infoWords } from "../../lib/elf/cubin/info.js";
import { decodeCode, renderInst } from "../../lib/sass/index.js";
import { type TargetName, target as targetOf } from "../../lib/target/index.js";
import { CAPSULE, finalizing, functionsOf, linked, MOST, replaced, sectionsOf, sizesOf, wordsOf } from "./objects.js";
import type { OwnObject } from "./own.js";

/** What became of the functions of some objects. */
export class Count {
  private functions = 0;
  /** Every item follows from the words alone. */
  private sure = 0;
  /** Words for which ptxas writes several items had the most frequent. */
  private likely = 0;
  private other = 0;
  private exits = 0;
  private wrongExits = 0;
  readonly wrong: string[] = [];
  /** Functions of our own without a capsule, and the instruction that is not known. */
  private readonly refused: string[] = [];
  /** Objects of our own compiler that nvlink finalized; what it said; where its words are others, by our first such word. */
  private objects = 0;
  private readonly said = new Map<string, number>();
  private readonly changed = new Map<string, number>();
  private readonly unknown = new Map<string, number>();
  /** Functions of our own whose Mercury instructions have the sizes that nvlink says, and the first that has not of each other. */
  private sized = 0;
  private readonly otherSizes = new Map<string, number>();

  ptxas(file: Uint8Array, arch: TargetName): void {
    const sections = sectionsOf(file);
    const { paramBase } = targetOf(arch).constants;
    for (const f of functionsOf(sections)) {
      this.functions++;
      const index = new DataView(f.capsule.buffer, f.capsule.byteOffset).getUint32(0, true);
      const same = (c: DerivedCapsule): boolean => Buffer.from(writeCapsule(c)).equals(Buffer.from(f.capsule));
      const sure = capsuleOf(f.words, index, { paramBase });
      if (!("unknown" in sure)) {
        if (same(sure)) this.sure++;
        else this.wrong.push(`${f.name}${firstDifference(f, sure)}`);
        this.addresses(sections, f.name, sure);
        continue;
      }
      const likely = capsuleOf(f.words, index, { paramBase, likely: true });
      if ("unknown" in likely) this.refuse(f.words, likely.unknown, arch);
      else if (same(likely)) this.likely++;
      else this.other++;
    }
  }

  /** `dir`: nvlink must take the object without a word and make the same words when it goes by the capsules. */
  own(object: OwnObject, arch: TargetName, dir: string): void {
    const { paramBase } = targetOf(arch).constants;
    const sections = sectionsOf(object.file);
    const said = linked(dir, object.file, arch.slice(3));
    this.objects++;
    if (typeof said === "string") this.heard(said);
    else if ([...sections.keys()].some((s) => s.startsWith(CAPSULE)))
      this.finalized(sections, object.file, said, arch, dir);
    const sizes = typeof said === "string" ? said : sizesOf(dir, object.file, arch.slice(3));
    // As the compiler decides: one function that calls changes the numbers of gathered instructions in all.
    for (const [section, data] of sections) {
      if (!section.startsWith(".text.")) continue;
      this.functions++;
      const words = wordsOf(data);
      const derived = capsuleOf(words, 0, { paramBase, compiled: true });
      if (!("unknown" in derived)) {
        this.sure++;
        const told = typeof sizes === "string" ? undefined : sizes.get(section.slice(".text.".length));
        if (told !== undefined && told.length > 0 && (words.length / 4) * 2 <= MOST)
          this.sizesAgree(words, derived, told, arch);
      } else {
        this.refuse(words, derived.unknown, arch);
        const name = section.slice(".text.".length);
        this.refused.push(`${object.names.get(name) ?? name}: ${this.text(words, derived.unknown, arch)}`);
      }
    }
  }

  /** Instructions begin where nvlink finds them. */
  private sizesAgree(words: Uint32Array, derived: DerivedCapsule, sizes: readonly number[], arch: TargetName): void {
    const starts = new Set([0]);
    let at = 0;
    for (const size of sizes) {
      at += size;
      starts.add(at);
    }
    const wrong = derived.addresses.subarray(0, bodyLength(words)).findIndex((a) => !starts.has(a));
    const ours = new Set(derived.addresses.subarray(0, bodyLength(words) + 1));
    const missing = [...starts].find((s) => s < at && s < derived.addresses[bodyLength(words)]! && !ours.has(s));
    if (wrong < 0 && missing === undefined) {
      this.sized++;
      return;
    }
    // The word before is the one with another size.
    const word = Math.max(0, (wrong < 0 ? derived.addresses.findIndex((a) => a > missing!) : wrong) - 1);
    const name = this.text(words, word, arch);
    this.otherSizes.set(name, (this.otherSizes.get(name) ?? 0) + 1);
  }

  private heard(said: string): void {
    const text = said.split("\n")[0]!.replace(/ '?\S*\/l\.o'?/g, "");
    this.said.set(text, (this.said.get(text) ?? 0) + 1);
  }

  private finalized(
    sections: ReadonlyMap<string, Uint8Array>,
    file: Uint8Array,
    plain: Uint8Array,
    arch: TargetName,
    dir: string,
  ): void {
    const made = linked(dir, replaced(file, finalizing(sections)), arch.slice(3));
    if (typeof made === "string") {
      this.heard(made);
      return;
    }
    const expected = sectionsOf(plain);
    for (const [section, data] of sectionsOf(made)) {
      if (!section.startsWith(".text.")) continue;
      const [a, b] = [wordsOf(expected.get(section)!), wordsOf(data)];
      const i = differs(a, b);
      if (i >= 0) this.changed.set(this.text(a, i, arch), (this.changed.get(this.text(a, i, arch)) ?? 0) + 1);
    }
  }

  private text(words: Uint32Array, at: number, arch: TargetName): string {
    const { isa } = targetOf(arch);
    const inst = decodeCode(words.subarray(at * 4, at * 4 + 4), targetOf(arch))[0] ?? null;
    const text = inst === null ? `opcode ${(words[at * 4]! & 0xfff).toString(16)}` : renderInst(inst, { isa });
    return text.replace(/^@\S+ /, "").split(" ")[0]!;
  }

  private refuse(words: Uint32Array, at: number, arch: TargetName): void {
    const name = this.text(words, at, arch);
    this.unknown.set(name, (this.unknown.get(name) ?? 0) + 1);
  }

  /** EXIT_INSTR_OFFSETS of both descriptions of a function. */
  private addresses(file: ReadonlyMap<string, Uint8Array>, name: string, c: DerivedCapsule): void {
    const offsets = (section: string): number[] => {
      const records = decodeInfo(file.get(section) ?? new Uint8Array(0));
      if (!records.ok) throw new Error(`${section}: unreadable`);
      return records.value.filter((r) => r.code === EIATTR.EXIT_INSTR_OFFSETS).flatMap(infoWords);
    };
    const mercury = offsets(`.nv.merc.nv.info.${name}`);
    offsets(`.nv.info.${name}`).forEach((plain, i) => {
      this.exits++;
      if (c.addresses[plain / 16] !== mercury[i]) this.wrongExits++;
    });
  }

  printOwn(head: string): void {
    console.log(
      `${head}: ${this.sure} of ${this.functions} functions known${this.refusals()}; nvlink finalized ${this.objects} objects, said ${[...this.said].map(([text, n]) => `${n} times "${text}"`).join(", ") || "nothing"}, made other words of ${[...this.changed].map(([name, n]) => `${name} ${n}`).join(", ") || "none"}, sizes as nvlink's in ${this.sized}, others at ${[...this.otherSizes].map(([name, n]) => `${name} ${n}`).join(", ") || "none"}${this.refused.map((r) => `\n  ${r}`).join("")}`,
    );
  }

  print(head: string): void {
    const { functions, sure, likely, other, wrong, exits, wrongExits } = this;
    const refused = functions - sure - likely - other - wrong.length;
    const at = exits > 0 ? `; EXIT elsewhere at ${wrongExits} of ${exits} addresses` : "";
    console.log(
      `${head}: ${functions} functions, ${sure} the same, ${wrong.length} wrong; undecided by the words: ${likely} the same by the most frequent item, ${other} other; ${refused} refused${this.refusals()}${at}${wrong.map((w) => `\n  wrong: ${w}`).join("")}`,
    );
  }

  private refusals(): string {
    const list = [...this.unknown].sort((a, b) => b[1] - a[1]).map(([name, n]) => `${name} ${n}`);
    return list.length === 0 ? "" : ` (first: ${list.join(", ")})`;
  }
}

/** The first word of `a` that is not in `b`, control words aside; −1 if none. */
function differs(a: Uint32Array, b: Uint32Array): number {
  const end = bodyLength(a);
  for (let i = 0; i < end; i++)
    for (let k = 0; k < 4; k++) if (((a[i * 4 + k]! ^ (b[i * 4 + k] ?? 0)) & (k === 3 ? 0x1ff : -1)) !== 0) return i;
  return -1;
}

function firstDifference(
  f: { units: readonly { first: number; item: Uint8Array | null }[]; words: Uint32Array },
  c: DerivedCapsule,
): string {
  const text = (item: Uint8Array | null | undefined): string =>
    item === undefined ? "nothing" : item === null ? "1" : Buffer.from(item).toString("hex");
  const i = f.units.findIndex((u, k) => u.first !== c.units[k]?.first || text(u.item) !== text(c.units[k]?.item));
  const u = f.units[i];
  if (u === undefined) return "";
  const word = [3, 2, 1, 0].map((k) => f.words[u.first * 4 + k]!.toString(16).padStart(8, "0")).join("");
  return ` word ${u.first} ${word}: ${text(c.units[i]?.item)}, not ${text(u.item)}`;
}
