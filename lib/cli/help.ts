/** Help texts made from the option table. */
import type { OptionSpec } from "./ptxas-options.js";

const WIDTH = 88;

export function helpText(options: readonly OptionSpec[]): string {
  const shown = options.filter((o) => o.help !== null).sort((a, b) => (a.long < b.long ? -1 : 1));
  return `
Usage  : ptxas [options] <ptx file>,...

Options
=======

${shown.map(optionText).join("\n")}`;
}

function optionText(o: OptionSpec): string {
  const name = `--${o.long}${o.argument ? ` ${o.argument}` : ""}`;
  const lines = [`${name.padEnd(52)}(-${o.short})`, ...wrap(o.help!)];
  if (o.effect === "refused") lines.push(...wrap("Not supported yet: refused."));
  if (o.effect === "lacking") lines.push(...wrap("Accepted; without effect for now."));
  if (o.choices !== null) lines.push(...wrap(`Allowed values: ${o.choices.map((c) => `'${c}'`).join(", ")}.`));
  if (o.standard !== null) lines.push(...wrap(`Default value: ${o.standard}.`));
  return `${lines.join("\n")}\n`;
}

/** Words in lines of at most WIDTH columns, indented by eight. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && 8 + line.length + 1 + word.length > WIDTH) {
      lines.push(`        ${line}`);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, `        ${line}`];
}
