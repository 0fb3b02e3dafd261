/**
 * `txq` and `suq` through objects. Width, height and depth: TXQ asks the unit, of level 0 or the one that is given. The other properties are read from the
 * driver's records: bank 0 has the address of the first, the driver puts their size in place of a symbol, and the low word of the handle counts them (20 bits of
 * it before sm_90). `istypep` looks at a bit of the handle's upper word. All measured on sm_75, 80, 86, 89, 90, 100, 120.
 */
import { tryForm } from "../../isa/form.js";
import { constBank, hi, imm, lo, part, RZ, sym } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Instruction, Operand as PtxOperand } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import { at, type Family, type Lowering, operands } from "../family.js";
import type { Modifiers } from "../modifiers.js";
import { skip } from "../place.js";
import { Refusal } from "../refusal.js";
import { B64, PRED } from "../types.js";
import { add64 } from "../wide.js";
import { B32, handleIn, handleWord, noSampler, read32, registerHandle, row, uniformHandle } from "./handle.js";
import { referenceNamed } from "./references.js";

/** Bits of the results that the unit writes. */
const masks: Readonly<Record<string, number>> = { width: 1, height: 2, depth: 4 };
/** TEX_HEADER_DIMENSION. */
const DIMENSION = 0;

interface Records {
  /** What the driver puts the size of a record in place of. */
  readonly size: string;
  readonly base: "textureRecords" | "samplerRecords" | "surfaceRecords";
  /** Bytes before each property. */
  readonly places: Readonly<Record<string, number>>;
}

const records: Readonly<Record<string, Records>> = {
  txq: {
    size: ".nv.unified.texrefDescSize",
    base: "textureRecords",
    places: {
      force_unnormalized_coords: 0,
      addr_mode_0: 12,
      addr_mode_1: 16,
      addr_mode_2: 20,
      filter_mode: 24,
      normalized_coords: 28,
      channel_data_type: 32,
      channel_order: 36,
      array_size: 40,
      num_mipmap_levels: 44,
      num_samples: 48,
    },
  },
  suq: {
    size: ".nv.surfrefDescSize",
    base: "surfaceRecords",
    places: { channel_data_type: 12, channel_order: 16, memory_layout: 20, array_size: 28 },
  },
};

/** The same where samplers are named apart. */
const independent: readonly Records[] = [
  {
    size: ".nv.independent.texrefDescSize",
    base: "textureRecords",
    places: {
      normalized_coords: 12,
      channel_data_type: 16,
      channel_order: 20,
      array_size: 24,
      num_mipmap_levels: 28,
      num_samples: 32,
    },
  },
  {
    size: ".nv.independent.samplerrefDescSize",
    base: "samplerRecords",
    places: { addr_mode_0: 0, addr_mode_1: 4, addr_mode_2: 8, filter_mode: 12, force_unnormalized_coords: 16 },
  },
];

function recordsOf(c: Context, i: Instruction): Records {
  const r = records[i.opcode] as Records;
  if (i.opcode !== "txq" || !c.module.independent) return r;
  const own = independent.find((x) => i.modifiers.some((word) => Object.hasOwn(x.places, word)));
  return own ?? r;
}

/** Bits of the handle that count records, where it has others beside them. */
const NUMBER = 0xfffff;
/** Those above are the sampler's. */
const SAMPLER_BITS = 20;
const SAMPLER_NUMBER = 0xfff;

/** The number of a record: before sm_90 the word of a reference has a texture's and a sampler's; the handle of a sampler has its own at the bottom. */
function numberOf(c: Context, o: PtxOperand, r: Records): Operand {
  const word = handleWord(c, o);
  if (c.target.has("uniformHandles")) return word;
  if (r.base !== "samplerRecords") return c.op("LOP3.LUT", [word, imm(NUMBER), RZ(), imm(0xc0)]);
  const named = o.kind === "address" && o.base !== null && referenceNamed(c, o.base) !== null;
  return named
    ? c.op("SHF.R.U32.HI", [RZ(), imm(SAMPLER_BITS), word])
    : c.op("LOP3.LUT", [word, imm(SAMPLER_NUMBER), RZ(), imm(0xc0)]);
}

/** A property that stands in a record. */
function recorded(c: Context, i: Instruction, m: Modifiers, r: Records): void {
  const place = r.places[m.need(Object.keys(r.places))] as number;
  m.need(["b32"]);
  const list = operands(i, 2);
  const number = numberOf(c, at(list, 1), r);
  const size = c.op("MOV", [sym(r.size, 0, "32@lo")]);
  const offset = c.op("IMAD", [number, size, imm(place)]);
  const base = c.op("LDC.64", [constBank(0, c.target.constants[r.base], 2)], 2);
  const address = c.temp(2);
  add64(c, [lo(address), hi(address)], [lo(base), hi(base)], [offset, RZ()]);
  const d = c.temp();
  const form = `LDG.E.CONSTANT${c.target.has("memoryDescriptor") ? "" : ".SYS"}`;
  c.emit(form, [d], [address, skip(), imm(0), skip()]);
  c.move(c.inPlace(at(list, 0), B32), d);
}

const query: Lowering = (c, i, m) => {
  const r = recordsOf(c, i);
  if (i.modifiers.some((word) => Object.hasOwn(r.places, word))) {
    recorded(c, i, m, r);
    return;
  }
  const withLevel = i.opcode === "txq" && m.flag("level");
  const mask = masks[m.need(Object.keys(masks))] as number;
  m.need(["b32"]);
  const list = operands(i, withLevel ? 3 : 2);
  const handle = handleIn(c, at(list, 1));
  const level = withLevel ? c.materialize(read32(c, at(list, 2))) : RZ();
  const form = tryForm(handle.kind === "register" ? "TXQ.B" : "TXQ");
  if (form === null) throw new Refusal();
  const d = c.temp();
  const from: Readonly<Record<string, Operand>> =
    handle.kind === "constant"
      ? { a: level, bank: imm(0), word: imm(handle.word) }
      : handle.kind === "register"
        ? { a: row(c, [registerHandle(c, handle.value), level]) }
        : { a: level, ur: uniformHandle(c, handle, 2), sampler: noSampler(c) };
  c.builder.emit(form, { d2: RZ(), d }, { ...from, what: imm(DIMENSION), mask: imm(mask) });
  c.move(c.inPlace(at(list, 0), B32), d);
};

/** Bits of the upper word. */
const kinds: Readonly<Record<string, number>> = { texref: 0x20000000, samplerref: 0x40000000, surfref: 0x80000000 };

const istypep: Lowering = (c, i, m) => {
  const bit = kinds[m.need(Object.keys(kinds))] as number;
  const [p, value] = operands(i, 2) as [PtxOperand, PtxOperand];
  if (value.kind !== "name" || c.registerOf(value) === null) throw new Refusal();
  const handle = c.materialize(c.read(value, B64), 2);
  const d = c.predicate();
  c.emit("ISETP.NE.AND", [d], [c.op("LOP3.LUT", [part(handle, 1), imm(bit), RZ(), imm(0xc0)]), RZ()]);
  c.move(c.inPlace(p, PRED), d);
};

export const queryFamily: Family = { txq: query, suq: query, istypep };
