import type { Module } from "./ast.js";

/** Whether two trees are the same apart from positions and file name. */
export function equalModules(a: Module, b: Module): boolean {
  return same(a.items, b.items);
}

const IGNORED: ReadonlySet<string> = new Set(["span", "endSpan", "nameSpan", "targetSpans"]);

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((x, i) => same(x, b[i]));
  }
  const x = a as Readonly<Record<string, unknown>>;
  const y = b as Readonly<Record<string, unknown>>;
  const keys = Object.keys(x).filter((k) => !IGNORED.has(k));
  if (keys.length !== Object.keys(y).filter((k) => !IGNORED.has(k)).length) return false;
  return keys.every((k) => k in y && same(x[k], y[k]));
}
