/** What names mean inside a function: registers, variables, parameters, labels, jump tables, in nested scopes. */
import type { Block, Operand, Reference } from "../ori/types.js";
import type { BranchTargets, CallPrototype } from "../ptx/ast.js";
import type { PtxType } from "./types.js";

export type Space = "global" | "const" | "shared" | "local" | "param";

export type Entity =
  /** A scalar register; `lanes` are the elements of a vector register. */
  | { readonly kind: "register"; readonly type: PtxType; readonly operand: Operand; readonly lanes: readonly Operand[] }
  | Variable
  | { readonly kind: "label"; readonly block: Block; placed: boolean }
  | { readonly kind: "targets"; readonly targets: BranchTargets }
  | { readonly kind: "prototype"; readonly prototype: CallPrototype }
  | { readonly kind: "reference"; readonly of: Reference }
  | { readonly kind: "calltargets"; readonly targets: readonly string[] }
  /** A parameter or return value of a function, or a `.param` of a call: elements of registers, or in local memory. */
  | {
      readonly kind: "slots";
      readonly bytes: number;
      readonly align: number;
      readonly parts: Map<number, SlotPart>;
      /** Where it lies in local memory; null: in registers. */
      memory: SlotMemory | null;
    };

export interface SlotMemory {
  /** One register: a local address. */
  readonly base: Operand;
  readonly offset: number;
}

export interface SlotPart {
  readonly operand: Operand;
  readonly bytes: number;
}

/** A variable in memory. `symbol` when the cubin writer places it, else `offset` within the frame or the parameters. */
export interface Variable {
  readonly kind: "variable";
  readonly space: Space;
  readonly symbol: string | null;
  readonly offset: number;
  readonly size: number;
  /** Bytes of one element, for `name[index]`. */
  readonly element: number;
  /** Constant bank number of the PTX. */
  readonly bank: number;
}

interface Range {
  readonly count: number;
  readonly make: (name: string) => Entity;
}

export class Scope {
  readonly parent: Scope | null;
  private readonly names: Map<string, Entity>;
  /** `%r<100>`: by prefix. */
  private readonly ranges: Map<string, Range>;

  constructor(parent: Scope | null) {
    this.parent = parent;
    this.names = new Map();
    this.ranges = new Map();
  }

  declare(name: string, entity: Entity): void {
    this.names.set(name, entity);
  }

  /** `prefix0 … prefix(count−1)`, made when first named. */
  declareRange(prefix: string, count: number, make: (name: string) => Entity): void {
    this.ranges.set(prefix, { count, make });
    // A label may have the form of such a register, and is then found by nobody (lib/ptx/scope.ts).
    for (const [name, e] of this.names)
      if (e.kind === "label" && name.startsWith(prefix) && inRange(name.slice(prefix.length), count))
        this.names.delete(name);
  }

  /** The entity of this very scope. */
  own(name: string): Entity | null {
    const known = this.names.get(name);
    if (known !== undefined) return known;
    if (this.ranges.size === 0) return null;
    let digits = name.length;
    while (digits > 0 && isDigit(name.charCodeAt(digits - 1))) digits--;
    // A prefix may itself end in digits: `%r1<10>` declares %r10 … %r19.
    for (let at = digits; at < name.length; at++) {
      const range = this.ranges.get(name.slice(0, at));
      if (range === undefined || !inRange(name.slice(at), range.count)) continue;
      const entity = range.make(name);
      this.names.set(name, entity);
      return entity;
    }
    return null;
  }

  find(name: string): Entity | null {
    for (let s: Scope | null = this; s !== null; s = s.parent) {
      const e = s.own(name);
      if (e !== null) return e;
    }
    return null;
  }
}

function inRange(digits: string, count: number): boolean {
  return /^(?:0|[1-9]\d*)$/.test(digits) && Number(digits) < count;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
