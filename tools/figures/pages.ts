/** Recorded figures and the pages that show them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../..");
export const recordsFile: string = join(root, "docs/figures.json");

/** What a command of the table printed last. */
export interface FigureRecord {
  readonly command: string;
  readonly date: string;
  /** The state of the repository; with `, changed` where the library had edits. */
  readonly commit: string;
  readonly machine: string;
  readonly values: Readonly<Record<string, string>>;
}

export function readRecords(): Record<string, FigureRecord> {
  return existsSync(recordsFile) ? JSON.parse(readFileSync(recordsFile, "utf8")) : {};
}

/** Pages that may show figures. */
export function documents(): readonly string[] {
  const inFolder = (folder: string): string[] =>
    readdirSync(join(root, folder))
      .filter((f) => f.endsWith(".md"))
      .map((f) => join(root, folder, f));
  return [join(root, "README.md"), ...inFolder("docs"), ...inFolder("docs/figures")];
}

const marked = /([^\s<>|(*]+)<!--([\w-]+)\.([\w-]+)-->/g;

/** `VALUE<!--NAME.KEY-->` with the recorded values. Throws for a figure that was never recorded. */
export function withFigures(text: string, records: Readonly<Record<string, FigureRecord>>): string {
  return text.replace(marked, (_, _old: string, name: string, key: string) => {
    const value = records[name]?.values[key];
    if (value === undefined) throw new Error(`no figure ${name}.${key} is recorded`);
    return `${value}<!--${name}.${key}-->`;
  });
}
