/** Arguments of the scripts in this folder: names, options as `node:util` reads them (`--name VALUE`, `--name=VALUE`), SMs. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { targetNames } from "../lib/target/index.js";

/** Numbers of all SMs that ptxas makes code for. */
export const allSms: readonly number[] = targetNames.filter((n) => /^sm_\d+$/.test(n)).map((n) => Number(n.slice(3)));

/** Says what is wrong with the arguments, and ends with 2. */
export function usage(problem: string): never {
  console.error(problem);
  process.exit(2);
}

type Options = NonNullable<ParseArgsConfig["options"]>;
type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>;

/** Options and names; an option that is not in the table ends the script. */
export function readArguments<const O extends Options>(
  options: O,
  args: readonly string[] = process.argv.slice(2),
): Parsed<O> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
}

/** An option's value as a number. */
export function numberOf(text: string): number {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : usage(`not a number: ${text}`);
}

/** `90`, `sm_90` or `sm_90a` as numbers of SMs; all of them when none is named. */
export function smsOf(names: readonly string[]): readonly number[] {
  if (names.length === 0) return allSms;
  return names.map((name) => {
    const sm = Number(/^(?:sm_)?(\d+)[af]?$/.exec(name)?.[1]);
    return allSms.includes(sm) ? sm : usage(`no SM of that name: ${name}`);
  });
}
