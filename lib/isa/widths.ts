/**
 * Widths that a slot or one modifier group cannot say (`widths` of a row): several modifiers together, the ones of a mask
 * operand, the dimension of a texture. Modifiers are applied when a form is made, operands when an instruction is decoded
 * or parsed.
 */
import { InternalError } from "../errors.js";
import type { Operand } from "./operand.js";
import type { Slot } from "./syntax.js";
import type { Form } from "./types.js";

/** `.2CTA c=8`: the slot's width under modifiers. */
interface ByMods {
  readonly mods: readonly string[];
  readonly slot: string;
  readonly op: string;
  readonly n: number;
}

/** `d2#4:4`: as many registers as there are ones in bits 7:4 of slot `mask`, and no more than the form says. */
interface ByMask {
  readonly isDst: boolean;
  readonly index: number;
  readonly mask: number;
  readonly lo: number;
  readonly bits: number;
  /** Ones that belong to another operand. */
  readonly less: number;
}

/** `.LC a@2,3,4`: registers by the value of slot `dim` or `what`; the last whose modifiers are there counts. */
interface ByDimension {
  readonly mods: readonly string[];
  readonly isDst: boolean;
  readonly index: number;
  readonly dim: number;
  readonly counts: readonly number[];
}

export interface Widths {
  readonly mods: readonly ByMods[];
  readonly masks: readonly ByMask[];
  readonly dims: readonly ByDimension[];
  /** Operands say something. */
  readonly open: boolean;
}

const none: Widths = { mods: [], masks: [], dims: [], open: false };

export function parseWidths(text: string | undefined, slots: readonly Slot[]): Widths {
  if (text === undefined) return none;
  const mods: ByMods[] = [];
  const masks: ByMask[] = [];
  const dims: ByDimension[] = [];
  const indexOf = (name: string): number => {
    const s = slots.find((x) => x.name === name);
    if (s === undefined || s.isDst) throw new InternalError(`instruction table: widths need a source "${name}"`);
    return s.index;
  };
  for (const part of text.split("; ")) {
    const words = part.split(" ");
    const conditions = words.filter((w) => w.startsWith(".")).flatMap((w) => w.slice(1).split("."));
    for (const w of words.filter((x) => !x.startsWith("."))) {
      const m = /^([a-z]\w*)(?:([=+*-])(\d+)|#(\d+):(\d+)(?:-(\d+))?|@([\d,]+))$/.exec(w);
      const slot = slots.find((s) => s.name === m?.[1]);
      if (!m || slot === undefined) throw new InternalError(`instruction table: bad width "${w}"`);
      const { isDst, index, name } = slot;
      if (m[2]) mods.push({ mods: conditions, slot: name, op: m[2], n: Number(m[3]) });
      else if (m[7])
        dims.push({
          mods: conditions,
          isDst,
          index,
          dim: indexOf(slots.some((s) => s.name === "dim") ? "dim" : "what"),
          counts: m[7].split(",").map(Number),
        });
      else {
        const [lo, bits, less] = [Number(m[4]), Number(m[5]), Number(m[6] ?? 0)];
        masks.push({ isDst, index, mask: indexOf("mask"), lo, bits, less });
      }
    }
  }
  return { mods, masks, dims, open: masks.length > 0 || dims.length > 0 };
}

/** `?4` names U4 and S4. */
const isNamed = (name: string, mod: string): boolean =>
  name === mod || (name.startsWith("?") && mod.length === name.length && mod.endsWith(name.slice(1)));

/** Are all of the first among the second, one as often as it is named? */
const under = (named: readonly string[], mods: readonly string[]): boolean =>
  named.every((m, i) => {
    const times = named.slice(0, i + 1).filter((x) => x === m).length;
    return mods.filter((mod) => isNamed(m, mod)).length >= times;
  });

/** Width of a slot of a form with these modifiers. */
export function widthUnder(widths: Widths, slot: string, width: number, mods: readonly string[]): number {
  let n = width;
  for (const w of widths.mods) {
    if (w.slot !== slot || !under(w.mods, mods)) continue;
    n = w.op === "=" ? w.n : w.op === "+" ? n + w.n : w.op === "-" ? n - w.n : n * w.n;
  }
  return Math.max(1, n);
}

/** Sets the widths that other operands say. */
export function applyWidths(widths: Widths, form: Form, dsts: readonly Operand[], srcs: readonly Operand[]): void {
  for (const m of widths.masks) {
    const o = (m.isDst ? dsts : srcs)[m.index]!;
    let n = -m.less;
    for (let bits = (srcs[m.mask]!.value >>> m.lo) & ((1 << m.bits) - 1); bits !== 0; bits &= bits - 1) n++;
    o.width = Math.min(o.width, Math.max(1, n));
  }
  for (const d of widths.dims)
    if (under(d.mods, form.mods)) (d.isDst ? dsts : srcs)[d.index]!.width = d.counts[srcs[d.dim]!.value & 7]!;
}
