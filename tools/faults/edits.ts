/** Small random edits of functions in text form, to find inputs on which a fault shows. */

/** Numbers from 0 up to n. */
export type Below = (n: number) => number;

const literals = [
  "0x0",
  "0x1",
  "0x2",
  "0x3",
  "0x4",
  "0x8",
  "0xf",
  "0x10",
  "0x1f",
  "0x20",
  "0xff",
  "0x7fffffff",
  "0x80000000",
  "-0x1",
];
const words = [".FTZ", ".SAT", ".U32", ".X", ".64", ".U8", ".STRONG.GPU"];
const notes = ["contract", "own", "part", "kept", "rounded", "volatile"];

const isCode = (line: string): boolean => !/^b\d+\b|^;|^func|^value/.test(line.trim());
const split = (line: string): { guard: string; op: string; rest: string } => {
  const m = /^\s*(@!?%?U?P\w+\s+)?(\S+)\s*(.*)$/.exec(line) as RegExpExecArray;
  return { guard: m[1] ?? "", op: m[2] ?? "", rest: m[3] ?? "" };
};

/** One edit of the lines after the headline; null where the edit does not fit. */
export function edited(lines: readonly string[], below: Below): string[] | null {
  const of = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const code = lines.flatMap((l, k) => (isCode(l) ? [k] : []));
  if (code.length === 0) return null;
  const at = of(code);
  const { guard, op, rest } = split(lines[at] as string);
  const all = lines.join("\n");
  const registers = [...new Set(all.match(/%U?[RP]\d+(?::\d+(?:-\d+)?)?/g) ?? [])];
  const next = 1 + Math.max(0, ...[...all.matchAll(/%[A-Z]+(\d+)/g)].map((m) => Number(m[1])));
  const fileOf = (r: string): string => (/^%[A-Z]+/.exec(r) as RegExpExecArray)[0];
  const put = (line: string): string[] => lines.map((l, k) => (k === at ? line : l));
  const insert = (...more: string[]): string[] => [...lines.slice(0, at), ...more, ...lines.slice(at)];
  const predicates = registers.filter((r) => r.startsWith("%P"));
  const words32 = registers.filter((r) => r.startsWith("%R"));
  switch (below(14)) {
    case 0: {
      // Another register of the same file.
      const own = rest.match(/%U?[RP]\d+(?::\d+(?:-\d+)?)?/g) ?? [];
      if (own.length === 0) return null;
      const r = of(own);
      const others = registers.filter((o) => o !== r && fileOf(o) === fileOf(r));
      return others.length === 0 ? null : put(`${guard}${op} ${rest.replace(r, of(others))}`);
    }
    case 1:
      return /0x[0-9a-f]+/.test(rest) ? put(`${guard}${op} ${rest.replace(/-?0x[0-9a-f]+/, of(literals))}`) : null;
    case 2: {
      if (guard !== "") return put(`${op} ${rest}`);
      return predicates.length === 0 ? null : put(`@${of(["", "!"])}${of(predicates)} ${op} ${rest}`);
    }
    case 3:
      return [...lines.slice(0, at), ...lines.slice(at + 1)];
    case 4:
      return words32.length === 0 ? null : insert(`STG.E [RZ+${of(literals)}], ${of(words32)}`);
    case 5: {
      const b = lines[at + 1];
      return b === undefined || !isCode(b)
        ? null
        : [...lines.slice(0, at), b, lines[at] as string, ...lines.slice(at + 2)];
    }
    case 6: {
      const m = of(words);
      return put(`${guard}${op.includes(m) ? op.replace(m, "") : `${op}${m}`} ${rest}`);
    }
    case 7: {
      // A source becomes zero or a literal.
      const own = [...rest.matchAll(/, (%R\d+(?::\d+)?)/g)];
      if (own.length === 0) return null;
      const m = of(own);
      const start = (m.index as number) + 2;
      const by = of(["RZ", ...literals]);
      return put(`${guard}${op} ${rest.slice(0, start)}${by}${rest.slice(start + (m[1] as string).length)}`);
    }
    case 8: {
      const own = [...rest.matchAll(/, ([-~|]?)(%R\d+(?::\d+)?)/g)];
      if (own.length === 0) return null;
      const m = of(own);
      const start = (m.index as number) + 2;
      const by = m[1] === "" ? `${of(["-", "~"])}${m[2]}` : `${m[2]}`;
      return put(`${guard}${op} ${rest.slice(0, start)}${by}${rest.slice(start + (m[0] as string).length - 2)}`);
    }
    case 9: {
      // The same once more, into a new register.
      const d = /^%(U?[RP])\d+/.exec(rest);
      return d === null
        ? null
        : insert(`${guard}${op} ${rest.replace(d[0], `%${d[1]}${next}`)}`, `STG.E [RZ], %${d[1]}${next}`);
    }
    case 10: {
      const own = rest.match(/\{\w+\}/);
      return put(own === null ? `${guard}${op} ${rest} {${of(notes)}}` : `${guard}${op} ${rest.replace(own[0], "")}`);
    }
    case 11: {
      // A block of its own from here on, with another way to it or past it.
      const names = [...all.matchAll(/^b(\d+)\b/gm)].map((m) => Number(m[1]));
      const fresh = 1 + Math.max(0, ...names);
      const way =
        predicates.length > 0 && below(2) === 0 ? [`@${of(["", "!"])}${of(predicates)} BRA b${of(names)}`] : [];
      return insert(...way, `b${fresh}`);
    }
    case 12: {
      // What stands elsewhere, here.
      const from = of(code);
      return from === at ? null : insert(lines[from] as string);
    }
    default: {
      const others = (all.match(/\bRZ\b/g) ?? []).length;
      if (others === 0 || words32.length === 0 || !/\bRZ\b/.test(rest)) return null;
      return put(`${guard}${op} ${rest.replace(/\bRZ\b/, of(words32))}`);
    }
  }
}
