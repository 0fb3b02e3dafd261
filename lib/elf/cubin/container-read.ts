/** Reads the lines that `container-text.ts` writes. Every bad line is told with its place; sizes are bounded. */
import { type Diagnostic, diagnostic, type Span } from "../../diagnostics.js";
import { fail, ok, type Result } from "../../result.js";
import { type ElfSegment, heldInFile, joined, SHT } from "../elf64.js";
import { infoNames } from "./attributes.js";
import {
  type ContainerModel,
  type Content,
  type ModelReloc,
  type ModelSection,
  type ModelSymbol,
  wholeSection,
} from "./container-model.js";
import { infoIsSection, segmentFields } from "./container-text.js";
import { type InfoFormat, type InfoRecord, infoName, wordsRecord } from "./info.js";
import { relocationNames } from "./relocations.js";

/** A line of a container's text with its place. */
export interface ContainerLine {
  /** The line without its end. */
  readonly text: string;
  /** Where it stands. */
  readonly span: Span;
}

/** Bytes that `.zero` lines and rooms may add up to. */
const MOST_ZEROS = 1 << 26;
const MOST_SECTIONS = 0xfe00;

class BadLine extends Error {}

const unescaped = (text: string): string =>
  text === "-"
    ? ""
    : text.replace(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

function number(text: string | undefined, most = Number.MAX_SAFE_INTEGER): number {
  const n = text !== undefined && /^(0x[0-9a-f]{1,13}|\d{1,15})$/.test(text) ? Number(text) : -1;
  if (n < 0 || n > most) throw new BadLine(`bad number "${text ?? ""}"`);
  return n;
}

/** The section that is being read: its header as words, its contents so far. */
interface Draft {
  readonly name: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly lines: { readonly words: readonly string[]; readonly span: Span }[];
  readonly span: Span;
}

/** `lines` from `.container` on. `sm` is that of the text's target. */
export function readContainer(lines: readonly ContainerLine[], sm: number): Result<ContainerModel> {
  return new ContainerReader(lines, sm).read();
}

class ContainerReader {
  private readonly diagnostics: Diagnostic[] = [];
  private readonly drafts: Draft[] = [];
  private readonly segments: ElfSegment[] = [];
  private header: readonly [type: number, flags: number, names: number] = [0, 0, 0];
  private mercury: string | null = null;
  private zeros = 0;
  private sectionsByName: ReadonlyMap<string, number> = new Map();
  private symbolsByName: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly lines: readonly ContainerLine[],
    private readonly sm: number,
  ) {}

  read(): Result<ContainerModel> {
    for (const line of this.lines) this.guarded(line.span, () => this.line(line));
    this.sectionsByName = uniqueNames(this.drafts.map((d) => d.name));
    const symbols = this.drafts.flatMap((d) => d.lines.filter((l) => l.words[0] === ".symbol"));
    this.symbolsByName = uniqueNames(symbols.map((l) => unescaped(l.words[1] ?? "-")));
    const sections: ModelSection[] = [];
    this.drafts.forEach((d, i) => {
      this.guarded(d.span, () => sections.push(this.section(d, i + 1)));
    });
    if (this.diagnostics.length > 0) return fail(this.diagnostics);
    const [type, flags, names] = this.header;
    const segments = this.segments.length > 0 ? this.segments : null;
    return ok({ sm: this.sm, type, flags, sections, segments, names, mercury: this.mercury });
  }

  private guarded(span: Span, body: () => void): void {
    try {
      body();
    } catch (e) {
      if (!(e instanceof BadLine)) throw e;
      this.diagnostics.push(diagnostic("error", e.message, span));
    }
  }

  private line({ text, span }: ContainerLine): void {
    const words = text.split(/\s+/);
    switch (words[0]) {
      case ".container":
        this.header = [number(words[1], 0xffff), number(words[2], 0xffffffff), number(words[3], MOST_SECTIONS)];
        if (((this.header[1] >>> 8) & 0xff) !== this.sm)
          throw new BadLine("the container is for another SM than .target");
        return;
      case ".mercury":
        if (!/^[0-9a-f]{16}$/.test(words[1] ?? "")) throw new BadLine(`bad digest: "${text}"`);
        this.mercury = words[1]!;
        return;
      case ".section": {
        if (this.drafts.length >= MOST_SECTIONS) throw new BadLine("too many sections");
        const fields = new Map(words.slice(2).map((w) => [w.split("=")[0]!, w.slice(w.indexOf("=") + 1)]));
        this.drafts.push({ name: unescaped(words[1] ?? "-"), fields, lines: [], span });
        return;
      }
      case ".segment": {
        const n = segmentFields.map((_, i) => number(words[i + 1]));
        this.segments.push(Object.fromEntries(segmentFields.map((f, i) => [f, n[i]!])) as unknown as ElfSegment);
        return;
      }
      default: {
        const section = this.drafts[this.drafts.length - 1];
        if (section === undefined || !contents.has(words[0]!)) throw new BadLine(`bad directive: "${text}"`);
        section.lines.push({ words, span });
      }
    }
  }

  private section(d: Draft, index: number): ModelSection {
    const field = (name: string, most?: number): number => (d.fields.has(name) ? number(d.fields.get(name), most) : 0);
    const align = field("align", 1 << 16);
    if ((align & (align - 1)) !== 0) throw new BadLine(`alignment ${align} is no power of two`);
    const [type, flags] = [field("type", 0xffffffff), field("flags")];
    const info = d.fields.get("info") ?? "0";
    return {
      name: d.name,
      type,
      flags,
      align,
      entsize: field("entsize"),
      link: d.fields.has("link") ? this.sectionOf(d.fields.get("link")!) : 0,
      info: infoIsSection({ type, flags }) ? this.sectionOf(info === "0" ? "#0" : info) : number(info, 0xffffffff),
      room: this.bounded(field("room", MOST_ZEROS)),
      content: this.content(d, type, index),
    };
  }

  private sectionOf(text: string): number {
    return reference(text, this.sectionsByName, 0xffff);
  }

  private content(d: Draft, type: number, index: number): Content {
    const kind = d.lines[0]?.words[0];
    const collected: Record<string, unknown[]> = {};
    const bytes: Uint8Array[] = [];
    for (const { words, span } of d.lines)
      this.guarded(span, () => {
        const group = groupOf(words[0]!);
        if (group !== groupOf(kind!)) throw new BadLine(`${words[0]} in a section of ${kind}`);
        if (group === "bytes") bytes.push(this.bytes(words));
        else {
          collected[group] ??= [];
          collected[group].push(...this.items(words, index));
        }
      });
    if (!heldInFile(type) || kind === ".size") return { kind: "size", size: (collected[".size"]?.[0] as number) ?? 0 };
    const items = kind === undefined ? [] : (collected[groupOf(kind)] ?? []);
    switch (kind) {
      case ".strings":
        return { kind: "strings", strings: items as string[] };
      case ".symbol":
        return { kind: "symbols", symbols: items as ModelSymbol[] };
      case ".reloc":
        return { kind: "relocs", relocs: items as ModelReloc[] };
      case ".info":
        return { kind: "info", records: items as InfoRecord[] };
      case ".same":
        return { kind: "same", section: (items[0] as number) ?? 0 };
      case ".body":
        return { kind: "code", name: (items[0] as string) ?? "" };
      default:
        return type === SHT.Strtab && kind === undefined
          ? { kind: "strings", strings: [] }
          : { kind: "bytes", data: joined(bytes) };
    }
  }

  private bytes(words: readonly string[]): Uint8Array {
    if (words[0] === ".zero") {
      return new Uint8Array(this.bounded(number(words[1], MOST_ZEROS)));
    }
    return bytesOf(words[1] ?? "");
  }

  /** Adds to the bytes that the text asks for without giving them. */
  private bounded(n: number): number {
    this.zeros += n;
    if (this.zeros > MOST_ZEROS) throw new BadLine("too many zeros");
    return n;
  }

  private items(words: readonly string[], index: number): unknown[] {
    switch (words[0]) {
      case ".strings":
        return words.slice(1).map(unescaped);
      case ".symbol":
        return [this.symbol(words)];
      case ".reloc":
        return [this.reloc(words)];
      case ".info":
        return [infoRecord(words)];
      case ".same": {
        const section = this.sectionOf(words[1] ?? "");
        if (section >= index) throw new BadLine("the section with the same bytes must come first");
        return [section];
      }
      case ".body":
        return [unescaped(words[1] ?? "-")];
      default:
        return [number(words[1])];
    }
  }

  private symbol(words: readonly string[]): ModelSymbol {
    const fields = new Map(words.slice(2).map((w) => [w.split("=")[0]!, w.slice(w.indexOf("=") + 1)]));
    const size = fields.get("size");
    return {
      name: unescaped(words[1] ?? "-"),
      bind: number(fields.get("bind"), 15),
      type: number(fields.get("type"), 15),
      other: number(fields.get("other"), 255),
      section: fields.has("in") ? this.sectionOf(fields.get("in")!) : 0,
      value: number(fields.get("value")),
      size: size === "all" ? wholeSection : number(size),
    };
  }

  private reloc(words: readonly string[]): ModelReloc {
    const [, offset, type, symbol, addend = "0x0"] = words;
    const negative = addend.startsWith("-");
    const size = number(negative ? addend.slice(1) : addend);
    return {
      offset: number(offset),
      type: relocationType(type ?? ""),
      symbol: reference(symbol ?? "", this.symbolsByName, 0xffffffff),
      addend: negative ? -size : size,
    };
  }
}

/** Directives that make up contents; `.bytes` and `.zero` go together. */
const contents: ReadonlySet<string> = new Set([
  ".strings",
  ".symbol",
  ".reloc",
  ".info",
  ".bytes",
  ".zero",
  ".size",
  ".same",
  ".body",
]);

const groupOf = (word: string): string => (word === ".zero" || word === ".bytes" ? "bytes" : word);

function uniqueNames(names: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  names.forEach((n, i) => {
    found.set(n, found.has(n) ? -1 : i + 1);
  });
  return found;
}

function reference(text: string, names: ReadonlyMap<string, number>, most: number): number {
  if (text.startsWith("#")) return number(text.slice(1), most);
  const found = names.get(unescaped(text));
  if (found === undefined) throw new BadLine(`nothing is named "${text}"`);
  if (found < 0) throw new BadLine(`"${text}" stands several times`);
  return found;
}

function relocationType(text: string): number {
  const bare = text.replace(/^R_CUDA_/, "");
  const known = relocationNames.indexOf(bare);
  if (known >= 0) return known;
  if (!/^\d+$/.test(bare)) throw new BadLine(`unknown relocation "${text}"`);
  return number(bare, 0xffffffff);
}

function infoRecord(words: readonly string[]): InfoRecord {
  const [, name = "", how, ...rest] = words;
  const known = infoNames.indexOf(name);
  const code = known >= 0 ? known : number(name, 255);
  const record = (format: InfoFormat, value: number, payload: Uint8Array): InfoRecord => {
    return { code, name: infoName(code), format, value, payload };
  };
  const none = new Uint8Array(0);
  switch (how) {
    case "flag":
      return record(1, 0, none);
    case "byte":
      return record(2, number(rest[0], 255), none);
    case "half":
      return record(3, number(rest[0], 0xffff), none);
    case "words":
      return wordsRecord(
        code,
        rest.map((w) => number(w, 0xffffffff)),
      );
    case "bytes":
      return record(4, 0, bytesOf(rest[0] ?? ""));
    default:
      throw new BadLine(`attributes are flag, byte, half, words or bytes, not "${how ?? ""}"`);
  }
}

function bytesOf(text: string): Uint8Array {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new BadLine(`bad bytes "${text}"`);
  const out = new Uint8Array(text.length / 2);
  for (let i = 0; i < out.length; i++) out[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return out;
}
