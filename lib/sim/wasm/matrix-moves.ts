/**
 * Matrices of 8 × 8 halves between shared memory and fragments, as ops/matrix.ts says: a row of 16 bytes is the words of four lanes, so that it moves as one
 * vector.
 */
import { File, Kind, type MachineInst } from "../../isa/operand.js";
import type { Site } from "../site.js";
import { TRASH_ROW } from "../state.js";
import { type Access, accessOf } from "./access.js";
import { BASE, Untranslated, type V } from "./emission.js";
import { Type } from "./encoder.js";
import { EXCHANGE, Exchange, ROW_BYTES } from "./layout.js";
import { Op } from "./opcodes.js";
import type { Segment } from "./segment.js";
import type { Emitters } from "./table.js";

const ROWS = 8;

function countOf(s: Site): number {
  if (!s.has("16")) throw new Untranslated("elements of other widths");
  return s.choose({ "2": 2, "4": 4 }, 1);
}

function isTransposed(s: Site): boolean {
  const found = s.choose<boolean | null>({ M88: false, MT88: true }, null);
  if (found === null) throw new Untranslated("shape");
  return found;
}

function accessTo(s: Site, inst: MachineInst, store: boolean): Access {
  s.has("16");
  if (inst.guard !== null && (inst.guard.id >= 0 || inst.guard.not)) throw new Untranslated("guarded matrix move");
  return { ...accessOf(s, inst, "shared", store), bytes: 16, signed: false };
}

/** Register `i` of an operand. */
function rowOf(e: Segment, s: Site, name: string, i: number): number {
  const o = s.operand(name);
  if (o.kind !== Kind.Reg || o.file !== File.R || o.part !== "" || o.mods & 7)
    throw new Untranslated(`operand ${name}`);
  return e.rowOf(o.id < 0 ? -1 : o.id + i);
}

function dstRow(s: Site, i: number): number {
  const o = s.operand("d");
  return (o.id < 0 ? TRASH_ROW + i : o.id + i) * ROW_BYTES;
}

/** Addresses of the rows in the order of the lanes. */
function addresses(e: Segment, a: Access, count: number): number[] {
  const { out } = e;
  const start = e.local(Type.i32);
  const [at, first] = [e.exchange(EXCHANGE + 4 * Exchange.sharedAt), e.exchange(EXCHANGE + 4 * Exchange.sharedFirst)];
  out.get(at).get(first).op(Op.i32Sub).i32(a.offset).op(Op.i32Add);
  if (a.uniform >= 0) out.get(e.scalarOf(e.value(e.ureg(a.uniform)))).op(Op.i32Add);
  out.set(start);
  const row = e.rowOf(a.low);
  return Array.from({ length: count }, (_, lane) => {
    const d = e.local(Type.i32);
    out.get(BASE).memory(Op.i32Load, row + 4 * lane);
    if (a.shift !== 0) out.i32(a.shift).op(Op.i32Shl);
    out.get(start).op(Op.i32Add).set(d);
    return d;
  });
}

function vector(e: Segment, address: number, offset: number): V {
  const d = e.local();
  e.out.get(address).memory(Op.load, offset).set(d);
  return d;
}

/** Bytes of two vectors: units of `size` bytes of the lower or upper halves in turn. */
function inTurn(size: number, upper: boolean): number[] {
  return Array.from({ length: 16 }, (_, i) => {
    const unit = Math.floor(i / size);
    return (upper ? 8 : 0) + (unit >> 1) * size + (i % size) + (unit & 1 ? 16 : 0);
  });
}

/** Eight vectors of eight halves with rows and columns exchanged: vectors that are apart by 4 are put together three times. */
function transposed(e: Segment, rows: readonly V[]): V[] {
  let v = rows;
  for (let step = 0; step < 3; step++)
    v = Array.from({ length: ROWS }, (_, i) => e.shuffled(v[i >> 1]!, v[(i >> 1) + 4]!, inTurn(2, (i & 1) === 1)));
  return [...v];
}

const matrixOf = (e: Segment, rows: V[], isOther: boolean): V[] => (isOther ? transposed(e, rows) : rows);

function load(e: Segment, s: Site): void {
  const n = countOf(s);
  const other = isTransposed(s);
  const all = addresses(e, accessTo(s, s.inst, false), ROWS * n).map((address) => vector(e, address, 0));
  for (let i = 0; i < n; i++)
    matrixOf(e, all.slice(ROWS * i, ROWS * (i + 1)), other).forEach((v, r) => {
      e.out
        .get(BASE)
        .get(v)
        .memory(Op.store, dstRow(s, i) + 16 * r);
    });
}

function fragment(e: Segment, row: number): V[] {
  return Array.from({ length: ROWS }, (_, r) => vector(e, BASE, row + 16 * r));
}

function store(e: Segment, s: Site): void {
  const n = countOf(s);
  const other = isTransposed(s);
  const all = addresses(e, accessTo(s, s.inst, true), ROWS * n);
  for (let i = 0; i < n; i++)
    matrixOf(e, fragment(e, rowOf(e, s, "data", i)), other).forEach((v, r) => {
      e.out
        .get(all[ROWS * i + r]!)
        .get(v)
        .memory(Op.store, 0);
    });
}

function movm(e: Segment, s: Site): void {
  if (!s.has("16") || !s.has("MT88")) throw new Untranslated("shape");
  if (s.inst.guard !== null && (s.inst.guard.id >= 0 || s.inst.guard.not))
    throw new Untranslated("guarded matrix move");
  transposed(e, fragment(e, rowOf(e, s, "a", 0))).forEach((v, r) => {
    e.out
      .get(BASE)
      .get(v)
      .memory(Op.store, dstRow(s, 0) + 16 * r);
  });
}

/** The first lanes have the addresses. */
function accessing(e: Segment, s: Site): void {
  const n = countOf(s);
  if (n === 4) return;
  const d = e.local();
  e.out
    .get(e.shift)
    .op(Op.i32x4Splat)
    .get(e.words(ROWS * n))
    .op(Op.i32x4LtU)
    .set(d);
  e.mask = d;
}

export const matrices: Emitters = {
  LDSM: { whole: true, together: true, access: (s, inst) => accessTo(s, inst, false), accessing, emit: load },
  STSM: { whole: true, together: true, access: (s, inst) => accessTo(s, inst, true), accessing, emit: store },
  MOVM: { whole: true, together: true, emit: movm },
};
