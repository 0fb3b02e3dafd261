/** Arguments of the scripts in this folder: names and numbers, and `--option VALUE`. */

export interface Arguments {
  readonly names: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  number(option: string, otherwise: number): number;
}

export function readArguments(args: readonly string[]): Arguments {
  const options = new Map<string, string>();
  const names: string[] = [];
  for (let i = 0; i < args.length; i++) {
    if (args[i]!.startsWith("--")) options.set(args[i]!.slice(2), args[++i] ?? "");
    else names.push(args[i]!);
  }
  return { names, options, number: (option, otherwise) => Number(options.get(option) ?? otherwise) };
}
