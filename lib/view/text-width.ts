/**
 * How wide text is in the font that comes with ptxlab. Without a canvas Vega takes 0.8 em for every character, half as much again
 * as the font needs: pictures with empty margins, labels cut that had room. Advance widths stand in the font's own tables
 * (OpenType specification: head, hhea, hmtx, cmap format 4).
 */
import { readFileSync } from "node:fs";
import path from "node:path";

/** Advance width of a character, in em. */
type Advance = (codePoint: number) => number;

function fontAdvances(bytes: Buffer): Advance {
  const tables = new Map<string, number>();
  for (let i = 0; i < bytes.readUInt16BE(4); i++) {
    const at = 12 + 16 * i;
    tables.set(bytes.toString("latin1", at, at + 4), bytes.readUInt32BE(at + 8));
  }
  const at = (name: string): number => tables.get(name) as number;
  const unitsPerEm = bytes.readUInt16BE(at("head") + 18);
  const metrics = bytes.readUInt16BE(at("hhea") + 34);
  const glyphOf = glyphs(bytes, at("cmap"));
  return (codePoint) => {
    const glyph = Math.min(glyphOf(codePoint), metrics - 1);
    return bytes.readUInt16BE(at("hmtx") + 4 * glyph) / unitsPerEm;
  };
}

/** The glyph of a character by the character map's segments of the Basic Multilingual Plane; 0 is the missing glyph. */
function glyphs(bytes: Buffer, cmap: number): (codePoint: number) => number {
  const count = bytes.readUInt16BE(cmap + 2);
  const subtables = Array.from({ length: count }, (_, i) => cmap + bytes.readUInt32BE(cmap + 8 + 8 * i));
  const table = subtables.find((t) => bytes.readUInt16BE(t) === 4);
  if (table === undefined) return () => 0;
  const length = bytes.readUInt16BE(table + 6);
  const [ends, starts, deltas, offsets] = [0, 1, 2, 3].map((k) => table + 14 + k * length + (k > 0 ? 2 : 0)) as [
    number,
    number,
    number,
    number,
  ];
  return (codePoint) => {
    for (let s = 0; s < length; s += 2) {
      if (codePoint > bytes.readUInt16BE(ends + s)) continue;
      const start = bytes.readUInt16BE(starts + s);
      if (codePoint < start) return 0;
      const delta = bytes.readUInt16BE(deltas + s);
      const offset = bytes.readUInt16BE(offsets + s);
      if (offset === 0) return (codePoint + delta) & 0xffff;
      const glyph = bytes.readUInt16BE(offsets + s + offset + 2 * (codePoint - start));
      return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
    }
    return 0;
  };
}

const loaded = new Map<string, Advance>();
function advances(file: string): Advance {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const made = fontAdvances(readFileSync(path.join(fontFolder(), `${file}.ttf`)));
  const cache = new Map<number, number>();
  const advance: Advance = (c) => {
    let width = cache.get(c);
    if (width === undefined) {
      width = made(c);
      cache.set(c, width);
    }
    return width;
  };
  loaded.set(file, advance);
  return advance;
}

/** Folder of the fonts that come with ptxlab. */
export const fontFolder = (): string =>
  path.join(path.dirname(require.resolve("dejavu-fonts-ttf/package.json")), "ttf");

export interface TextLook {
  /** Pixels; default 11, as in Vega. */
  readonly fontSize?: number;
  /** `bold` or a number from 600 on is bold. */
  readonly fontWeight?: string | number;
  /** A family with `mono` in its name is the monospaced font. */
  readonly font?: string;
  /** Pixels after which it is cut; none by default. */
  readonly limit?: number;
}

/** Width of a line of text in pixels. */
export function textWidth(text: string, look: TextLook = {}): number {
  const { fontSize = 11, fontWeight = "normal", font = "", limit = 0 } = look;
  const bold = fontWeight === "bold" || Number(fontWeight) >= 600;
  const advance = advances(/mono/i.test(font) ? "DejaVuSansMono" : bold ? "DejaVuSans-Bold" : "DejaVuSans");
  let width = 0;
  for (const character of text) width += advance(character.codePointAt(0) as number);
  return limit > 0 ? Math.min(limit, width * fontSize) : width * fontSize;
}
