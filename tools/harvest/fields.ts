/** Step `fields`: the classifier over all keys of a target, resumable per key; and the map file made of what it found. */
import { type Census, censusWords, printedKeys } from "./census.js";
import type { Decoder } from "./decoder.js";
import { setDefaults } from "./defaults.js";
import { emitLeaf } from "./emit.js";
import type { MapReader } from "./map.js";
import { defaultOptions, type Harvested, harvestOpcode, type OpcodeOptions } from "./opcode.js";
import { runTasks, type Task } from "./probe.js";
import { progress } from "./progress.js";
import type { Sameness } from "./same.js";
import type { Folder } from "./state.js";
import type { EntryHead, EntryMap, SmMap } from "./types.js";
import { keyName, keyNamed, keyOf, type Word } from "./word.js";

/** One line of fields.jsonl. */
interface KeyResult {
  readonly key: string;
  readonly entries: EntryMap[];
  readonly omitted: (EntryHead & { readonly why?: string })[];
  readonly accepted: readonly [number, number];
  /** Taken over from an earlier map, of which no asked word was wrong. */
  readonly adopted?: true;
}

/** Encodings of an earlier map of this target, but for `not`, as if they were harvested. */
export function adoptKeys(folder: Folder, map: MapReader, not: ReadonlySet<number>): number {
  const done = new Set(folder.lines(FIELDS).map((l) => (JSON.parse(l) as KeyResult).key));
  let n = 0;
  for (const [key, entries] of [...map.byKey].sort(([a], [b]) => a - b)) {
    if (not.has(key) || done.has(keyName(key))) continue;
    const bare = entries.map(({ map: { verify: _v, defaults: _d, inexact: _i, ...e } }) => e);
    const r: KeyResult = { key: keyName(key), entries: bare, omitted: [], accepted: [0, 0], adopted: true };
    folder.append(FIELDS, JSON.stringify(r));
    n++;
  }
  return n;
}

const FIELDS = "fields.jsonl";

export interface FieldsOptions extends Partial<OpcodeOptions> {
  /** Only these keys; they are done again. */
  readonly keys?: readonly number[];
  /** Keys left out, as the summary then says. */
  readonly skip?: readonly number[];
  readonly quiet?: boolean;
}

const byKey = (words: readonly Word[]): Map<number, Word[]> => {
  const out = new Map<number, Word[]>();
  for (const w of words) {
    const list = out.get(keyOf(w));
    if (list) list.push(w);
    else out.set(keyOf(w), [w]);
  }
  return out;
};

export function harvestTask(
  key: number,
  census: Census,
  real: readonly Word[],
  options: OpcodeOptions,
): Task<Harvested> {
  const known = { census: censusWords(census[keyName(key)]), real };
  return { name: keyName(key), start: () => harvestOpcode(key, known, options) };
}

export function resultOf(h: Harvested): KeyResult {
  const emitted = h.leaves.map(emitLeaf);
  return {
    key: keyName(h.key),
    entries: emitted.flatMap((e) => ("entry" in e ? [e.entry] : [])),
    omitted: emitted.flatMap((e) => ("omitted" in e ? [e.omitted] : [])),
    accepted: h.accepted,
  };
}

export function runFields(folder: Folder, decoder: Decoder, options: FieldsOptions): void {
  const census = folder.census();
  const real = byKey(folder.realWords().seed);
  // A target that is compared with another one does only the encodings that differ.
  const own = folder.has("same.json") ? folder.json<Sameness>("same.json").replaced.map(keyNamed) : null;
  const wanted = options.keys ?? own ?? [...new Set([...printedKeys(census), ...real.keys()])].sort((a, b) => a - b);
  const done = new Set(options.keys ? [] : folder.lines(FIELDS).map((l) => (JSON.parse(l) as KeyResult).key));
  const all = { ...defaultOptions, ...options };
  const tasks = wanted
    .filter((k) => !done.has(keyName(k)) && !options.skip?.includes(k))
    .map((k) => harvestTask(k, census, real.get(k) ?? [], all));
  const bar = options.quiet ? null : progress(`sm_${folder.sm} fields`, wanted.length, wanted.length - tasks.length);
  runTasks(decoder, tasks, {
    words: 60000,
    journal: folder.file("journal"),
    finished: (_, h) => {
      const r = resultOf(h);
      folder.append(FIELDS, JSON.stringify(r));
      bar?.add();
    },
    failed: (task, error) => {
      const r: KeyResult = {
        key: task.name,
        entries: [],
        omitted: [{ ...headOf(task.name), why: `the classifier failed: ${error.message}` }],
        accepted: [0, 0],
      };
      folder.append(FIELDS, JSON.stringify(r));
      process.stderr.write(`\n${task.name}: ${error.stack}\n`);
    },
  });
  bar?.stop();
}

const headOf = (name: string): EntryHead => {
  const key = keyNamed(name);
  return { opcode: `0x${(key & 0xfff).toString(16).padStart(3, "0")}`, bit91: key >> 12 };
};

export const TOOL_NOTE = "nvdisasm 13.2.51 raw mode, printed text only";
const NOTE =
  'bits 0-11 and 91 select the encoding; "when" adds further selecting bits; tokens = printed text of the base word split ' +
  "into tokens; span [i,j) = tokens a field value rewrites; control bits 105-125 are never printed except reuse";

/** The map of a target from the finished keys; later lines replace earlier ones. */
export function buildMap(folder: Folder, sm: string): SmMap {
  const results = new Map<string, KeyResult>();
  for (const line of folder.lines(FIELDS)) {
    const r = JSON.parse(line) as KeyResult;
    results.set(r.key, r);
  }
  const order = [...results.values()].sort((a, b) => keyNamed(a.key) - keyNamed(b.key));
  const encodings = order.flatMap((r) => r.entries);
  setDefaults(encodings, [...folder.words("words-O0.bin"), ...folder.words("words-O3.bin")]);
  const same = folder.has("same.json") ? folder.json<Sameness>("same.json") : null;
  const rows = (keys: readonly string[]): [string, number][] =>
    keys.map((k) => [`0x${k.slice(0, 3)}`, k.endsWith("u") ? 1 : 0]);
  return {
    sm: `sm_${sm}`,
    tool: TOOL_NOTE,
    control: "0x7f1 in bits 105-121",
    note: NOTE,
    ...(same ? { same_as: `sm_${same.of}`, replaced: rows(same.replaced), absent: rows(same.absent) } : {}),
    encodings,
    omitted: order.flatMap((r) => r.omitted),
    adopted: order.filter((r) => r.adopted).length,
  };
}

/** One entry a line. */
export const mapText = (map: SmMap): string => `${JSON.stringify(map).replaceAll('{"opcode"', '\n{"opcode"')}\n`;
