/**
 * What registers hold as sums: value ≡ constant + Σ coefficient · atom (mod 2^32), where an atom is something that is not
 * looked into: a special register, a word of a constant bank, half of a symbol's address, or a name (names.ts).
 *
 * Only low words are followed. That is enough to tell addresses apart: if two ranges of bytes overlap, their addresses
 * differ by less than their sizes, also modulo 2^32. So carries into upper words need no proof.
 *
 * Sums are made on demand, of the registers that addresses are made of. Every rule below holds for all values of the
 * operands; what has no rule is an atom. For an atom is kept which bits may be one, and its greatest value.
 */

import { sregName } from "../isa/sreg.js";
import { type Func, type Inst, Kind, Mod, type Operand, ZERO_REG } from "../ori/types.js";
import { popcount } from "./bits.js";
import type { Names } from "./names.js";
import { ANY, type Bits, below, combinations, combine, lowest, MOST, type Sum, spread } from "./sums.js";

/** What is not looked into: a term of sums. */
export interface Atom {
  /** A special register, a word of a constant bank, half of a symbol's address, or a name. */
  readonly what: "special" | "constant" | "symbol" | "name";
  /** Special register, bank, or name. */
  readonly id: number;
  /** Byte offset in the bank; 1 for a name as it is where its guard is true. */
  readonly offset: number;
  /** Name of the symbol, "" for other kinds. */
  readonly symbol: string;
  /** Bits that may be one. */
  readonly may: number;
  /** Greatest value, unsigned. */
  readonly most: number;
}

const MAX_TERMS = 6;
/** Names that are looked into below one another. */
const MAX_DEPTH = 128;

/** Sums of what the registers of a function hold, found on demand. */
export class Affine {
  /** All atoms found so far; terms of sums name them by index. */
  readonly atoms: Atom[] = [];
  private readonly atomOf = new Map<string, number>();
  private readonly known: (Sum | undefined)[];
  private readonly shapes = new Map<string, number>();
  /** What names hold where their guard is true. */
  private readonly inner = new Map<number, Sum>();
  private depth = 0;

  constructor(
    /** The function that is looked at. */
    readonly func: Func,
    /** Names of what its registers hold. */
    readonly names: Names,
  ) {
    this.known = new Array(names.count);
  }

  /** The sum that a name stands for. */
  of(name: number): Sum {
    const known = this.known[name];
    if (known !== undefined) return known;
    if (this.depth >= MAX_DEPTH) return this.opaque(name, ANY);
    this.depth++;
    const sum = this.evaluate(name);
    this.depth--;
    this.known[name] = sum;
    return sum;
  }

  /** The sum of `terms` (atom and coefficient in turn) and a constant, modulo 2^32; equal terms share a `shape`. */
  make(terms: readonly number[], constant: number): Sum {
    const key = terms.join();
    let shape = this.shapes.get(key);
    if (shape === undefined) {
      shape = this.shapes.size;
      this.shapes.set(key, shape);
    }
    return { terms, constant: constant | 0, shape };
  }

  /** A sum without terms. */
  number(value: number): Sum {
    return this.make([], value);
  }

  /** a + factor · b; null when it has too many terms. */
  add(a: Sum, b: Sum, factor: number): Sum | null {
    const terms = combine(a.terms, b.terms, factor);
    return terms.length > 2 * MAX_TERMS ? null : this.make(terms, (a.constant + Math.imul(b.constant, factor)) | 0);
  }

  /** The sum of what source `slot` of the instruction reads (its low word), null when it is not followed. */
  source(index: number, slot: number): Sum | null {
    const { flat } = this.names;
    const inst = flat.insts[index] as Inst;
    const o = inst.srcs[slot];
    if (o === undefined || (o.mods & (Mod.Abs | Mod.Not)) !== 0) return null;
    const plain = this.plain(index, slot, o);
    return plain === null || (o.mods & Mod.Neg) === 0 ? plain : this.add(this.number(0), plain, -1);
  }

  private plain(index: number, slot: number, o: Operand): Sum | null {
    switch (o.kind) {
      case Kind.None:
        return this.number(0);
      case Kind.Imm:
        return this.number(o.value);
      case Kind.Const:
        return this.constant(index, slot, 0);
      case Kind.Sym:
        return o.part === "32@lo"
          ? this.add(
              this.atom({ what: "symbol", id: 0, offset: 0, symbol: o.sym, may: -1, most: MOST }),
              this.number(o.value),
              1,
            )
          : null;
      case Kind.Reg:
        if (o.id === ZERO_REG) return this.number(0);
        return wholePart.has(o.part) ? this.read(index, slot) : null;
      default:
        return null;
    }
  }

  /** The sum of the first register of source `slot`, whatever part of it the operand names. */
  read(index: number, slot: number): Sum | null {
    const { flat, use, taken } = this.names;
    for (let u = flat.useStart[index] as number; u < (flat.useStart[index + 1] as number); u++)
      if (flat.useSlot[u] === slot) {
        const name = use[u] as number;
        return name < 0 ? null : taken[u] === 1 ? this.taken(name) : this.of(name);
      }
    return null;
  }

  /** A word of a constant bank; nothing writes those while a kernel runs. An index register must hold a known number. */
  private constant(index: number, slot: number, word: number): Sum | null {
    const o = (this.names.flat.insts[index] as Inst).srcs[slot];
    if (o === undefined || o.kind !== Kind.Const || o.id < 0) return null;
    let offset = o.value + 4 * word;
    if (o.index >= 0) {
      const by = this.read(index, slot);
      if (by === null || by.terms.length > 0) return null;
      offset += by.constant;
    }
    return this.atom({ what: "constant", id: o.id, offset, symbol: "", may: -1, most: MOST });
  }

  private atom(a: Atom): Sum {
    const key = `${a.what} ${a.id} ${a.offset} ${a.symbol}`;
    let n = this.atomOf.get(key);
    if (n === undefined) {
      n = this.atoms.length;
      this.atoms.push(a);
      this.atomOf.set(key, n);
    }
    return this.make([n, 1], 0);
  }

  private opaque(name: number, bits: Bits): Sum {
    return this.atom({ what: "name", id: name, offset: 0, symbol: "", may: bits.may, most: bits.most });
  }

  /** What a definition writes, whether it does so or not (a guard may be false). */
  written(name: number): Sum | null {
    const { entry, first, flat } = this.names;
    const d = entry[name];
    if (d === undefined) return null;
    const index = instOf(flat.defStart, d);
    const inst = flat.insts[index] as Inst;
    // Half a register keeps the rest of it.
    if (/^\.[HB]/.test(inst.dsts[flat.defSlot[d] as number]?.part ?? "")) return null;
    return this.value(inst, index, name - (first[d] as number));
  }

  /** What is read under the guard under which it was written. */
  private taken(name: number): Sum {
    let sum: Sum | null | undefined = this.inner.get(name);
    if (sum === undefined) {
      this.depth++;
      sum = this.depth > MAX_DEPTH ? null : this.written(name);
      this.depth--;
      sum ??= this.atom({ what: "name", id: name, offset: 1, symbol: "", may: -1, most: MOST });
      this.inner.set(name, sum);
    }
    return sum;
  }

  private evaluate(name: number): Sum {
    const { entry, first, before, flat } = this.names;
    const d = entry[name];
    if (d === undefined || before[name] !== -1) return this.opaque(name, ANY);
    const index = instOf(flat.defStart, d);
    const inst = flat.insts[index] as Inst;
    const word = name - (first[d] as number);
    const sum = this.value(inst, index, word);
    return sum ?? this.opaque(name, word === 0 ? this.bits(inst, index) : ANY);
  }

  // ------------------------------------------------------------------------------------------------ rules

  /** The sum of word `word` of the result, null for none. */
  private value(inst: Inst, index: number, word: number): Sum | null {
    const { op, mods } = inst.form;
    if (isZero(inst)) return this.number(0);
    if (op === "LDC" || op === "ULDC" || op === "LDCU") {
      return mods.every((m) => m === "64" || m === "128") ? this.constant(index, 0, word) : null;
    }
    if (word > 0) return null;
    switch (op) {
      case "MOV":
      case "UMOV":
        return this.move(inst, index);
      case "IADD3":
      case "UIADD3":
      case "IADD":
      case "UIADD":
      case "VIADD":
        // The carry of .X is no operand that is followed; .64 has the same low word.
        return mods.every((m) => m === "64" || m === "32") ? this.total(inst, index, ["a", "b", "c"]) : null;
      case "IMAD":
      case "UIMAD":
        return mods.every((m) => m === "U32" || m === "WIDE") ? this.product(inst, index) : null;
      case "LEA":
      case "ULEA":
        return mods.length === 0 ? this.shifted(inst, index) : null;
      case "SHF":
      case "USHF":
        return this.leftShift(inst, index);
      case "LOP3":
      case "ULOP3":
        return this.disjoint(inst, index);
      case "S2R":
      case "S2UR":
      case "CS2R":
      case "CS2UR":
        return this.special(inst);
      default:
        return null;
    }
  }

  private slot(inst: Inst, name: string): number {
    return inst.form.srcs.findIndex((s) => s.name === name);
  }

  private named(inst: Inst, index: number, name: string): Sum | null {
    return this.source(index, this.slot(inst, name));
  }

  private move(inst: Inst, index: number): Sum | null {
    if (inst.form.pseudo || inst.form.mods.some((m) => m !== "64")) return null;
    const mask = inst.srcs[this.slot(inst, "mask")];
    if (mask !== undefined && mask.kind === Kind.Imm && (mask.value & 15) !== 15) return null;
    return this.named(inst, index, "b");
  }

  private total(inst: Inst, index: number, slots: readonly string[]): Sum | null {
    let sum: Sum | null = this.number(0);
    for (const name of slots) {
      const at = this.slot(inst, name);
      if (at < 0) continue;
      const more = this.source(index, at);
      sum = sum === null || more === null ? null : this.add(sum, more, 1);
    }
    return sum;
  }

  private product(inst: Inst, index: number): Sum | null {
    const a = this.named(inst, index, "a");
    const b = this.named(inst, index, "b");
    const c = this.named(inst, index, "c");
    if (a === null || b === null || c === null) return null;
    if (a.terms.length === 0) return this.add(c, b, a.constant);
    if (b.terms.length === 0) return this.add(c, a, b.constant);
    return null;
  }

  private shifted(inst: Inst, index: number): Sum | null {
    const a = this.named(inst, index, "a");
    const b = this.named(inst, index, "b");
    const n = inst.srcs[this.slot(inst, "n")];
    if (a === null || b === null || n === undefined || n.kind !== Kind.Imm) return null;
    return this.add(b, a, 1 << (n.value & 31));
  }

  private leftShift(inst: Inst, index: number): Sum | null {
    const { mods } = inst.form;
    if (!mods.includes("L") || mods.includes("HI") || mods.includes("XOR")) return null;
    const n = this.shift(inst);
    const a = n < 0 ? null : this.named(inst, index, "a");
    return a === null ? null : this.add(this.number(0), a, 1 << n);
  }

  /** The distance of a shift by an immediate below 32, −1 for others. */
  private shift(inst: Inst): number {
    const b = inst.srcs[this.slot(inst, "b")];
    return b !== undefined && b.kind === Kind.Imm && b.value >>> 0 < 32 ? b.value : -1;
  }

  /** A logical function that, of the bits that may be one, gives the sum of some operands: never two of them at once. */
  private disjoint(inst: Inst, index: number): Sum | null {
    const operands = this.logic(inst, index);
    if (operands === null) return null;
    const { sums, lut } = operands;
    const possible = combinations(sums.map((s) => this.bitsOf(s)));
    for (let set = 0; set < 8; set++) {
      let fits = true;
      for (let t = 0; t < 8; t++) if (possible[t] !== 0 && ((lut >> t) & 1) !== popcount(t & set)) fits = false;
      if (!fits) continue;
      let total: Sum | null = this.number(0);
      for (let k = 0; k < 3; k++) {
        if (((set >> (2 - k)) & 1) === 0 || total === null) continue;
        const sum = sums[k] as Sum | null;
        total = sum === null ? null : this.add(total, sum, 1);
      }
      return total;
    }
    return null;
  }

  private logic(inst: Inst, index: number): { sums: (Sum | null)[]; lut: number } | null {
    const lut = inst.srcs[this.slot(inst, "lut")];
    if (lut === undefined || lut.kind !== Kind.Imm) return null;
    return { sums: ["a", "b", "c"].map((name) => this.named(inst, index, name)), lut: lut.value & 255 };
  }

  private special(inst: Inst): Sum | null {
    const s = inst.srcs[0];
    if (s === undefined || s.kind !== Kind.Sreg) return null;
    const most = this.greatest(sregName(s.id));
    if (most < 0) return null;
    return this.atom({ what: "special", id: s.id, offset: 0, symbol: "", may: below(most), most });
  }

  /** Greatest value of a special register that never changes for a thread, −1 for others. */
  private greatest(name: string): number {
    const { limits, target } = this.func;
    const axis = ["SR_TID.X", "SR_TID.Y", "SR_TID.Z"].indexOf(name);
    if (axis >= 0) {
      const required = limits.reqntid;
      if (required !== null) return Math.max(1, required[axis] as number) - 1;
      // `.maxntid` bounds the product only.
      const product = limits.maxntid?.reduce((n, m) => n * Math.max(1, m), 1) ?? target.limits.maxThreadsPerCta;
      return Math.min(product, axis === 2 ? 64 : 1024) - 1;
    }
    if (name === "SR_LANEID") return 31;
    return /^SR_CTAID\.[XYZ]$/.test(name) || name === "SR_CgaCtaId" ? MOST : -1;
  }

  // ------------------------------------------------------------------------------------------------ bits

  /** What is known of the low word of a result that is no sum. */
  private bits(inst: Inst, index: number): Bits {
    const { op, mods } = inst.form;
    if (op === "LOP3" || op === "ULOP3") {
      const operands = this.logic(inst, index);
      if (operands === null) return ANY;
      const possible = combinations(operands.sums.map((s) => this.bitsOf(s)));
      return spread(possible.reduce((may, places, t) => (((operands.lut >> t) & 1) === 1 ? may | places : may), 0));
    }
    if ((op === "SHF" || op === "USHF") && mods.includes("R") && mods.includes("U32") && mods.includes("HI")) {
      const n = this.shift(inst);
      const c = n < 0 ? null : this.named(inst, index, "c");
      if (n < 0) return ANY;
      const { may, most } = this.bitsOf(c);
      return { may: may >>> n, most: most >>> n, must: 0 };
    }
    if (op === "SGXT" && mods.includes("U32")) {
      const b = inst.srcs[this.slot(inst, "b")];
      if (b !== undefined && b.kind === Kind.Imm && b.value >>> 0 < 32) return spread((1 << b.value) - 1);
    }
    return ANY;
  }

  /** Bits of a sum that may be one, and its greatest value; null: nothing is known. */
  bitsOf(sum: Sum | null): Bits {
    if (sum === null) return ANY;
    const { terms, constant } = sum;
    if (terms.length === 0) return { may: constant, most: constant >>> 0, must: constant };
    let most = constant >>> 0;
    let low = constant;
    let may = 0;
    for (let k = 0; k < terms.length; k += 2) {
      const atom = this.atoms[terms[k] as number] as Atom;
      const factor = terms[k + 1] as number;
      low |= lowest(atom.may) * lowest(factor);
      most += factor > 0 ? atom.most * factor : Number.POSITIVE_INFINITY;
      may = Math.imul(atom.may, factor);
    }
    const alignment = lowest(low | 0);
    // One atom times a power of two keeps its bits in their places.
    const single = terms.length === 2 && constant === 0 && ((terms[1] as number) & ((terms[1] as number) - 1)) === 0;
    const above = most > MOST ? -1 : below(most);
    const fits = single ? above & may : above;
    return { may: alignment === 0 ? 0 : fits & -alignment, most: Math.min(most, MOST), must: 0 };
  }
}

/** `CS2R R2, SRZ`. */
function isZero(inst: Inst): boolean {
  const s = inst.srcs[0];
  return s !== undefined && s.kind === Kind.Sreg && sregName(s.id) === "SRZ";
}

/** Parts of an operand that mean the whole register. */
const wholePart: ReadonlySet<string> = new Set(["", ".64", ".U32"]);

/** The instruction whose range of entries holds `entry`. */
export function instOf(start: Int32Array, entry: number): number {
  let low = 0;
  let high = start.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((start[middle] as number) <= entry) low = middle;
    else high = middle;
  }
  return low;
}
