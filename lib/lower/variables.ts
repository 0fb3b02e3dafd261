/** Parameters, launch bounds, and variables of functions. */
import { noBounds } from "../ori/func.js";
import type { Func, LaunchBounds, Param } from "../ori/types.js";
import type { Declaration, FunctionItem, Parameter, Variable } from "../ptx/ast.js";
import type { Target } from "../target/types.js";
import type { Context } from "./context.js";
import { Refusal } from "./refusal.js";
import type { Entity, Scope } from "./scope.js";
import { newSlots } from "./slots.js";
import { bytesOf, typeNamed } from "./types.js";

export interface Layout {
  /** Bytes of one element. */
  readonly element: number;
  readonly size: number;
  readonly align: number;
}

/** Size and alignment of a declared variable; arrays without extent have size 0. */
export function layoutOf(
  type: string,
  vector: number | null,
  dims: readonly (number | null)[],
  align: number | null,
): Layout {
  const scalar = typeNamed(type);
  if (scalar === null || scalar.cls === "p") throw new Refusal();
  const element = bytesOf(scalar) * (vector ?? 1);
  let size = element;
  for (const d of dims) size *= d ?? 0;
  return { element, size, align: Math.max(align ?? 0, element) };
}

export function alignUp(n: number, align: number): number {
  return Math.ceil(n / align) * align;
}

/** Lays out the parameters of a kernel in constant bank 0 and declares their names. */
export function kernelParameters(item: FunctionItem, func: Func, scope: Scope): void {
  for (const { p, offset, layout } of placedParameters(item, func.target)) {
    const { element, size, align } = layout;
    func.params.push({ name: p.name, offset, size, align, pointer: pointee(p) });
    scope.declare(p.name, { kind: "variable", space: "param", symbol: null, offset, size, element, bank: 0 });
  }
  func.paramBytes = parameterBytes(item, func.target);
}

interface PlacedParameter {
  readonly p: Parameter;
  readonly offset: number;
  readonly layout: Layout;
}

function placedParameters(item: FunctionItem, target: Target): PlacedParameter[] {
  // What counts is the place in the bank: the first parameter need not be aligned more than to 16 bytes.
  const base = target.constants.paramBase;
  let end = 0;
  return (item.params ?? []).map((p) => {
    const layout = parameterLayout(p);
    const offset = alignUp(base + end, layout.align) - base;
    end = offset + layout.size;
    return { p, offset, layout };
  });
}

/** Bytes of a kernel's parameters. */
export function parameterBytes(item: FunctionItem, target: Target): number {
  return placedParameters(item, target).reduce((n, { offset, layout }) => Math.max(n, offset + layout.size), 0);
}

const pointerSpaces: ReadonlySet<string> = new Set(["global", "shared", "const", "local"]);

/** `.ptr .global .align 16`; without a space the pointer is generic, without alignment it is of bytes. */
function pointee(p: Parameter): NonNullable<Param["pointer"]> | null {
  if (p.pointer === null) return null;
  const space = p.pointer.space ?? "";
  const known = pointerSpaces.has(space) ? (space as "global" | "shared" | "const" | "local") : "generic";
  return { space: known, align: p.pointer.align ?? 1 };
}

export function parameterLayout(p: Parameter): Layout {
  const layout = layoutOf(p.type, p.vector, p.dims, p.align);
  return p.align === null ? layout : { ...layout, align: p.align };
}

/** What the performance directives say. */
export function launchBounds(item: FunctionItem): LaunchBounds {
  const bounds = noBounds();
  const triple = (v: readonly number[]): [number, number, number] => [v[0] ?? 1, v[1] ?? 1, v[2] ?? 1];
  for (const d of item.directives) {
    const first = d.values[0] ?? 0;
    if (d.name === "maxntid") bounds.maxntid = triple(d.values);
    else if (d.name === "reqntid") bounds.reqntid = triple(d.values);
    else if (d.name === "reqnctapercluster") bounds.reqnctapercluster = triple(d.values);
    else if (d.name === "minnctapersm") bounds.minnctapersm = first;
    else if (d.name === "maxnreg") bounds.maxnreg = first;
    else if (d.name === "maxclusterrank") bounds.maxclusterrank = first;
    else if (d.name === "explicitcluster") bounds.explicitcluster = true;
  }
  return bounds;
}

/** Variables declared inside a function: `.local` on the stack, `.param` of calls in registers, others in the module. */
export function declareVariables(c: Context, d: Declaration): void {
  for (const v of d.variables) {
    const layout = layoutOf(d.type, d.vector, v.dims, d.align);
    if (d.space === "local") {
      // A frame begins at a multiple of 16 only.
      if (v.init !== null || layout.align > 16) throw new Refusal();
      declareEach(c, v, () => onStack(c, layout));
    } else if (d.space === "param") declareEach(c, v, () => newSlots(layout.size, layout.align));
    else c.scope.declare(v.name, c.module.declare(d, v));
  }
}

/** One, or as many as `name<n>` says, each when it is first named. */
function declareEach(c: Context, v: Variable, make: () => Entity): void {
  if (v.count === null) c.scope.declare(v.name, make());
  else c.scope.declareRange(v.name, v.count, make);
}

function onStack(c: Context, layout: Layout): Entity {
  c.frameAlign = Math.max(c.frameAlign, layout.align);
  const offset = alignUp(c.func.frame.localBytes, layout.align);
  c.func.frame.localBytes = offset + layout.size;
  return {
    kind: "variable",
    space: "local",
    symbol: null,
    offset,
    size: layout.size,
    element: layout.element,
    bank: 0,
  };
}
