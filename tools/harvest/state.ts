/** The output folder: one folder per SM, a file per finished step. Files appear whole or not at all. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hash32 } from "../../lib/experiment/random.js";
import type { Census } from "./census.js";
import { distinct, type Word } from "./word.js";

export class Folder {
  readonly path: string;
  /** `90a`. */
  readonly sm: string;

  constructor(root: string, sm: string) {
    this.sm = sm;
    this.path = join(root, `sm${sm}`);
    mkdirSync(this.path, { recursive: true });
  }

  file(name: string): string {
    return join(this.path, name);
  }

  has(name: string): boolean {
    return existsSync(this.file(name));
  }

  write(name: string, data: string | Uint8Array): void {
    const at = this.file(name);
    writeFileSync(`${at}.part`, data);
    renameSync(`${at}.part`, at);
  }

  json<T>(name: string): T {
    return JSON.parse(readFileSync(this.file(name), "utf8")) as T;
  }

  census(): Census {
    if (!this.has("census.json")) throw new Error(`${this.path} has no census yet: run the step census`);
    return this.json("census.json");
  }

  append(name: string, line: string): void {
    appendFileSync(this.file(name), `${line}\n`);
  }

  /** Complete lines; a last one that was cut short is removed from the file. */
  lines(name: string): string[] {
    if (!this.has(name)) return [];
    const lines = readFileSync(this.file(name), "utf8").split("\n");
    if (lines.pop() !== "") this.write(name, lines.map((l) => `${l}\n`).join(""));
    return lines;
  }

  writeWords(name: string, words: readonly Word[]): void {
    const data = new Uint32Array(4 * words.length);
    words.forEach((w, i) => {
      data.set(w, 4 * i);
    });
    this.write(name, new Uint8Array(data.buffer));
  }

  /** Words of a file; none where there is no file. */
  words(name: string): Word[] {
    if (!this.has(name)) return [];
    const bytes = Uint8Array.from(readFileSync(this.file(name)));
    const data = new Uint32Array(bytes.buffer);
    return Array.from({ length: data.length >> 2 }, (_, i) => data.slice(4 * i, 4 * i + 4));
  }

  /** Distinct words of compiled code: one half are samples, the other half is kept for the check. */
  realWords(): { readonly seed: Word[]; readonly held: Word[] } {
    const all = distinct([...this.words("words-O0.bin"), ...this.words("words-O3.bin")]);
    const first = (w: Word): boolean => (hash32(w[0]!, w[1]!, w[2]!, w[3]! & 0x1ff) & 1) === 1;
    return { seed: all.filter(first), held: all.filter((w) => !first(w)) };
  }
}
