import type { Module } from "./ast.js";

/** Whether two trees are the same apart from positions and file name. */
export function equalModules(a: Module, b: Module): boolean {
  return same(a.items, b.items);
}

const IGNORED: ReadonlySet<string> = new Set(["span", "endSpan", "nameSpan", "targetSpans"]);

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  const p = elements(a);
  const q = elements(b);
  if (p !== null || q !== null)
    return p !== null && q !== null && p.length === q.length && p.every((x, i) => same(x, q[i]));
  const x = a as Readonly<Record<string, unknown>>;
  const y = b as Readonly<Record<string, unknown>>;
  const keys = Object.keys(x).filter((k) => !IGNORED.has(k));
  if (keys.length !== Object.keys(y).filter((k) => !IGNORED.has(k)).length) return false;
  return keys.every((k) => k in y && same(x[k], y[k]));
}

/** Of an array or a list of statements. */
function elements(o: object): readonly unknown[] | null {
  if (Array.isArray(o)) return o;
  return Symbol.iterator in o ? [...(o as Iterable<unknown>)] : null;
}
