/**
 * Reads the strings of the instruction table (row.ts) into structures: bit positions, slots, modifier groups, text
 * templates. Runs once per row, when a form of its mnemonic is first asked for. A string that does not read is a
 * mistake in the table and throws.
 */
import { InternalError } from "../errors.js";
import { groups } from "./groups.js";
import { File, type SlotInfo } from "./types.js";

/** Consecutive bits of the 128-bit word. */
export interface Piece {
  readonly lo: number;
  readonly width: number;
}

/** A field: its pieces from the least significant on. */
export type Loc = readonly Piece[];

export interface Fixed {
  readonly loc: Loc;
  readonly value: number;
}

export function parseLoc(text: string): Loc {
  return text.split("+").map((piece) => {
    const m = /^(\d+)(?::(\d+))?$/.exec(piece);
    if (!m) throw new InternalError(`instruction table: bad bit position "${text}"`);
    return { lo: Number(m[1]), width: m[2] ? Number(m[2]) : 1 };
  });
}

export function widthOf(loc: Loc): number {
  let n = 0;
  for (const p of loc) n += p.width;
  return n;
}

/** `74=0 77:4=15` */
export function parseFixed(text: string | undefined): Fixed[] {
  if (!text) return [];
  return text.split(" ").map((item) => {
    const [loc, value] = item.split("=");
    return { loc: parseLoc(loc!), value: Number(value) };
  });
}

export function holdsFor(sm: string | undefined, isa: number): boolean {
  if (!sm) return true;
  return sm.split(",").some((range) => {
    const [from, to] = range.includes("-") ? range.split("-") : [range, range];
    return isa >= Number(from || 0) && isa <= Number(to || 9999);
  });
}

// ---------------------------------------------------------------------------------------------- modifier groups

export interface GroupValue {
  /** As printed: "", ".E", ".CONSTANT.PRIVATE". */
  readonly text: string;
  readonly mods: readonly string[];
  readonly code: number;
  /** Bytes of data that the value stands for (`.64/8`), 0 when it says nothing. */
  readonly bytes: number;
}

export interface Group {
  readonly name: string;
  readonly loc: Loc;
  readonly values: readonly GroupValue[];
  /** Index = code; null where nvdisasm refuses the word or prints nothing. */
  readonly byCode: readonly (GroupValue | null)[];
  readonly refused: readonly number[];
  readonly hidden: readonly number[];
  /** Part selectors whose place depends on the operand's: lowest bit of the register → place. */
  readonly places: ReadonlyMap<number, Loc> | null;
}

const groupCache = new Map<string, Group>();

/** `{name}`, `{name@loc}` or `{v0|v1|…@loc}`. */
export function parseGroup(text: string): Group {
  const known = groupCache.get(text);
  if (known) return known;
  const [head, at] = text.split("@");
  let loc = at;
  let items: string[];
  let name = head!;
  if (head!.includes("|")) {
    items = head!.split("|");
    name = "";
  } else {
    const spec = groups[head!];
    if (spec === undefined) throw new InternalError(`instruction table: unknown modifier group "${head}"`);
    const colon = spec.indexOf(" ");
    if (spec.startsWith("@")) {
      loc ??= spec.slice(1, colon);
      items = spec.slice(colon + 1).split(" ");
    } else items = spec.split(" ");
  }
  if (!loc) throw new InternalError(`instruction table: modifier group "${text}" has no place`);
  const places = loc.includes(">") ? parsePlaces(loc) : null;
  const group = makeGroup(name, places ? [...places.values()][0]! : parseLoc(loc), items, places);
  groupCache.set(text, group);
  return group;
}

/** One or several groups after an operand, `{_|.A@1}{_|.B@2}`, as one group of their combinations. */
function parseParts(text: string): Group {
  const all = text.slice(1, -1).split("}{").map(parseGroup);
  if (all.length === 1) return all[0]!;
  const known = groupCache.get(text);
  if (known) return known;
  let values = [{ text: "", mods: [] as readonly string[], code: 0, bytes: 0 }];
  let loc: Loc = [];
  for (const g of all) {
    const shift = 2 ** widthOf(loc);
    values = g.values.flatMap((v) =>
      values.map((w) => ({
        text: w.text + v.text,
        mods: [...w.mods, ...v.mods],
        code: w.code + v.code * shift,
        bytes: w.bytes || v.bytes,
      })),
    );
    loc = [...loc, ...g.loc];
  }
  const byCode: (GroupValue | null)[] = new Array(2 ** widthOf(loc)).fill(null);
  for (const v of values) byCode[v.code] = v;
  const codes = (which: "refused" | "hidden"): number[] => {
    const bad: number[] = [];
    let at = 0;
    for (const g of all) {
      const size = 2 ** widthOf(g.loc);
      for (let c = 0; c < 2 ** widthOf(loc); c++) if (g[which].includes(Math.floor(c / 2 ** at) % size)) bad.push(c);
      at += widthOf(g.loc);
    }
    return bad;
  };
  const group: Group = {
    name: "",
    loc,
    values,
    byCode,
    refused: codes("refused"),
    hidden: codes("hidden"),
    places: null,
  };
  groupCache.set(text, group);
  return group;
}

/** Number of the register that an echo shows; the highest number is the zero register (or none), which is its own echo. */
export function echoId(o: { readonly id: number }, t: Echo, isa: number): number {
  const last = 2 ** t.bits(isa) - 1;
  if (o.id < 0 || o.id === last) return o.id;
  const id = (o.id + t.plus) & last;
  return id === last && !t.nonzero ? -1 : id;
}

/** `24>74:2,32>60:2` */
function parsePlaces(text: string): Map<number, Loc> {
  return new Map(
    text.split(",").map((item) => {
      const [at, loc] = item.split(">");
      return [Number(at), parseLoc(loc!)] as const;
    }),
  );
}

function makeGroup(name: string, loc: Loc, items: readonly string[], places: Group["places"]): Group {
  const size = 2 ** widthOf(loc);
  const byCode: (GroupValue | null)[] = new Array(size).fill(null);
  const last = items[items.length - 1]!;
  const undefinedName = undefinedNames[last] ?? ".INVALID";
  const refused: number[] = [];
  const hidden: number[] = [];
  let code = 0;
  for (const item of items) {
    if (item.startsWith("...")) break;
    const m = /^(?:(\d+)=)?([^/]*)(?:\/(\d+))?$/.exec(item)!;
    if (m[1]) code = Number(m[1]);
    if (code >= size) throw new InternalError(`instruction table: group ${name} has too many values`);
    if (m[2] === "!") refused.push(code);
    else if (m[2] === "~") hidden.push(code);
    else if (m[2] !== "?") byCode[code] = groupValue(m[2]!, code, Number(m[3] ?? 0));
    code++;
  }
  for (; last === "...!" && code < size; code++) refused.push(code);
  for (let i = 0; i < size; i++) byCode[i] ??= groupValue(`${undefinedName}${i}`, i, 0);
  for (const i of [...refused, ...hidden]) byCode[i] = null;
  return { name, loc, values: byCode.filter((v) => v !== null), byCode, refused, hidden, places };
}

/** How a code that no value stands for is printed, by the end of the list. */
const undefinedNames: Readonly<Record<string, string>> = {
  "...???": ".???",
  // Words that are operands have no dot.
  "...?": "???",
  "...I": "INVALID",
};

function groupValue(item: string, code: number, bytes: number): GroupValue {
  const text = item === "_" ? "" : item;
  return { text, mods: text.split(".").filter(Boolean), code, bytes };
}

// ---------------------------------------------------------------------------------------------- slots

export interface Slot {
  readonly name: string;
  readonly isDst: boolean;
  /** Position among `dsts` or `srcs`. */
  readonly index: number;
  readonly file: File;
  /** "reg" or what the slot holds instead of a register. */
  readonly holds: "reg" | "imm" | "label" | "sreg" | "const";
  /** Registers; a string names the modifier group that says it, with a divisor (`shape/2`). */
  readonly width: number | string;
  readonly optional: SlotInfo["optional"];
  readonly variadic: boolean;
  /** How a number is written: hexadecimal, `SB3`, the list of its ones `{5,4,0}`,
   * signs of lanes, a distance from the next instruction. */
  readonly format: "hex" | "sb" | "word" | "bits" | "pattern" | "rel";
}

const files: Readonly<Record<string, File>> = { R: File.R, UR: File.UR, P: File.P, UP: File.UP, B: File.B };
const holders: Readonly<Record<string, Slot["holds"]>> = {
  I: "imm",
  SB: "imm",
  WORD: "imm",
  BITS: "imm",
  PATTERN: "imm",
  REL: "imm",
  L: "label",
  S: "sreg",
  C: "const",
};
const formats: Readonly<Record<string, Slot["format"]>> = {
  SB: "sb",
  WORD: "word",
  BITS: "bits",
  PATTERN: "pattern",
  REL: "rel",
};

export function parseSlots(text: string): Slot[] {
  const arrow = text.split(/\s*<-\s*/);
  const lists = arrow.length === 2 ? arrow : ["", text];
  const out: Slot[] = [];
  lists.forEach((list, side) => {
    list!
      .split(" ")
      .filter(Boolean)
      .forEach((item, index) => {
        const m = /^([a-z]\w*)(\.\.\.)?(?::(\w+))?(?:\*(\w+(?:\/\d)?))?(?:=(.+))?$/.exec(item);
        if (!m) throw new InternalError(`instruction table: bad slot "${item}"`);
        const kind = m[3] ?? "R";
        const holds = holders[kind] ?? "reg";
        out.push({
          name: m[1]!,
          isDst: side === 0,
          index,
          file: files[kind] ?? File.None,
          holds,
          width: m[4] === undefined ? 1 : /^\d+$/.test(m[4]) ? Number(m[4]) : m[4],
          optional: (m[5] as SlotInfo["optional"]) ?? null,
          variadic: m[2] !== undefined,
          format: formats[kind] ?? "hex",
        });
      });
  });
  return out;
}

// ---------------------------------------------------------------------------------------------- templates

export interface OperandRef {
  readonly slot: Slot;
  readonly loc: Loc | null;
  /** The field holds the complement of the register number. */
  readonly complement: boolean;
  readonly signed: boolean;
  /** How an offset reads where no register stands before it: as an address (`s`), signed too (`ss`), as an address as
   * soon as the base is zero (`su`). */
  readonly alone: "address" | "signed" | "base";
  readonly scale: number;
  readonly neg: boolean;
  readonly abs: boolean;
  /** `~` or `!`. */
  readonly not: "" | "~" | "!";
  /** Bits given explicitly, else −1: they follow from the position. */
  readonly negBit: number;
  readonly notBit: number;
  /** A number in a slot that otherwise holds registers. */
  readonly number: boolean;
  readonly omit: boolean;
  /** There is no zero register here: the highest number is printed as `???255`. */
  readonly nonzero: boolean;
  readonly part: Group | null;
  /** The part stands inside the bars: `|R5.H1|` against `|R5|.H1_H1`. */
  readonly partInside: boolean;
  /** A number has the part, too (`{+half72}`): `0.5.H1`. */
  readonly partOfNumber: boolean;
  /** The part stands after the bracket around the operand. */
  readonly partAfter: boolean;
  /** Something follows at once: the brackets of a constant stand apart then. */
  readonly spaced: boolean;
  /** Bit that keeps the operand for reuse where it does not follow from the place, −1. */
  readonly reuseBit: number;
  /** Bit that lets a descriptor appear in the text, −1 when it always does. */
  readonly shownBit: number;
  /** A zero base of an address is written: after a descriptor, and from sm_80 on with `.64` and `.U32`. */
  readonly keepZero: boolean;
  /** Text fixed after the operand, e.g. `.64` of an address register. */
  readonly suffix: string;
}

export interface Echo {
  readonly kind: "echo";
  readonly slot: Slot;
  readonly plus: number;
  /** There is no zero register here. */
  readonly nonzero: boolean;
  readonly bits: (isa: number) => number;
}

export type Token =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "ref"; readonly ref: OperandRef }
  /** The part selector of an operand shown before, after a bracket: `gdesc[UR4].tnspA`. */
  | { readonly kind: "part"; readonly ref: OperandRef }
  /** The register `plus` after the one that the slot holds: `idesc[a+1]`. */
  | Echo
  /** `desc?101[desc@32]`: a descriptor that is written only if a bit of the word is set. */
  | { readonly kind: "quiet"; readonly ref: OperandRef }
  /** `[a+b+c]`: terms joined by `+`; zero registers and zero offsets vanish. */
  | { readonly kind: "sum"; readonly terms: readonly OperandRef[] }
  | { readonly kind: "const"; readonly ref: ConstRef };

/**
 * A constant-bank operand with its own bits: `c[b@54:5][R@24+@38:16s]` (bank, index register, signed byte offset) or
 * `cx[b@24][@38:16]` (uniform register in place of the bank).
 */
export interface ConstRef {
  readonly slot: Slot;
  /** The first bracket holds a uniform register. */
  readonly indirect: boolean;
  readonly bank: Loc;
  readonly indexFile: File;
  /** A zero index register is written, too (`UR!`). */
  readonly keepIndex: boolean;
  readonly index: Loc | null;
  readonly offset: Loc;
  readonly signed: boolean;
  readonly scale: number;
}

const constPattern = /^(cx?)\[([a-z]\w*)@([\d:]+)\]\[(?:(U?R)(!?)@([\d:]+)\+)?@([\d:]+)(s?)(?:x(\d+))?\]/;

export type HeadPart =
  | { readonly kind: "fixed"; readonly mod: string }
  | { readonly kind: "group"; readonly group: Group };

export interface Template {
  readonly op: string;
  readonly head: readonly HeadPart[];
  /** Operands between commas. */
  readonly operands: readonly (readonly Token[])[];
}

const refPattern =
  /^([-|~!]*)([a-z]\w*)(\|?)(?:(@@?|#)(\^?)([\d:]+(?:\+\d[\d:]*)*))?(s[su]?)?(?:x(\d+))?(?:-(\d+))?(?:!(\d+))?(?:%(\d+))?((?:\{[^}]*\})*)((?:\.64|\.U32)*)(\|?)(\??)/;

export function parseTemplate(text: string, slots: readonly Slot[]): Template {
  const space = text.indexOf(" ");
  const head = space < 0 ? text : text.slice(0, space);
  const rest = space < 0 ? "" : text.slice(space + 1);
  const parts = head.match(/\{[^}]*\}|\.[^.{]+|^[^.{]+/g) ?? [];
  const headParts: HeadPart[] = parts
    .slice(1)
    .map((p) =>
      p.startsWith("{") ? { kind: "group", group: parseGroup(p.slice(1, -1)) } : { kind: "fixed", mod: p.slice(1) },
    );
  const operands = rest === "" ? [] : rest.split(", ").map((o) => parseOperand(o, slots, text));
  return { op: parts[0]!, head: headParts, operands };
}

function parseOperand(text: string, slots: readonly Slot[], where: string): Token[] {
  const out: Token[] = [];
  let rest = text;
  while (rest !== "") {
    const constant = constPattern.exec(rest);
    if (constant) {
      out.push({ kind: "const", ref: constRef(constant, slots) });
      rest = rest.slice(constant[0].length);
      continue;
    }
    const quiet = /^desc\?(\d+)\[([^\]]+)\]/.exec(rest);
    if (quiet) {
      const { ref } = parseRef(quiet[2]!, slots, where)!;
      out.push({ kind: "quiet", ref: { ...ref, shownBit: Number(quiet[1]) } });
      rest = rest.slice(quiet[0].length);
      continue;
    }
    const opening = /^[a-z]+\[/.exec(rest);
    if (opening) {
      out.push({ kind: "text", text: opening[0].slice(0, -1) });
      rest = rest.slice(opening[0].length - 1);
      if (!isSum(rest)) {
        out.push({ kind: "text", text: "[" });
        rest = rest.slice(1);
      }
      continue;
    }
    if (isSum(rest)) {
      const end = closing(rest);
      const start = rest.startsWith("[?") ? 2 : 1;
      const terms = splitTerms(rest.slice(start, end)).map((t) => {
        const r = parseRef(t, slots, where);
        if (!r || r.length !== t.length) throw new InternalError(`instruction table: bad address "${text}"`);
        const afterDescriptor = out.some((t) => (t.kind === "ref" || t.kind === "quiet") && t.ref.slot.name === "desc");
        return { ...r.ref, keepZero: afterDescriptor || (start === 1 && r.ref.suffix !== "") };
      });
      out.push({ kind: "sum", terms });
      rest = rest.slice(end + 1);
      continue;
    }
    const number = /^0x[0-9a-f]+/.exec(rest);
    if (number) {
      out.push({ kind: "text", text: number[0] });
      rest = rest.slice(number[0].length);
      continue;
    }
    const echo = /^([a-z]\w*)(@@)?\+(\d+)/.exec(rest);
    if (echo) {
      out.push(echoOf(slots.find((s) => s.name === echo[1])!, Number(echo[3]), echo[2] !== undefined));
      rest = rest.slice(echo[0].length);
      continue;
    }
    const r = parseRef(rest, slots, where);
    if (r) {
      rest = rest.slice(r.length);
      out.push({ kind: "ref", ref: { ...r.ref, spaced: r.ref.part !== null || rest.startsWith(".") } });
      continue;
    }
    const trailing = /^\](\{[^}]*\})+/.exec(rest);
    const last = out[out.length - 1];
    if (trailing && last?.kind === "ref") {
      const ref = { ...last.ref, part: parseParts(trailing[0].slice(1)), partAfter: true };
      out[out.length - 1] = { kind: "ref", ref };
      out.push({ kind: "text", text: "]" }, { kind: "part", ref });
      rest = rest.slice(trailing[0].length);
      continue;
    }
    const lit = /^(\.?[A-Z][\w.]*|.)/.exec(rest)![0];
    out.push({ kind: "text", text: lit });
    rest = rest.slice(lit.length);
  }
  return out;
}

function echoOf(slot: Slot, plus: number, nonzero: boolean): Echo {
  return { kind: "echo", slot, plus, nonzero, bits: (isa) => (slot.file === File.UR && isa < 100 ? 6 : 8) };
}

function constRef(m: RegExpExecArray, slots: readonly Slot[]): ConstRef {
  const slot = slots.find((s) => s.name === m[2]);
  if (!slot) throw new InternalError(`instruction table: no slot "${m[2]}"`);
  return {
    slot,
    indirect: m[1] === "cx",
    bank: parseLoc(m[3]!),
    indexFile: m[4] === "UR" ? File.UR : m[4] === "R" ? File.R : File.None,
    keepIndex: m[5] === "!",
    index: m[6] ? parseLoc(m[6]) : null,
    offset: parseLoc(m[7]!),
    signed: m[8] === "s",
    scale: m[9] ? Number(m[9]) : 1,
  };
}

function closing(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "[" || text[i] === "{") depth++;
    else if (text[i] === "]" || text[i] === "}") {
      depth--;
      if (depth === 0) return i;
    }
  }
  throw new InternalError(`instruction table: unbalanced "${text}"`);
}

/** A bracket of several terms. */
function isSum(text: string): boolean {
  if (text.startsWith("]")) return false;
  return text.startsWith("[") && splitTerms(text.slice(1, closing(text))).length > 1;
}

/** Terms of a sum; a `+` inside a bit position belongs to it (a digit follows). */
function splitTerms(text: string): string[] {
  return text.split(/\+(?=[a-z])/);
}

function parseRef(text: string, slots: readonly Slot[], where: string): { ref: OperandRef; length: number } | null {
  const m = refPattern.exec(text);
  if (!m) return null;
  const [all, flags, name, barBefore, at, complement, loc, signed, scale, negBit, notBit, reuse, part, suffix, , omit] =
    m;
  const slot = slots.find((s) => s.name === name);
  if (!slot) throw new InternalError(`instruction table: no slot "${name}" in ${where}`);
  const ref: OperandRef = {
    slot,
    loc:
      slot.format === "word"
        ? parseParts(part!).loc
        : loc
          ? parseLoc(loc)
          : slot.name === "d"
            ? [{ lo: 16, width: 0 }]
            : null,
    complement: complement === "^",
    signed: signed !== undefined,
    alone: signed === "ss" ? "signed" : signed === "su" ? "base" : "address",
    scale: scale ? Number(scale) : 1,
    neg: flags!.includes("-"),
    abs: flags!.includes("|"),
    not: flags!.includes("~") ? "~" : flags!.includes("!") ? "!" : "",
    negBit: negBit ? Number(negBit) : -1,
    notBit: notBit ? Number(notBit) : -1,
    number: at === "#",
    omit: omit === "?",
    nonzero: at === "@@",
    part: part ? parseParts(part.replace("{+", "{")) : null,
    partInside: flags!.includes("|") && barBefore === "",
    partOfNumber: part?.startsWith("{+") ?? false,
    partAfter: false,
    spaced: false,
    reuseBit: reuse ? Number(reuse) : -1,
    suffix: suffix ?? "",
    shownBit: -1,
    keepZero: false,
  };
  return { ref, length: all!.length };
}
