/** Where the code of a function has gone: old byte offsets to new ones. */
import { encodeLifted, type LiftedCode, placeOf, relocsOf } from "../encode.js";
import type { Lifted } from "../types.js";

export class CodeMap {
  readonly code: LiftedCode;
  /** Some instruction stands elsewhere, or is gone. */
  readonly moved: boolean;
  readonly changed: boolean;
  private readonly oldSize: number;

  constructor(readonly lifted: Lifted) {
    this.code = encodeLifted(lifted);
    const { words } = lifted.source;
    this.oldSize = 4 * words.length;
    this.changed = words.length !== this.code.words.length || words.some((w, i) => w !== this.code.words[i]);
    this.moved = this.anyMoved();
  }

  /** Bytes of the new section. */
  get size(): number {
    return 4 * this.code.words.length;
  }

  private anyMoved(): boolean {
    const { lifted, code } = this;
    if (code.words.length !== lifted.source.words.length) return true;
    for (let id = 0; 16 * id < lifted.tailOffset; id++) if (code.offsets[id] !== 16 * id) return true;
    for (const [offset, block] of lifted.blockAt) if (code.labels[block] !== offset) return true;
    return false;
  }

  /** New offset of the instruction that stood at `offset`; −1 when it is gone. */
  inst(offset: number): number {
    const { tailOffset } = this.lifted;
    if (offset >= tailOffset) return Math.min(this.size, this.code.tailOffset + offset - tailOffset);
    return this.code.offsets[offset >> 4] ?? -1;
  }

  /** New offset of a place that code is entered at or that ends a symbol; −1 when it cannot be told. */
  place(offset: number): number {
    if (offset === this.oldSize) return this.size;
    if (offset >= this.lifted.tailOffset) return this.inst(offset);
    const block = this.lifted.blockAt.get(offset);
    return block === undefined ? this.inst(offset) : (this.code.labels[block] ?? -1);
  }

  /** New offset after the instruction before `offset`, or the nearest before it that is still there. */
  after(offset: number): number {
    for (let before = offset - 16; before >= 0; before -= 16) {
      const at = this.inst(before);
      if (at >= 0) return at + 16;
    }
    return 0;
  }

  /** Instructions in their new order: id of the source instruction that each is or copies (−1 for new ones). */
  order(): Int32Array {
    const { func, tailOffset, source } = this.lifted;
    const count = tailOffset >> 4;
    const out = new Int32Array(this.code.words.length >> 2).fill(-1);
    let n = 0;
    for (const b of func.blocks)
      for (const inst of b.insts) {
        out[n++] = inst.id < count ? inst.id : inst.origin >= 0 && inst.origin < count ? inst.origin : -1;
      }
    for (let i = count; 4 * i < source.words.length && n < out.length; i++) out[n++] = i;
    return out;
  }

  /** Relocations of the section in the order of the new code, offsets and addends new. */
  relocations(): NewReloc[] {
    const { lifted, code } = this;
    const out: NewReloc[] = [];
    for (const b of lifted.func.blocks)
      for (const inst of b.insts)
        for (const r of relocsOf(lifted, inst)) {
          const target = r.target === null ? null : placeOf(r.target, code.offsets, lifted) - r.symbol.value;
          out.push({
            from: r.offset,
            offset: code.offsets[inst.id]! + (r.offset & 15),
            type: r.type,
            symbol: r.symbol.index,
            addend: target,
          });
        }
    return out;
  }
}

export interface NewReloc {
  /** Offset of the relocation that it comes from. */
  readonly from: number;
  readonly offset: number;
  readonly type: number;
  readonly symbol: number;
  /** New addend where it names a place of this code; null: as it was. */
  readonly addend: number | null;
}
