/**
 * Where variables go.
 *
 * Module variables: visible ones first, then the others, each in source order. Constants keep that order in bank 3;
 * global variables are sorted by alignment (large first) and size (small first), zero-initialized ones in `.nv.global`, the rest
 * in `.nv.global.init`. Every global variable has a slot of eight bytes in constant bank 4, which the driver fills with
 * its address; slots follow the unsorted order.
 *
 * Shared memory is laid out per kernel: the variables it uses in source order, those of the function before those of
 * the module, after what the system reserves; `extern .shared` arrays begin together after them.
 *
 * Measured on ptxas 13.0.88 (test/oracle/elf-layout.test.ts).
 */
import type { Func, ModuleSymbol, Program } from "../../ori/types.js";
import { roundUp } from "../elf64.js";

export interface Placed {
  readonly symbol: ModuleSymbol;
  /** Bytes from the start of its section. */
  readonly offset: number;
}

export interface Region {
  /** In the order of the symbol table. */
  readonly placed: readonly Placed[];
  readonly size: number;
  readonly align: number;
}

const visible = (s: ModuleSymbol): boolean => s.linkage !== "internal";

/** Variables of the module that have a place (not `extern`), visible ones first. */
export function moduleVariables(program: Program): ModuleSymbol[] {
  const own = program.symbols.filter((s) => s.linkage !== "extern" && s.space !== "shared");
  return [...own.filter(visible), ...own.filter((s) => !visible(s))];
}

/** Constants: in the order given. */
export function placeInOrder(symbols: readonly ModuleSymbol[]): Region {
  let at = 0;
  let align = 1;
  const placed = symbols.map((symbol) => {
    at = roundUp(at, symbol.align);
    align = Math.max(align, symbol.align);
    const offset = at;
    at += symbol.size;
    return { symbol, offset };
  });
  return { placed, size: at, align };
}

/** Global variables: sorted; the result lists them in the order given. */
export function placeSorted(symbols: readonly ModuleSymbol[]): Region {
  const region = placeInOrder(alternatingMergeSort(symbols));
  const offsets = new Map(region.placed.map((p) => [p.symbol, p.offset]));
  return { ...region, placed: symbols.map((symbol) => ({ symbol, offset: offsets.get(symbol)! })) };
}

function before(a: ModuleSymbol, b: ModuleSymbol): boolean {
  return a.align > b.align || (a.align === b.align && a.size <= b.size);
}

/**
 * Merge sort of a list that is split by dealing its elements out in turn to the fronts of two lists. It is not stable, and
 * the order of equal elements that ptxas shows is this one (A B C D, all equal, becomes C A D B).
 */
function alternatingMergeSort(list: readonly ModuleSymbol[]): ModuleSymbol[] {
  if (list.length < 2) return [...list];
  const even: ModuleSymbol[] = [];
  const odd: ModuleSymbol[] = [];
  list.forEach((s, i) => {
    (i % 2 === 0 ? even : odd).push(s);
  });
  const a = alternatingMergeSort(even.reverse());
  const b = alternatingMergeSort(odd.reverse());
  const out: ModuleSymbol[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) out.push(before(a[i]!, b[j]!) ? a[i++]! : b[j++]!);
  return [...out, ...a.slice(i), ...b.slice(j)];
}

export interface SharedLayout {
  /** Symbol → byte offset in shared memory (reserved part included). */
  readonly offsets: ReadonlyMap<string, number>;
  /** Bytes of `.nv.shared.NAME`; 0 and `needed` false when the kernel has no such section. */
  readonly size: number;
  readonly align: number;
  readonly needed: boolean;
  /** The kernel has static shared memory of its own (not only arrays of the module without extent). */
  readonly used: boolean;
}

/** In objects: a shared variable that a function mentions lies with every kernel that calls it; the linker finds a place. */
export function isPlacedByLinker(program: Program, s: ModuleSymbol): boolean {
  return s.size > 0 && program.funcs.some((f) => f.kind === "func" && s.users.includes(f.name));
}

/** Alignment of the section when the module has an `extern .shared` array. */
const DYNAMIC_ALIGN = 16;

/**
 * Alignments of the shared variables of a function, by name: of those of a kernel in an executable where they lie, of others what they
 * ask for. The system's part before them begins at 0.
 */
export function sharedAlignments(program: Program, func: Func, relocatable: boolean): Map<string, number> {
  const shared = program.symbols.filter((s) => s.space === "shared" && s.users.includes(func.name));
  if (relocatable || func.kind === "func") return new Map(shared.map((s) => [s.name, s.align]));
  const { offsets } = layoutShared(program, func, program.target.limits.reservedSharedOffset, false);
  const lowest = (n: number): number => (n === 0 ? MOST_ALIGNED : Math.min(n & -n, MOST_ALIGNED));
  return new Map(shared.map((s) => [s.name, Math.max(s.align, lowest(offsets.get(s.name) ?? 1))]));
}

/**
 * Addresses that the code of an executable may have as numbers, by symbol: constants, and a kernel's shared memory where
 * the system keeps none of it.
 */
export function knownAddresses(program: Program, func: Func): Map<string, number> {
  const { placed } = placeInOrder(moduleVariables(program).filter((s) => s.space === "const"));
  const found = new Map(placed.map((p) => [p.symbol.name, p.offset]));
  const base = program.target.limits.reservedSharedOffset;
  if (func.kind !== "entry" || base > 0) return found;
  return new Map([...found, ...layoutShared(program, func, base, false).offsets]);
}

/** No access asks for more. */
const MOST_ALIGNED = 32;

/** `relocatable`: nvlink places the dynamic arrays. */
export function layoutShared(
  program: Program,
  func: Pick<Func, "name">,
  base: number,
  relocatable: boolean,
): SharedLayout {
  const shared = program.symbols.filter((s) => s.space === "shared");
  const mine = shared.filter((s) => s.users.includes(func.name) && !(relocatable && isPlacedByLinker(program, s)));
  const dynamic = relocatable ? [] : shared.filter((s) => s.size === 0);
  const statics = mine.filter((s) => s.size > 0);
  const offsets = new Map<string, number>();
  let at = base;
  let align = 1;
  for (const s of statics) {
    at = roundUp(at, s.align);
    align = Math.max(align, s.align);
    offsets.set(s.name, at);
    at += s.size;
  }
  if (dynamic.length > 0) {
    align = Math.max(align, DYNAMIC_ALIGN, ...dynamic.map((s) => s.align));
    at = roundUp(at, align);
    for (const s of dynamic) offsets.set(s.name, at);
  }
  return { offsets, size: at, align, needed: statics.length > 0 || dynamic.length > 0, used: statics.length > 0 };
}
