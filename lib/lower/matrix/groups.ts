/**
 * Which PTX registers lie beside each other. PTX names the registers of a fragment one by one; the machine wants them consecutive and
 * aligned. Registers that are always named together in one order are made parts of one wide value, so that most fragments are
 * there without a copy. What does not fit (the same register in two orders) stays single and is copied.
 *
 *     .reg .f32 %f<8>;  mma … {%f0,%f1,%f2,%f3}, …          %f0 … %f3 are %R7:0 … %R7:3
 *     ldmatrix.x4 {%r0,%r1,%r2,%r3}; mma … {%r2,%r3} …      %r2, %r3 are the upper half of %R8
 *
 * Names are resolved here once more, through the scopes of the body, since a register of an inner block may hide another one.
 */
import { part } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Block as Body, Declaration, Instruction, Operand as PtxOperand, Statement } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import { registersOf, typeNamed } from "../types.js";

/** A place in a wide value, in registers of PTX. */
interface Place {
  readonly group: Group;
  readonly offset: number;
}

interface Group {
  /** Registers of PTX. */
  readonly size: number;
}

/** Registers of each declaration that are parts of wide values. */
type Plan = ReadonlyMap<string, Place>;

const plans: WeakMap<Declaration, Plan> = new WeakMap();
const planned: WeakSet<Body> = new WeakSet();

/** Instructions whose braces hold fragments. */
const withFragments: ReadonlySet<string> = new Set(["mma", "ldmatrix", "stmatrix", "wmma", "wgmma", "tcgen05"]);

/** Names to the declarations that make them. */
class Names {
  private readonly parent: Names | null;
  private readonly plain: Map<string, Declaration> = new Map();
  private readonly ranges: { readonly prefix: string; readonly count: number; readonly made: Declaration }[] = [];

  constructor(parent: Names | null, body: Body) {
    this.parent = parent;
    for (const s of body.statements.others()) if (s.kind === "declaration") this.declare(s);
  }

  private declare(d: Declaration): void {
    for (const v of d.variables) {
      if (v.count === null) this.plain.set(v.name, d);
      else this.ranges.push({ prefix: v.name, count: v.count, made: d });
    }
  }

  find(name: string): Declaration | null {
    const plain = this.plain.get(name);
    if (plain !== undefined) return plain;
    for (const r of this.ranges) {
      if (!name.startsWith(r.prefix)) continue;
      const tail = name.slice(r.prefix.length);
      if (/^(?:0|[1-9]\d*)$/.test(tail) && Number(tail) < r.count) return r.made;
    }
    return this.parent?.find(name) ?? null;
  }
}

interface Occurrence {
  readonly declaration: Declaration;
  readonly names: readonly string[];
}

function occurrence(o: PtxOperand, names: Names): Occurrence | null {
  if (o.kind !== "vector" || o.elements.length < 2) return null;
  const list: string[] = [];
  let declaration: Declaration | null = null;
  for (const e of o.elements) {
    if (e.kind !== "name" || e.component !== null || e.index !== null || e.offset !== 0) return null;
    const made = names.find(e.name);
    if (made === null || made.space !== "reg" || made.vector !== null) return null;
    if (declaration !== null && made !== declaration) return null;
    if (list.includes(e.name)) return null;
    declaration = made;
    list.push(e.name);
  }
  return declaration === null ? null : { declaration, names: list };
}

function collect(body: Body, parent: Names | null, out: Occurrence[], seen: Set<string>): void {
  planned.add(body);
  const names = new Names(parent, body);
  const visit = (s: Statement): void => {
    if (s.kind === "block") collect(s, names, out, seen);
    else if (s.kind === "instruction" && withFragments.has(s.opcode)) note(s, names, out, seen);
  };
  for (const s of body.statements) visit(s);
}

/** `wmma` names the fragments of several products of the machine at once: up to four registers belong together, two of pairs of f16 that are sums. */
function fragments(i: Instruction, o: PtxOperand): readonly PtxOperand[] {
  if (i.opcode !== "wmma" || o.kind !== "vector") return [o];
  const words = i.modifiers.includes("f16") && o.elements.length === 4 ? 2 : 4;
  const parts = Math.ceil(o.elements.length / words);
  return Array.from({ length: parts }, (_, k) => ({
    kind: "vector" as const,
    elements: o.elements.slice(k * words, (k + 1) * words),
  }));
}

function note(i: Instruction, names: Names, out: Occurrence[], seen: Set<string>): void {
  for (const o of i.operands.flatMap((x) => fragments(i, x))) {
    const found = occurrence(o, names);
    if (found === null) continue;
    const key = `${found.declaration.span.start}:${found.names.join()}`;
    if (!seen.has(key)) out.push(found);
    seen.add(key);
  }
}

/** Groups for the declarations of a body, longest fragments first. */
function plan(body: Body): void {
  const found: Occurrence[] = [];
  collect(body, null, found, new Set());
  const places = new Map<Declaration, Map<string, Place>>();
  for (const { declaration, names } of found.sort((a, b) => b.names.length - a.names.length)) {
    let of = places.get(declaration);
    if (of === undefined) {
      of = new Map();
      places.set(declaration, of);
    }
    const known = of;
    if (names.some((n) => known.has(n))) continue;
    const group = { size: names.length };
    names.forEach((n, offset) => {
      known.set(n, { group, offset });
    });
  }
  for (const [d, of] of places) plans.set(d, of);
}

/** Finds out, once for each body of a function, which of its registers go together. */
export function planFragments(body: Body): void {
  if (!planned.has(body)) plan(body);
}

/** Registers of a declaration as parts of wide values: a function that gives the one of a name, null for single ones. */
export function fragmentsOf(c: Context, d: Declaration): (name: string) => Operand | null {
  const places = plans.get(d);
  if (places === undefined) return () => null;
  const type = typeNamed(d.type);
  const per = type === null ? 1 : registersOf(type);
  const made = new Map<Group, Operand>();
  return (name) => {
    const place = places.get(name);
    if (place === undefined || type === null || type.cls === "p") return null;
    let whole = made.get(place.group);
    if (whole === undefined) {
      whole = c.builder.r(place.group.size * per, name);
      made.set(place.group, whole);
    }
    return part(whole, place.offset * per, per);
  };
}
