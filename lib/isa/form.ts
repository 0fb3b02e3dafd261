/**
 * A Form is an opcode with all its modifiers, interned: two instructions with the same opcode and modifiers share one
 * object. What depends on the form alone is looked up once, when it is interned, and kept here.
 *
 * Forms come from the instruction table (table.ts): `form("IADD3.X")` finds the row of that name, and the row says which
 * slots there are. `describe("LDG")` prints the rows of a mnemonic.
 */
import { InternalError } from "../errors.js";
import type { GroupValue, Slot, Template } from "./syntax.js";
import { type ParsedRow, rowsOf } from "./table.js";
import type { Form, SlotInfo } from "./types.js";
import { widthUnder } from "./widths.js";

export { File, type Flow, type Form, type Memory, type SlotInfo, type Space } from "./types.js";

/** What `form(name)` gives: of two rows that share a name the first, whichever of them was met first. */
const byName = new Map<string, Form | null>();
/** Forms by row: two rows may share a name when their operands differ (text tells them apart). */
const namesakes = new Map<ParsedRow, Map<string, Form>>();
const all: Form[] = [];
const rowById: ParsedRow[] = [];

/**
 * The form of a full instruction name such as `LDG.E.128.STRONG.GPU`. Modifiers may stand in any order; the form's name
 * has them as printed. Throws InternalError for a mnemonic or modifier that no SM has.
 */
export function form(name: string): Form {
  const f = tryForm(name);
  if (f) return f;
  const op = name.split(".")[0]!;
  const known = rowsOf(op);
  if (known.length === 0) throw new InternalError(`unknown mnemonic ${op} in "${name}"`);
  throw new InternalError(`"${name}" is no instruction: ${describe(op)}`);
}

/** As `form`, null when there is no such instruction. */
export function tryForm(name: string): Form | null {
  let f = byName.get(name);
  if (f === undefined) {
    f = find(name);
    byName.set(name, f);
  }
  return f;
}

/** All forms of that name, in table order: more than one where rows with other operands share it. */
export function formsNamed(name: string): readonly Form[] {
  const first = tryForm(name);
  if (!first) return [];
  const found = [first];
  const [op, ...mods] = name.split(".");
  for (const row of rowsOf(op!)) {
    if (row === rowOf(first)) continue;
    const line = row.lines.find((l) => matchInOrder(l.template, 0, mods, 0));
    if (line) found.push(intern(row, line.template, matchInOrder(line.template, 0, mods, 0)!));
  }
  return found;
}

/** The table row of a form. */
export function rowOf(f: Form): ParsedRow {
  return rowById[f.id]!;
}

/** Every form made so far, by id. */
export function formById(id: number): Form {
  return all[id]!;
}

function find(name: string): Form | null {
  const [op, ...mods] = name.split(".");
  for (const match of [matchInOrder, matchAnyOrder]) {
    for (const row of rowsOf(op!)) {
      const plain = mods.filter((m) => !row.aliases.some((a) => a.mod === m));
      for (const line of row.lines) {
        const values = match(line.template, 0, plain, 0);
        if (values) return intern(row, line.template, values);
      }
    }
  }
  return null;
}

/** Values of the template's groups that make up exactly these modifiers in printed order. */
export function matchMods(template: Template, mods: readonly string[]): readonly GroupValue[] | null {
  return matchInOrder(template, 0, mods, 0);
}

function matchInOrder(t: Template, i: number, mods: readonly string[], at: number): GroupValue[] | null {
  if (i === t.head.length) return at === mods.length ? [] : null;
  const part = t.head[i]!;
  if (part.kind === "fixed") return mods[at] === part.mod ? matchInOrder(t, i + 1, mods, at + 1) : null;
  for (const pass of [true, false]) {
    for (const v of part.group.values) {
      if (v.mods.length > 0 !== pass || !v.mods.every((m, k) => mods[at + k] === m)) continue;
      const rest = matchInOrder(t, i + 1, mods, at + v.mods.length);
      if (rest) return [v, ...rest];
    }
  }
  return null;
}

function matchAnyOrder(t: Template, i: number, mods: readonly string[], _at: number): GroupValue[] | null {
  if (i === t.head.length) return mods.length === 0 ? [] : null;
  const part = t.head[i]!;
  if (part.kind === "fixed") {
    const at = mods.indexOf(part.mod);
    return at < 0 ? null : matchAnyOrder(t, i + 1, without(mods, [part.mod])!, 0);
  }
  for (const pass of [true, false]) {
    for (const v of part.group.values) {
      if (v.mods.length > 0 !== pass) continue;
      const left = without(mods, v.mods);
      const rest = left && matchAnyOrder(t, i + 1, left, 0);
      if (rest) return [v, ...rest];
    }
  }
  return null;
}

function without(mods: readonly string[], remove: readonly string[]): string[] | null {
  const left = [...mods];
  for (const m of remove) {
    const at = left.indexOf(m);
    if (at < 0) return null;
    left.splice(at, 1);
  }
  return left;
}

/** The form of a template under these group values; the same name is always the same object. */
export function intern(row: ParsedRow, template: Template, values: readonly GroupValue[]): Form {
  const mods: string[] = [];
  let g = 0;
  for (const part of template.head) {
    if (part.kind === "fixed") mods.push(part.mod);
    else mods.push(...values[g++]!.mods);
  }
  const name = [row.op, ...mods].join(".");
  let ofRow = namesakes.get(row);
  if (!ofRow) {
    ofRow = new Map();
    namesakes.set(row, ofRow);
  }
  let f = ofRow.get(name);
  if (!f) {
    f = make(row, template, values, name, mods);
    all.push(f);
    rowById.push(row);
    ofRow.set(name, f);
  }
  return f;
}

function make(row: ParsedRow, template: Template, values: readonly GroupValue[], name: string, mods: string[]): Form {
  const bytes = new Map<string, number>();
  let g = 0;
  for (const part of template.head) {
    if (part.kind !== "group") continue;
    const v = values[g++]!;
    // `size75` and `sizeC` are the `size` of other SMs or instructions.
    if (v.bytes) bytes.set(part.group.name.replace(/[A-Z\d]+$/, "") || "size", v.bytes);
  }
  const info = (s: Slot): SlotInfo =>
    slotInfo(
      row,
      s,
      widthUnder(row.widths, s.name, typeof s.width === "number" ? s.width : widthBy(s.width, bytes), mods),
    );
  const { row: r } = row;
  return {
    id: all.length,
    name,
    op: row.op,
    mods,
    dsts: row.slots.filter((s) => s.isDst).map(info),
    srcs: row.slots.filter((s) => !s.isDst).map(info),
    flow: r.flow ?? "next",
    memory: r.memory
      ? {
          space: r.memory[0],
          access: r.memory[1],
          bytes: typeof r.bytes === "string" ? (bytes.get(r.bytes) ?? 4) : (r.bytes ?? 0),
        }
      : null,
    sideEffect: r.effect ?? false,
    pseudo: r.lines.every((l) => l.as === ""),
    variadic: row.slots.some((s) => s.variadic),
  };
}

/** Of a slot what it says by width: forms of a row share it. */
const infos = new Map<Slot, SlotInfo[]>();

function slotInfo(row: ParsedRow, s: Slot, width: number): SlotInfo {
  let known = infos.get(s);
  if (known === undefined) {
    known = [];
    infos.set(s, known);
  }
  let found = known.find((i) => i.width === width);
  if (found === undefined) {
    found = { name: s.name, file: s.file, width, accepts: known[0]?.accepts ?? accepted(row, s), optional: s.optional };
    known.push(found);
  }
  return found;
}

/** `size`, `shape/2`: bytes that a modifier says, in registers. */
function widthBy(text: string, bytes: ReadonlyMap<string, number>): number {
  const [name, by] = text.split("/");
  return Math.max(1, ((bytes.get(name!) ?? 4) / Number(by ?? 1)) >> 2);
}

const kindOfLetter: Readonly<Record<string, readonly string[]>> = {
  R: ["reg"],
  r: ["reg"],
  q: ["reg"],
  I: ["imm", "sym"],
  C: ["const"],
  X: ["const"],
  U: ["ureg"],
};

function accepted(row: ParsedRow, s: Slot): string[] {
  const out = new Set<string>();
  const letterAt = row.slots.filter((x) => /^[abc]$/.test(x.name)).indexOf(s);
  if (s.holds === "reg") out.add("reg");
  else out.add(s.holds);
  if (s.holds === "imm" || row.row.lines.every((l) => l.as === "")) out.add("sym");
  if (s.holds === "label") out.add("sym");
  if (s.format === "rel") out.add("label");
  for (const line of row.lines) if (numberRef(line.template, s)) out.add("imm");
  if (letterAt >= 0)
    for (const line of row.lines)
      for (const e of line.encodings) for (const k of kindOfLetter[e.shape[letterAt] ?? "R"] ?? []) out.add(k);
  if (row.row.lines.every((l) => l.as === "")) for (const k of ["imm", "const", "ureg"]) out.add(k);
  return [...out];
}

function numberRef(t: Template, s: Slot): boolean {
  return t.operands.some((tokens) => tokens.some((k) => k.kind === "ref" && k.ref.slot === s && k.ref.number));
}

/** The slots of a mnemonic's forms with what they mean, one row of the table per line. */
export function describe(op: string): string {
  return rowsOf(op)
    .map((r) => {
      const texts = [...new Set(r.row.lines.map((l) => l.text))];
      return `${r.row.op}: ${r.row.slots}   (${r.row.does})\n${texts.map((t) => `    ${t}`).join("\n")}`;
    })
    .join("\n");
}
