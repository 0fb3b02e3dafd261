/** Command lines of ptxlab, read by the table of commands, and the help made from it. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { suggestion } from "../knobs/index.js";
import { type CommandName, type CommandRow, commandTable, type OptionRow } from "./command-table.js";
import { UsageError } from "./usage.js";

type Value<O> = O extends { takes: readonly (infer Choice)[] }
  ? Choice | undefined
  : O extends { takes: "list" }
    ? readonly string[] | undefined
    : O extends { takes: "count" | "integer" }
      ? number | undefined
      : O extends { value: string }
        ? string | undefined
        : boolean;

/** What was given for each option of a command: flags as boolean, undefined for what was not given. */
export type Values<N extends CommandName> = {
  readonly [K in keyof (typeof commandTable)[N]["options"]]: Value<(typeof commandTable)[N]["options"][K]>;
};

/** The file that a command works on ("" where it may be left out and is) and the values of its options; throws a UsageError. */
export function readCommandLine<N extends CommandName>(
  name: N,
  args: readonly string[],
): { readonly file: string; readonly values: Values<N> } {
  const row: CommandRow = commandTable[name];
  const rows = Object.entries(row.options);
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const [key, o] of rows)
    options[key] = {
      type: o.value === undefined ? "boolean" : "string",
      multiple: true,
      ...(o.short !== undefined && { short: o.short }),
    };
  // Long names also after one dash, as ptxas takes them: -arch, -maxrregcount.
  const known = args.map((a) => (Object.hasOwn(options, /^-([a-z-]{2,})(=|$)/.exec(a)?.[1] ?? "") ? `-${a}` : a));
  const { tokens } = parseArgs({ args: known, options, strict: false, allowPositionals: true, tokens: true });
  const values: Record<string, unknown> = {};
  for (const [key, o] of rows) if (o.value === undefined) values[key] = false;
  const files: string[] = [];
  for (const t of tokens) {
    if (t.kind === "positional") files.push(t.value);
    if (t.kind !== "option") continue;
    const o = Object.hasOwn(row.options, t.name) ? row.options[t.name]! : null;
    if (o === null) {
      const near = suggestion(t.rawName, ["--help", ...rows.map(([key]) => `--${key}`)]);
      throw new UsageError(`${name} has no option ${t.rawName}${near}; ptxlab ${name} --help lists them`);
    }
    if (o.value === undefined) {
      if (t.value !== undefined) throw new UsageError(`${t.rawName} takes no value`);
      values[t.name] = true;
    } else if (t.value === undefined) throw new UsageError(`${t.rawName} needs ${o.value}`);
    // `--output --json` forgot the value; a name that begins with a dash can be given after `=`.
    else if (
      (o.takes === undefined || o.takes === "list") &&
      !t.inlineValue &&
      t.value.length > 1 &&
      t.value.startsWith("-")
    )
      throw new UsageError(`${t.rawName} needs ${o.value} before ${t.value}`);
    else if (o.takes === "list") values[t.name] = [...((values[t.name] as string[] | undefined) ?? []), t.value];
    else values[t.name] = checked(o, t.rawName, t.value);
  }
  if (row.operands === "" && files.length > 0) throw new UsageError(`${name} takes no file: ${files.join(" ")}`);
  const optional = row.operands === "" || row.operands.startsWith("[");
  if (files.length !== 1 && !(optional && files.length === 0)) {
    const what = { SQL: "query", "[TEXT]": "text" }[row.operands as string] ?? "file";
    throw new UsageError(
      files.length === 0
        ? `${name} needs a ${what}`
        : `${name} takes one ${what}, not ${files.length}: ${files.join(" ")}`,
    );
  }
  return { file: files[0] ?? "", values: values as Values<N> };
}

function checked(o: OptionRow, name: string, text: string): string | number {
  if (o.takes === "count") {
    if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${name} takes a whole number, not '${text}'`);
    return Number(text);
  }
  if (o.takes === "integer") {
    if (!/^[+-]?\d{1,9}$/.test(text)) throw new UsageError(`${name} takes a whole number, not '${text}'`);
    return Number(text);
  }
  if (Array.isArray(o.takes) && !o.takes.includes(text))
    throw new UsageError(`${name} takes ${o.takes.join(", ")}, not '${text}'${suggestion(text, o.takes)}`);
  return text;
}

/** Columns: where the explanations begin, and where they end at most. */
const TEXT = 31;
const WIDTH = 120;

/** The help of one command. */
export function commandHelp(name: CommandName): string {
  const row: CommandRow = commandTable[name];
  return [
    ...entry(`  ${name} ${row.operands}`.trimEnd(), row.help),
    ...Object.entries(row.options).flatMap(([key, o]) => entry(`      ${optionText(key, o)}`, o.help)),
    ...(row.status === undefined ? [] : entry("", `Exit status: ${row.status}`)),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

/** The help of all commands. */
export function allHelp(): string {
  const names = Object.keys(commandTable) as CommandName[];
  return `Usage: ptxlab <command> [options]\n\n${names.map(commandHelp).join("")}${entry("  help [COMMAND]", "Print this.").join("\n")}\n${entry("  --version", "Print the version.").join("\n")}\n`;
}

function optionText(key: string, o: OptionRow): string {
  const value = o.value === undefined ? "" : ` ${o.value}`;
  return `--${key}${value}${o.short === undefined ? "" : `, -${o.short}${value}`}`;
}

/** What it is about, and the explanation beside it in lines of at most WIDTH columns. */
function entry(head: string, text: string): string[] {
  const lines: string[] = [];
  let line = head.padEnd(TEXT);
  if (head.length >= TEXT) {
    lines.push(head);
    line = " ".repeat(TEXT);
  }
  let empty = true;
  for (const word of text.split(" ")) {
    if (!empty && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = " ".repeat(TEXT) + word;
    } else {
      line += empty ? word : ` ${word}`;
      empty = false;
    }
  }
  return [...lines, line];
}
