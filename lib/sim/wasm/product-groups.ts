/**
 * Many products of 16 rows and 8 columns, one group after the other, each made as one of a warp is (matrix.ts): what products of warp groups (block-products.ts)
 * and of tensor memory (tensor-rows.ts) have in common. Factors of groups of rows and of columns lie in slots (slots.ts).
 */
import type { Arena } from "./arena.js";
import { isInteger } from "./elements.js";
import { encodeModule, Fn, Type } from "./encoder.js";
import { factorFunction, wideFunction } from "./factors.js";
import { wasm } from "./host.js";
import { type Accumulators, type ProductKind, productFunction } from "./matrix.js";
import { Op } from "./opcodes.js";
import { relaxedFmaIsExact } from "./relaxed.js";
import { type FactorKind, pairBytes } from "./slots.js";

export const GROUP = { rows: 16, columns: 8 } as const;
/** Most groups of a product. */
export const MOST_GROUPS = { rows: 8, columns: 32 } as const;

/** Scales: offsets of what scaled products need, of the scales of groups of rows and of columns, and bytes from a group to the next. */
export interface ScaleArea {
  readonly at: number;
  readonly ofRows: number;
  readonly rowsStep: number;
  readonly ofColumns: number;
  readonly columnsStep: number;
}

/** What makes such products differ in code. */
export interface GroupsKind {
  readonly a: FactorKind;
  readonly b: FactorKind;
  readonly product: Omit<ProductKind, "pairs">;
  readonly to: Accumulators;
  /** Bytes of a row of A, of a column of B as words, and from a group of columns of D to the next. */
  readonly line: number;
  readonly dStep: number;
  /** Bytes of a slot of A; offset of the slots of B, bytes from one to the next: 0 where there is only one. */
  readonly slotA: number;
  readonly slotsB: number;
  readonly slotB: number;
  readonly scales: ScaleArea | null;
}

/**
 * Addresses of what is needed, of the words of A and of B, groups of 16 rows, of 8 columns, addresses of the first C and D, bytes from a group of columns of
 * C to the next, from a group of rows of C and D to the next, what of the factors has changed since the last run (`Changed`).
 */
export type GroupsRun = (
  area: number,
  a: number,
  b: number,
  rows: number,
  columns: number,
  c: number,
  d: number,
  cStep: number,
  lines: number,
  changed: number,
) => void;

/** Bits of factors whose slots are to be made. */
export const Changed = { a: 1, b: 2 } as const;

/** Numbers of the module's functions. */
const Callee = { factorA: 0, factorB: 1, product: 2, wideA: 3, wideB: 4 } as const;

/** Goes through all groups. */
function allGroups({ line, dStep, slotA, slotsB, slotB, scales }: GroupsKind): Fn {
  const fn = new Fn(new Array<Type>(10).fill(Type.i32), []);
  const { code } = fn;
  const [area, a, b, rows, columns, c, d, cStep, lines, changed] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
  const [slot, ofB, count, toC, toD, ofRows, ofColumns] = Array.from({ length: 7 }, () => fn.local(Type.i32)) as [
    ...[number, number, number, number, number, number, number],
  ];
  const at = (local: number, offset: number): void => {
    code.get(area).i32(offset).op(Op.i32Add).set(local);
  };
  const moved = (local: number, by: number): void => {
    if (by !== 0) code.get(local).i32(by).op(Op.i32Add).set(local);
  };
  const movedBy = (local: number, by: number): void => {
    code.get(local).get(by).op(Op.i32Add).set(local);
  };
  const times = (counter: number, body: () => void): void => {
    code.open(Op.loop);
    body();
    code.get(counter).i32(1).op(Op.i32Sub).tee(counter).index(Op.brIf, 0).end();
  };
  const where = (bit: number, body: () => void): void => {
    code.get(changed).i32(bit).op(Op.i32And).open(Op.if);
    body();
    code.end();
  };
  where(Changed.a, () => {
    at(slot, 0);
    code.get(rows).set(count);
    times(count, () => {
      code.get(a).get(slot).i32(0).index(Op.call, Callee.factorA);
      moved(a, GROUP.rows * line);
      moved(slot, slotA);
    });
  });
  at(ofB, slotsB);
  if (scales !== null) at(ofColumns, scales.ofColumns);
  times(columns, () => {
    where(Changed.b, () => {
      code.get(b).get(ofB).i32(0).index(Op.call, Callee.factorB);
    });
    moved(b, GROUP.columns * line);
    at(slot, 0);
    if (scales !== null) at(ofRows, scales.ofRows);
    code.get(rows).set(count).get(c).set(toC).get(d).set(toD);
    times(count, () => {
      code.get(slot).get(ofB).get(toC).get(toD);
      if (scales !== null) code.get(area).i32(scales.at).op(Op.i32Add).get(ofRows).get(ofColumns);
      code.index(Op.call, Callee.product);
      moved(slot, slotA);
      if (scales !== null) moved(ofRows, scales.rowsStep);
      movedBy(toC, lines);
      movedBy(toD, lines);
    });
    movedBy(c, cStep);
    moved(d, dStep);
    moved(ofB, slotB);
    if (scales !== null) moved(ofColumns, scales.columnsStep);
  });
  return fn;
}

/** The module of a kind in an arena. */
export function groupsRun(arena: Arena, kind: GroupsKind): GroupsRun {
  const { a, b, product, to } = kind;
  const { depth } = product;
  const functions = [
    factorFunction(a),
    factorFunction(b),
    productFunction({ ...product, pairs: pairBytes(a) }, [Callee.wideA, Callee.wideB], relaxedFmaIsExact(), to),
    ...(isInteger(a.elements) ? [] : [wideFunction(GROUP.rows, depth), wideFunction(GROUP.columns, depth)]),
    allGroups(kind),
  ];
  const module = new wasm!.Module(encodeModule([], functions));
  return new wasm!.Instance(module, { env: { memory: arena.memory } }).exports.run as GroupsRun;
}
