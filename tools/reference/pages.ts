/** Pages of the reference that tables and notebooks make: knobs, phases, built-in functions, the gallery. Instructions have theirs in `lib/sass/docs.ts`. */

import { type Knob, knobs, shownDefault } from "../../lib/knobs/index.js";
import { intrinsics } from "../../lib/lower/builtins/intrinsics.js";
import { OCG_PREFIX, ocgBuiltins } from "../../lib/lower/builtins/ocg.js";
import { bodies, phases } from "../../lib/phases/index.js";

/** A file of the reference. */
export interface Page {
  readonly name: string;
  readonly content: string | Uint8Array;
}

/** What stands in a cell of a table. */
const cell = (text: string): string => text.replace(/\s+/g, " ").replaceAll("|", "\\|");
const row = (...cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
const table = (head: readonly string[], rows: readonly string[]): string[] => [
  row(...head),
  row(...head.map(() => "---")),
  ...rows,
];

/** All knobs with names: first those that act. */
export function knobPage(): Page {
  const rowOf = (k: Knob): string =>
    row(`\`${k.name}\``, String(k.number ?? ""), k.type, shownDefault(k), k.readBy ?? "", k.says, k.page);
  const head = ["knob", "number", "type", "value when not set", "read by", "what it is for", "page of the wiki"];
  const acting = knobs.filter((k) => k.readBy !== null);
  const lines = [
    "# Knobs",
    "",
    `${knobs.length} knobs are known by name; ${acting.length} act: the component and the option that read one stand beside it. The others are refused, and so are those that`,
    "ptxas knows by number alone. Values are set by `--knob NAME=VALUE`, by `knobs` of `compile`, and in sweeps; `ptxlab knobs TEXT` lists them.",
    "A compilation tells in `knobs`, and `ptxlab compile FILE --emit knobs` prints, which ones its decisions asked for: the value, whether it was set or is the default, and the phases",
    "and stages that read it. A value marked as ours is ptxlab's where the wiki names none or another one. One that was set and that nobody read, such as the latency of texture fetches in a kernel without any, is told as that: it cannot have changed the code.",
    "",
    "## Knobs that act",
    "",
    ...table(head, acting.map(rowOf)),
    "",
    "## Knobs that nothing reads",
    "",
    ...table(head, knobs.filter((k) => k.readBy === null).map(rowOf)),
  ];
  return { name: "knobs.md", content: `${lines.join("\n")}\n` };
}

/** All phases in their order. */
export function phasePage(): Page {
  const rows = phases.map((p) => {
    const body = bodies[p.name];
    const levels = p.upTo === 0 ? "-O0" : p.from === 0 ? "all" : `from -O${p.from}`;
    return row(
      String(p.index),
      `\`${p.name}\``,
      p.category,
      p.must ? `${levels}, always` : levels,
      p.needs,
      p.reaches ?? "",
      p.does,
      typeof body === "function" ? "yes" : body.none,
    );
  });
  const built = phases.filter((p) => typeof bodies[p.name] === "function").length;
  const lines = [
    "# Phases",
    "",
    `The ${phases.length} phases in the order in which they run; ${built} have a body. A level is that of \`-O\`; "always": the phase cannot be left out. "needs" says which registers the body`,
    'works on, "reaches" what holds of a function afterwards. Names are taken by the options of `runPhases` (`from`, `to`, `stopBefore`) and by the knobs `DisablePhases`, `NamedPhases` and `DUMPIR`.',
    "",
    ...table(["index", "phase", "about", "levels", "needs", "reaches", "what it does", "body"], rows),
  ];
  return { name: "phases.md", content: `${lines.join("\n")}\n` };
}

/** The built-in operations and the functions that ptxas knows by name. */
export function builtinPage(): Page {
  const operation = (b: (typeof ocgBuiltins)[number]): string =>
    row(`\`${b.name}\``, b.words.join(" "), b.sass, b.ptx ?? "", b.lowered ? "lowered" : "refused by name");
  const intrinsic = (i: (typeof intrinsics)[number]): string =>
    row(String(i.id), `\`${i.name}\``, i.sm === null ? "" : `sm_${i.sm}`, i.ptx, i.how, i.note);
  const lines = [
    "# Built-in functions",
    "",
    `PTX declares \`.extern .func (.reg .b32 d) ${OCG_PREFIX}vimax3_s32 (…)\` and calls it, and ptxas makes the machine instruction of it. ${ocgBuiltins.length} operations are known;`,
    `calls of ${ocgBuiltins.filter((b) => b.lowered).length} are lowered, where the SM has the instruction, the others are refused by name: the instruction of PTX in the fourth column makes the same.`,
    "",
    ...table(["operation", "words after it", "machine instructions", "in PTX", "calls"], ocgBuiltins.map(operation)),
    "",
    "## Functions of ptxas's own",
    "",
    `The ${intrinsics.length} functions are ptxas's means for instructions of PTX; PTX itself cannot call them. "made by" says what stands for them here.`,
    "",
    ...table(["number", "function", "from", "for", "made by", "how"], intrinsics.map(intrinsic)),
  ];
  return { name: "builtins.md", content: `${lines.join("\n")}\n` };
}

/** A notebook as it lies in the repository. */
export interface Notebook {
  /** File name without folder. */
  readonly file: string;
  readonly cells: readonly {
    readonly cell_type: string;
    readonly source: string | readonly string[];
    readonly outputs?: readonly { readonly data?: Readonly<Record<string, unknown>> }[];
  }[];
}

const text = (lines: unknown): string => [lines].flat().join("");

/** The pictures of executed notebooks, each under the heading that it stands after, with what it says in words. */
export function gallery(notebooks: readonly Notebook[]): Page[] {
  const pictures: Page[] = [];
  const lines = [
    "# Gallery",
    "",
    "The pictures of the notebooks, as they were executed last. Each links to its notebook, whose cells make it.",
    "",
  ];
  for (const { file, cells } of notebooks) {
    const shown: string[] = [];
    let heading = "";
    for (const c of cells) {
      const source = text(c.source);
      if (c.cell_type === "markdown") heading = /^#+ (.*)$/m.exec(source)?.[1] ?? heading;
      for (const { data } of c.outputs ?? []) {
        if (data?.["image/png"] === undefined) continue;
        const name = `gallery/${file.slice(0, 2)}-${shown.length / 4 + 1}.png`;
        const words = text(data["text/plain"]).split("\n")[0]!.replace(/[[\]]/g, "");
        pictures.push({ name, content: Buffer.from(text(data["image/png"]), "base64") });
        shown.push(`${heading}: ${words}`, "", `[![${words}](${name})](../../notebooks/${file})`, "");
      }
    }
    const title = cells.map((c) => /^# (.*)$/m.exec(text(c.source))?.[1]).find((t) => t !== undefined) ?? file;
    if (shown.length > 0) lines.push(`## ${title}`, "", ...shown);
  }
  return [{ name: "gallery.md", content: lines.join("\n") }, ...pictures];
}
