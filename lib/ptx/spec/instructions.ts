import { CLOSED, DEMANDED } from "./closed.js";
import { FORMS } from "./forms.js";
import { EARLY_GATES, LATE_GATES, VERSION_GATES } from "./rules.js";
import { GATES, INERT, REFUSALS, ROWS } from "./words.js";

/**
 * The instruction specification in memory: the tables of forms.ts and words.ts, read once when the first instruction is looked up.
 */
export interface Form {
  /** Types separated by dots, empty for none; null where anything goes. */
  readonly types: ReadonlySet<string> | null;
  readonly args: readonly Arg[];
  /** Arguments from here on may be missing. */
  readonly required: number;
  /** Ends with `...`: no checks. */
  readonly open: boolean;
}

/** Textures and surfaces with coordinates, what is asked about them, and what else samples take: 32 bits, or a vector. */
export type OpaqueRole = "texture" | "surface" | "query" | "extra";

/** One argument position, as forms.ts writes it. */
export interface Arg {
  readonly role:
    | "def"
    | "use"
    | "defPred"
    | "usePred"
    | "address"
    | "int"
    | "label"
    | "vector"
    | "sink"
    | "any"
    | OpaqueRole;
  /** Type name, or the index of an instruction type; -1 where neither applies. */
  readonly type: string | number;
  /** Twice as wide as the type. */
  readonly double: boolean;
  /** May be wider than the type. */
  readonly relaxed: boolean;
  /** A predicate may follow after `|`. */
  readonly pair: boolean;
  /** No constant will do. */
  readonly variable: boolean;
}

/** One of the modifiers must be there; else the message. */
export interface Demand {
  readonly group: ReadonlySet<string>;
  readonly message: string;
}

/** What modifiers a name takes with a type list. */
export interface Words {
  /** False where no sample of the form was accepted: then nothing is refused. */
  readonly measured: boolean;
  /** One modifier of each group must be there; the message where it is not. An empty group refuses the form as such. */
  readonly demands: readonly Demand[];
  readonly accepted: ReadonlySet<string>;
  /** Accepted beside others; which is not recorded. */
  readonly conditional: ReadonlySet<string>;
  /** Refusals with a wording of their own. */
  readonly refused: ReadonlyMap<string, string>;
}

export interface Gate {
  readonly types: ReadonlySet<string> | null;
  /** `types` are single types, one of which must occur. */
  readonly anyType: boolean;
  readonly words: ReadonlySet<string>;
  /** Modifiers that must be there beside one of `words`. */
  readonly beside: ReadonlyMap<string, string>;
  readonly message: string;
  readonly targets: ReadonlySet<string>;
  /** `targets` are those that accept. */
  readonly inverted: boolean;
}

/** All modifiers that a name with open forms takes, and those of the others that are refused in the plainest words. */
export interface Closed {
  readonly taken: ReadonlySet<string>;
  readonly plainly: ReadonlySet<string>;
}

export interface Instructions {
  readonly forms: ReadonlyMap<string, readonly Form[]>;
  /** First words of names that have more than one. */
  readonly prefixes: ReadonlySet<string>;
  readonly words: ReadonlyMap<string, Words>;
  readonly gates: Gates;
  /** Read with the mnemonic, before the arguments; `*` is for all names. */
  readonly earlyGates: Gates;
  /** Known modifiers and what ptxas says where they do not belong. */
  readonly refusals: ReadonlyMap<string, string>;
  /** All that names with open forms take, and what they cannot do without. */
  readonly closed: ReadonlyMap<string, Closed>;
  readonly demanded: ReadonlyMap<string, readonly Demand[]>;
  readonly inert: ReadonlySet<string>;
}

/** Words that are types among the modifiers. */
export const TYPE_WORDS: ReadonlySet<string> = new Set(
  (
    "b1 b8 b16 b32 b64 b128 b1024 u2 u4 u8 u16 u32 u64 s2 s4 s8 s16 s32 s64 u16x2 s16x2 f16 f16x2 f32 f32x2 f64 bf16 bf16x2 tf32 pred " +
    "e2m1 e2m1x2 e2m1x4 e2m3 e2m3x2 e2m3x4 e3m2 e3m2x2 e3m2x4 e4m3 e4m3x2 e4m3x4 e5m2 e5m2x2 e5m2x4 ue4m3 ue8m0 ue8m0x2 " +
    "texref samplerref surfref b8x16 b6x16_p32 b4x16_p64"
  ).split(" "),
);

function columns(table: string): string[][] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.split(" | ").map((c) => c.replace(/ \|$/, "").trim()));
}

/** What the tables say many times over is one value: of some thousand sets few differ, and a start-up snapshot has all of them. */
function shared<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      value = make(text);
      known.set(text, value);
    }
    return value;
  };
}

const wordsOf = shared((words): ReadonlySet<string> => new Set(words === "" ? [] : words.split(" ")));

function set(words: string | undefined): ReadonlySet<string> {
  return wordsOf(words ?? "");
}

/** `a,b.{c,d}` to a.c a.d b.c b.d. */
const typeLists: (column: string) => ReadonlySet<string> | null = shared((column) => {
  if (column === "*") return null;
  const out = new Set<string>();
  for (const part of column.split(" ")) {
    let lists = [""];
    for (const group of part === "-" ? [] : part.split(/\.(?=\{)/)) {
      const choices = group.replace(/[{}]/g, "").split(",");
      lists = lists.flatMap((l) => choices.map((c) => (l === "" ? c : `${l}.${c}`)));
    }
    for (const l of lists) out.add(l);
  }
  return out;
});

const ROLES: Readonly<Record<string, Arg["role"]>> = {
  a: "address",
  i: "int",
  l: "label",
  v: "vector",
  _: "sink",
  t: "texture",
  u: "surface",
  q: "query",
  x: "extra",
};

const argument: (text: string) => Arg = shared((text): Arg => {
  const relaxed = text.includes("~");
  const pair = text.endsWith("|") || text.endsWith("|p");
  const core = text.replace("~", "").replace(/\|p?$/, "");
  const base = { double: core.endsWith("w"), relaxed, pair, variable: core.startsWith("!") };
  if (core === "=p") return { role: "defPred", type: "pred", ...base };
  if (core === "p") return { role: "usePred", type: "pred", ...base };
  if (core.startsWith("=")) return { role: "def", type: core.slice(1), ...base };
  if (core.startsWith(":") || core.startsWith("!")) return { role: "use", type: core.slice(1), ...base };
  const index = /\d/.test(core) ? Number(core.slice(1)) : 0;
  if (core[0] === "d") return { role: "def", type: index, ...base };
  if (core[0] === "s") return { role: "use", type: index, ...base };
  const role = ROLES[core] ?? "any";
  return { role, type: -1, ...base };
});

const argumentsOf: (args: string) => Omit<Form, "types"> = shared((args) => {
  const words = args === "" ? [] : args.split(" ");
  const optional = words.findIndex((w) => w.endsWith("?"));
  return {
    args: words.map((w) => argument(w.replace(/\?$/, ""))),
    required: optional < 0 ? words.length : optional,
    open: args === "...",
  };
});

function form(types: string, args: string): Form {
  return { types: typeLists(types), ...argumentsOf(args) };
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

function readForms(): { forms: Map<string, Form[]>; prefixes: Set<string> } {
  const forms = new Map<string, Form[]>();
  const prefixes = new Set<string>();
  for (const line of FORMS.trim().split("\n")) {
    const [names, types, ...args] = line.split(/ \| ?/);
    const f = form((types as string).trim(), args.join("|").trim());
    for (const n of (names as string).split(" ")) {
      append(forms, n, f);
      if (n.includes(".")) prefixes.add(n.split(".")[0] as string);
    }
  }
  return { forms, prefixes };
}

/** What is said of unsigned types beside all that does not belong. */
const SIGNED_ONLY: RegExp = /applies only to signed numeric types$/;

function readWords(): Map<string, Words> {
  const words = new Map<string, Words>();
  for (const [name, types, needs, accepted, conditional, refused] of columns(ROWS)) {
    const pairs = (text: string | undefined): [string, string][] =>
      (text ?? "")
        .split(";")
        .filter((p) => p !== "")
        .map((p) => {
          const cut = p.search(/(?<!:):(?!:)/);
          return [p.slice(0, cut), p.slice(cut + 1)];
        });
    const w: Words = {
      measured: !pairs(needs).some(([g, message]) => g === "" && !SIGNED_ONLY.test(message)),
      // A sample whose arguments were wrong (labels, tables) says nothing about modifiers.
      demands: pairs(needs)
        .map(([g, message]) => ({ group: set(g.replaceAll(",", " ")), message }))
        .filter((d) => d.group.size > 0 || !d.message.startsWith("Arguments mismatch")),
      accepted: set(accepted),
      conditional: set(conditional),
      refused: new Map(pairs(refused)),
    };
    // Alternatives of one name and type list: the one that could be measured counts. A form that the measuring target lacks says nothing.
    if (w.demands.some((d) => / \.target /.test(d.message) && d.group.size === 0)) continue;
    const open = w.demands.some((d) => d.group.size === 0);
    for (const t of (types as string).split(" ")) {
      const key = `${name} ${t === "-" ? "" : t}`;
      if (!open || !words.has(key)) words.set(key, w);
    }
  }
  return words;
}

/** Gates by name, read when they are first asked for: a small kernel needs few of the many. */
export class Gates {
  private readonly rows = new Map<string, string[]>();
  private readonly read = new Map<string, readonly Gate[]>();

  constructor(...tables: readonly string[]) {
    for (const table of tables)
      for (const row of table.trim().split("\n"))
        for (const name of row.slice(0, row.indexOf(" | ")).trim().split(" ")) append(this.rows, name, row);
  }

  get(name: string): readonly Gate[] {
    let gates = this.read.get(name);
    if (gates === undefined) {
      gates = (this.rows.get(name) ?? []).flatMap(columns).map(gateOf);
      this.read.set(name, gates);
    }
    return gates;
  }
}

function gateOf(row: readonly string[]): Gate {
  const [, types, words, message, targets] = row as [string, string, string, string, string?];
  const anyType = types.startsWith("+");
  const list = types.replace(/^\+ /, "").split(" ");
  const inverted = targets?.startsWith("!") ?? false;
  return {
    types: types === "*" ? null : new Set(list.map((t) => (t === "-" ? "" : t))),
    anyType,
    words: new Set([...set(words)].map((w) => w.split("+")[0] as string)),
    beside: new Map([...set(words)].filter((w) => w.includes("+")).map((w) => w.split("+") as [string, string])),
    message,
    targets: set(targets?.replace("!", "")),
    inverted,
  };
}

function readClosed(): Map<string, Closed> {
  return new Map(
    columns(CLOSED).flatMap(([names, words, plain]) =>
      (names as string).split(" ").map((n) => [n, { taken: set(words), plainly: set(plain) }] as const),
    ),
  );
}

function readDemanded(): Map<string, Demand[]> {
  const demanded = new Map<string, Demand[]>();
  for (const [names, group, message] of columns(DEMANDED))
    for (const n of (names as string).split(" "))
      append(demanded, n, { group: set(group), message: message as string });
  return demanded;
}

function read(): Instructions {
  const refusals = new Map<string, string>();
  for (const [message, words] of columns(REFUSALS)) for (const w of set(words)) refusals.set(w, message as string);
  return {
    ...readForms(),
    words: readWords(),
    gates: new Gates(VERSION_GATES, GATES, LATE_GATES),
    earlyGates: new Gates(EARLY_GATES),
    refusals,
    closed: readClosed(),
    demanded: readDemanded(),
    inert: set(INERT),
  };
}

let loaded: Instructions | null = null;

export function instructions(): Instructions {
  loaded ??= read();
  return loaded;
}

/** The longest run of words that is a name. */
export function longestName(opcode: string, modifiers: readonly string[]): { name: string; used: number } | null {
  const { forms, prefixes } = instructions();
  let best: { name: string; used: number } | null = forms.has(opcode) ? { name: opcode, used: 0 } : null;
  if (!prefixes.has(opcode)) return best;
  let name = opcode;
  for (let n = 0; n < modifiers.length && n < 4; n++) {
    const word = modifiers[n] as string;
    // `tcgen05.fence::before_thread_sync` is one word to the scanner and a name with a qualifier to ptxas.
    const head = word.split("::")[0] as string;
    if (head !== word && forms.has(`${name}.${head}`)) return { name: `${name}.${head}`, used: n + 1 };
    name = `${name}.${word}`;
    if (forms.has(name)) best = { name, used: n + 1 };
  }
  return best;
}
