/**
 * Products in tensor memory (`tcgen05.mma`: UTCHMMA, UTCIMMA, UTCQMMA, UTCOMMA) and the arrival when they are done (`commit`: UTCBAR). One lane acts
 * for the CTA, with uniform operands. Where they stand was measured on sm_100a and 103a: the descriptor of the instruction in the register
 * after the address of the metadata (zero without), scales of a and b side by side.
 */

import { tryForm } from "../../isa/form.js";
import { imm, URZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import { memoryAddress } from "../address.js";
import { addressIn, genericShared, sharedAddress } from "../async/operands.js";
import { eachLane, toUniform } from "../async/uniform.js";
import type { Context } from "../context.js";
import { at, type Lowering } from "../family.js";
import { uniformPredicate } from "../matrix/wgmma.js";
import type { Modifiers } from "../modifiers.js";
import { Refusal } from "../refusal.js";
import { B64, PRED, U16, U32 } from "../types.js";
import { takePair } from "./moves.js";

/** Kind of a product → opcode. */
const opcodes: Readonly<Record<string, string>> = {
  "kind::f16": "UTCHMMA",
  "kind::tf32": "UTCHMMA",
  "kind::i8": "UTCIMMA",
  "kind::f8f6f4": "UTCQMMA",
  "kind::mxf8f6f4": "UTCQMMA",
  "kind::mxf4": "UTCOMMA",
  "kind::mxf4nvf4": "UTCOMMA",
};

/** Scales for 16 elements each: the modifier on the SMs (measured). */
const BLOCK16: Readonly<Record<number, string>> = { 100: ".4X", 103: ".BLOCK16", 110: ".4X" };

/** SMs whose products may scale what they add to. */
const SCALES_SUM: readonly number[] = [100, 103];

/** What a collector buffer does with a factor: `fill` keeps it, `use` takes and keeps it, `lastuse` takes it. */
const uses: Readonly<Record<string, readonly [reuse: boolean, keep: boolean]>> = {
  fill: [false, true],
  use: [true, true],
  lastuse: [true, false],
  discard: [false, false],
};

function collector(m: Modifiers): { readonly of: string; readonly part: string } | null {
  for (const buffer of ["a", "b0", "b1", "b2", "b3"])
    for (const [use, [reuse, keep]] of Object.entries(uses)) {
      if (!m.flag(`collector::${buffer}::${use}`)) continue;
      const letter = buffer[0]!.toUpperCase();
      const number = buffer.length > 1 && buffer !== "b0" ? `.BUFFER${buffer[1]}` : "";
      return { of: buffer[0]!, part: `${reuse ? `.${letter}_REUSE` : ""}${keep ? `.${letter}_KEEP` : ""}${number}` };
    }
  return null;
}

/** A tensor memory address as one value. */
function tensorAddress(c: Context, o: PtxOperand): Operand {
  const where = memoryAddress(c, addressIn(o), "shared");
  return where.offset === 0 ? where.base : sharedAddress(c, o);
}

/** Operands in their order. */
class List {
  private next = 0;
  constructor(private readonly all: readonly PtxOperand[]) {}
  take(): PtxOperand {
    return at(this.all, this.next++);
  }
  peek(): PtxOperand | null {
    return this.all[this.next] ?? null;
  }
  end(): void {
    if (this.next !== this.all.length) throw new Refusal();
  }
}

interface Wanted {
  readonly name: string;
  readonly pair: boolean;
  readonly weights: boolean;
  readonly sparse: boolean;
  readonly scaled: boolean;
  readonly keep: ReturnType<typeof collector>;
}

function wanted(c: Context, m: Modifiers): Wanted {
  const weights = m.flag("ws");
  const sparse = m.flag("sp");
  const pair = takePair(m);
  const kind = m.need(Object.keys(opcodes));
  const scaled = m.flag("block_scale");
  if (scaled !== kind.startsWith("kind::mx")) throw new Refusal();
  const vector = m.oneOf(["scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32"]);
  const keep = collector(m);
  const shifts = m.flag("ashift") ? ".ASHIFT" : "";
  // ptxas takes blocks of 16 for mxf4nvf4 when nothing is said.
  const fine = vector === "scale_vec::4X" || vector === "block16" || (kind === "kind::mxf4nvf4" && vector === null);
  const block = scaled && fine ? (BLOCK16[c.target.sm] ?? "") : "";
  return {
    name: `${opcodes[kind]}${pair}${weights ? ".WS" : ""}${shifts}${block}`,
    pair: pair !== "",
    weights,
    sparse,
    scaled,
    keep,
  };
}

/** Lanes that are left out: four words, eight with the help of a second CTA. */
function leftOut(c: Context, o: PtxOperand, pair: boolean): readonly Operand[] {
  if (o.kind !== "vector" || o.elements.length !== (pair ? 8 : 4)) throw new Refusal();
  return o.elements.map((e) => c.materialize(c.read(e, U32)));
}

export const product: Lowering = (c, i, m) => {
  const w = wanted(c, m);
  const list = new List(i.operands);
  const d = tensorAddress(c, list.take());
  const first = list.take();
  const inTensor = first.kind === "address";
  const a = inTensor ? tensorAddress(c, first) : c.materialize(c.read(first, B64), 2);
  const b = c.materialize(c.read(list.take(), B64), 2);
  const metadata = w.sparse ? tensorAddress(c, list.take()) : null;
  const described = c.materialize(c.read(list.take(), U32));
  const scales = w.scaled ? [tensorAddress(c, list.take()), tensorAddress(c, list.take())] : [];
  const masked = !w.scaled && !w.weights && list.peek()?.kind === "vector";
  const lanes = masked ? leftOut(c, list.take(), w.pair) : [];
  const adds = c.read(list.take(), PRED);
  const zeroed = w.weights && list.peek() !== null ? [c.materialize(c.read(list.take(), B64), 2)] : [];
  const scale = list.peek();
  if (scale !== null && (scale.kind !== "int" || w.weights || w.scaled)) throw new Refusal();
  if (scale !== null && !SCALES_SUM.includes(c.target.sm)) throw new Refusal();
  const exponent = scale === null ? 0 : (list.take() as { lo: number }).lo;
  list.end();
  const form = tryForm(w.name);
  if (form === null) throw new Refusal();
  const marked = (o: Operand, of: "a" | "b"): Operand => (w.keep?.of === of ? { ...o, part: w.keep.part } : o);
  eachLane(c, () => {
    const factor = marked(toUniform(c, [a]), "a");
    c.builder.emit(
      form,
      {},
      {
        [inTensor ? "t" : "a"]: factor,
        b: marked(toUniform(c, [b]), "b"),
        d: toUniform(c, [d]),
        e: toUniform(c, [metadata ?? URZ(), described]),
        ...(lanes.length > 0 && { c: toUniform(c, lanes) }),
        ...(zeroed.length > 0 && { c: toUniform(c, zeroed) }),
        ...(w.scaled && { s: toUniform(c, scales) }),
        pin: uniformPredicate(c, adds),
        ...(exponent !== 0 && { n: imm(exponent) }),
      },
    );
  });
};

export const commit: Lowering = (c, i, m) => {
  const pair = takePair(m);
  m.need(["mbarrier::arrive::one"]);
  const generic = m.oneOf(["shared::cluster"]) === null;
  const multicast = m.flag("multicast::cluster");
  m.need(["b64"]);
  const list = new List(i.operands);
  const where = list.take();
  const mask = multicast ? c.materialize(c.read(list.take(), U16)) : null;
  list.end();
  const barrier = generic ? genericShared(c, where) : sharedAddress(c, where);
  const name = `UTCBAR${pair}${mask === null ? "" : ".MULTICAST"}`;
  eachLane(c, () => {
    const at = toUniform(c, [barrier]);
    c.emit(name, [], mask === null ? [at, URZ()] : [at, URZ(), toUniform(c, [mask])]);
  });
};
