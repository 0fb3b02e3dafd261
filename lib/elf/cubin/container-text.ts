/**
 * The lines in which a container (see `container-model.ts`) is written after the functions of an assembly text, and back:
 *
 *     .container 2 0x6005a04 1              ELF type, e_flags, index of the table of section names
 *     .mercury DIGEST                       code that the Capsule Mercury sections stand for
 *     .section .text.k type=0x1 flags=0x6 align=128 link=.symtab info=7
 *     .body k                               the code of function k; other contents:
 *     .strings .shstrtab .strtab -          strings of a table, `-` for an unused byte
 *     .symbol k bind=1 type=2 other=0x10 in=.text.k value=0x0 size=all
 *     .reloc 0x120 R_CUDA_ABS32_LO_32 table 0x10    offset, type, symbol, addend
 *     .info REGCOUNT words 7 10             attribute; also flag, byte, half, bytes
 *     .bytes 00ff… / .zero 64 / .size 1024  bytes, zeros, bytes in memory only
 *     .same .nv.global.init                 the bytes of another section
 *     .segment …                            a program header, where they are not as ptxas makes them
 *
 * Sections and symbols are named where the name is the only one, otherwise by index (`#7`). In names `%2f` stands for the
 * character of that code.
 */
import { SHF, SHT } from "../elf64.js";
import { type ContainerModel, type Content, type ModelSymbol, wholeSection } from "./container-model.js";
import type { InfoRecord } from "./info.js";
import { relocationName } from "./relocations.js";

const hex = (n: number): string => (n < 0 ? `-0x${(-n).toString(16)}` : `0x${n.toString(16)}`);

const escaped = (name: string): string =>
  name === "" || name === "-"
    ? name === ""
      ? "-"
      : "%2d"
    : name.replace(/^#|[^!-~]|[%"/]/g, (c) => `%${(c.charCodeAt(0) & 0xff).toString(16).padStart(2, "0")}`);

/** How the items of a list are referred to, by index from 1. */
class References {
  private readonly texts: string[] = [];

  constructor(names: readonly string[]) {
    const count = new Map<string, number>();
    for (const n of names) count.set(n, (count.get(n) ?? 0) + 1);
    names.forEach((n, i) => {
      this.texts[i + 1] = n === "" || count.get(n)! > 1 ? `#${i + 1}` : escaped(n);
    });
  }

  to(index: number): string {
    return this.texts[index] ?? `#${index}`;
  }
}

/** The lines of a container's text, which `readContainer` reads back. */
export function containerLines(model: ContainerModel): string[] {
  const sections = new References(model.sections.map((s) => s.name));
  const table = model.sections.find((s) => s.content.kind === "symbols")?.content;
  const symbols = new References(table?.kind === "symbols" ? table.symbols.map((s) => s.name) : []);
  const out = [`.container ${model.type} ${hex(model.flags)} ${model.names}`];
  if (model.mercury !== null) out.push(`.mercury ${model.mercury}`);
  for (const s of model.sections) {
    const parts = [`.section ${escaped(s.name)} type=${hex(s.type)}`];
    if (s.flags !== 0) parts.push(`flags=${hex(s.flags)}`);
    parts.push(`align=${s.align}`);
    if (s.entsize !== 0) parts.push(`entsize=${s.entsize}`);
    if (s.link !== 0) parts.push(`link=${sections.to(s.link)}`);
    if (s.info !== 0) parts.push(`info=${infoIsSection(s) ? sections.to(s.info) : s.info}`);
    if (s.room !== 0) parts.push(`room=${s.room}`);
    out.push("", parts.join(" "), ...contentLines(s.content, sections, symbols));
  }
  if (model.segments !== null)
    out.push("", ...model.segments.map((s) => `.segment ${segmentFields.map((f) => s[f]).join(" ")}`));
  return out;
}

export const segmentFields = ["type", "flags", "offset", "vaddr", "paddr", "filesz", "memsz", "align"] as const;

export function infoIsSection(s: { readonly type: number; readonly flags: number }): boolean {
  return (s.flags & SHF.InfoLink) !== 0 || s.type === SHT.Rel || s.type === SHT.Rela;
}

function contentLines(content: Content, sections: References, symbols: References): string[] {
  switch (content.kind) {
    case "strings":
      return chunks(content.strings.map(escaped), 6).map((c) => `.strings ${c.join(" ")}`);
    case "symbols":
      return content.symbols.map((s) => symbolLine(s, sections));
    case "relocs":
      return content.relocs.map((r) => {
        const addend = r.addend === 0 ? "" : ` ${hex(r.addend)}`;
        return `.reloc ${hex(r.offset)} ${relocationName(r.type)} ${symbols.to(r.symbol)}${addend}`;
      });
    case "info":
      return content.records.map(infoLine);
    case "bytes":
      return byteLines(content.data);
    case "size":
      return [`.size ${content.size}`];
    case "same":
      return [`.same ${sections.to(content.section)}`];
    case "code":
      return [`.body ${escaped(content.name)}`];
  }
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  const out: T[][] = [];
  for (let i = 0; i < list.length; i += size) out.push(list.slice(i, i + size));
  return out;
}

function symbolLine(s: ModelSymbol, sections: References): string {
  const size = s.size === wholeSection ? "all" : s.size;
  const place = s.section === 0 ? "" : ` in=${sections.to(s.section)}`;
  return `.symbol ${escaped(s.name)} bind=${s.bind} type=${s.type} other=${hex(s.other)}${place} value=${hex(s.value)} size=${size}`;
}

function bytesText(bytes: Uint8Array): string {
  let out = "";
  for (const b of bytes) out += b.toString(16).padStart(2, "0");
  return out;
}

function infoLine(r: InfoRecord): string {
  if (r.format === 1) return `.info ${r.name} flag`;
  if (r.format !== 4) return `.info ${r.name} ${r.format === 2 ? "byte" : "half"} ${r.value}`;
  if (r.payload.length % 4 !== 0) return `.info ${r.name} bytes ${bytesText(r.payload)}`;
  const v = new DataView(r.payload.buffer, r.payload.byteOffset, r.payload.length);
  const words = Array.from({ length: r.payload.length / 4 }, (_, i) => hex(v.getUint32(4 * i, true)));
  return [".info", r.name, "words", ...words].join(" ");
}

const ROW = 32;

function byteLines(data: Uint8Array): string[] {
  const out: string[] = [];
  let zeros = 0;
  const flush = (): void => {
    if (zeros > 0) out.push(`.zero ${zeros}`);
    zeros = 0;
  };
  for (let at = 0; at < data.length; at += ROW) {
    const row = data.subarray(at, at + ROW);
    if (row.every((b) => b === 0)) zeros += row.length;
    else {
      flush();
      out.push(`.bytes ${bytesText(row)}`);
    }
  }
  flush();
  return out;
}
