import type { Span } from "../diagnostics.js";
import type { CallPrototype, Declaration, FunctionItem, Parameter, Variable, VariableType } from "./ast.js";

/** What a name stands for. */
export type PtxSymbol =
  | { readonly kind: "register"; readonly type: string; readonly vector: number | null }
  | {
      readonly kind: "variable";
      readonly space: string;
      readonly type: string;
      readonly vector: number | null;
      readonly declaration: VariableType;
      readonly dims: readonly (number | null)[];
    }
  | { readonly kind: "function"; readonly item: FunctionItem }
  | { readonly kind: "label" }
  | { readonly kind: "branchtargets" }
  | { readonly kind: "calltargets" }
  | { readonly kind: "prototype"; readonly prototype: CallPrototype };

interface Range {
  readonly prefix: string;
  readonly count: number;
  readonly symbol: PtxSymbol;
}

const NUMBERED: RegExp = /^(.*?)(0|[1-9]\d*)$/;

/** One block, function signature or module: names of its own, and the scope around it. */
export class Scope {
  readonly parent: Scope | null;
  private readonly names: Map<string, PtxSymbol> = new Map();
  private ranges: Map<string, Range> | null = null;

  constructor(parent: Scope | null) {
    this.parent = parent;
  }

  /** False if this scope has the name already. */
  declare(name: string, symbol: PtxSymbol): boolean {
    if (this.own(name) !== null) return false;
    this.names.set(name, symbol);
    return true;
  }

  /** Replaces what the name stood for: a definition after its declaration. */
  redeclare(name: string, symbol: PtxSymbol): void {
    this.names.set(name, symbol);
  }

  forget(name: string): void {
    this.names.delete(name);
  }

  /** `%r<100>`; false if this scope has such a range. */
  declareRange(prefix: string, count: number, symbol: PtxSymbol): boolean {
    this.ranges ??= new Map();
    if (this.ranges.has(prefix)) return false;
    this.ranges.set(prefix, { prefix, count, symbol });
    // ptxas lets a label have the form of such a register, and then no longer finds it.
    for (const [name, s] of this.names)
      if (s.kind === "label" && name.startsWith(prefix) && inRange(name.slice(prefix.length), count))
        this.names.delete(name);
    return true;
  }

  /** What this scope declares under the name itself, not by a range. */
  named(name: string): PtxSymbol | null {
    const found = this.names.get(name) ?? null;
    // Registers of a range are kept there too, once they were looked up.
    for (const range of this.ranges?.values() ?? []) if (range.symbol === found) return null;
    return found;
  }

  /** The symbol of this scope alone. */
  own(name: string): PtxSymbol | null {
    const found = this.names.get(name);
    if (found !== undefined) return found;
    if (this.ranges === null) return null;
    const m = NUMBERED.exec(name);
    // `%r1<5>` declares %r10 … %r14: the digits may belong to the prefix, so every cut is tried.
    for (let cut = m === null ? name.length : name.length - (trailingDigits(name) || 1); cut < name.length; cut++) {
      const range = this.ranges.get(name.slice(0, cut));
      if (range === undefined || !inRange(name.slice(cut), range.count)) continue;
      this.names.set(name, range.symbol);
      return range.symbol;
    }
    return null;
  }

  /** The innermost symbol of that name. */
  lookup(name: string): PtxSymbol | null {
    for (let s: Scope | null = this; s !== null; s = s.parent) {
      const found = s.own(name);
      if (found !== null) return found;
    }
    return null;
  }
}

function inRange(digits: string, count: number): boolean {
  return /^(?:0|[1-9]\d*)$/.test(digits) && Number(digits) < count;
}

function trailingDigits(name: string): number {
  let n = 0;
  while (n < name.length && name.charCodeAt(name.length - 1 - n) >= 48 && name.charCodeAt(name.length - 1 - n) <= 57)
    n++;
  return n;
}

export function symbolOf(d: Declaration | Parameter, v: Variable | Parameter): PtxSymbol {
  if (d.space === "reg") return { kind: "register", type: d.type, vector: d.vector };
  return { kind: "variable", space: d.space, type: d.type, vector: d.vector, declaration: d, dims: v.dims };
}

/** A use of a name that had no meaning where it stood; ptxas reports it at the end of the function. */
export interface UnknownName {
  readonly name: string;
  readonly span: Span;
}
