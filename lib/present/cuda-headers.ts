/**
 * What the headers of the installed nvcc declare for device code, for completion and explanation in `%%cuda` cells. They are
 * read where they lie; without nvcc nothing is known of them.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { findNvcc } from "./nvcc.js";

/** Declarations by name. */
export type Declarations = ReadonlyMap<string, readonly Declared[]>;
/** A function or variable of CUDA. */
export interface Declared {
  /** Type, name and parameters on one line. */
  readonly text: string;
  /** The sentence that the header has for it; empty without one. */
  readonly brief: string;
}

/** Headers that nvcc includes by itself. */
const always: readonly string[] = [
  "crt/host_defines.h",
  "device_launch_parameters.h",
  "vector_functions.h",
  "crt/common_functions.h",
  "crt/device_functions.h",
  "crt/math_functions.h",
  "crt/device_double_functions.h",
  "device_atomic_functions.h",
  "texture_indirect_functions.h",
  "surface_indirect_functions.h",
  ...["sm_20_intrinsics", "sm_30_intrinsics", "sm_32_intrinsics", "sm_35_intrinsics", "sm_61_intrinsics"].map(
    (n) => `${n}.h`,
  ),
  ...["sm_20_atomic_functions", "sm_32_atomic_functions", "sm_60_atomic_functions"].map((n) => `${n}.h`),
  ...["sm_70_rt", "sm_80_rt", "sm_90_rt", "sm_100_rt"].map((n) => `crt/${n}.h`),
];

/** What a cell of CUDA C++ in a folder can use: what nvcc includes by itself, and the headers that the cell names. */
export function declarationsFor(source: string, folder: string): Declarations {
  const include = includeFolder(folder);
  const all = new Map<string, Declared[]>();
  if (include === null) return all;
  const named = [...source.matchAll(/^\s*#\s*include\s*[<"]([\w./-]+)[>"]/gm)].map((m) => m[1]!);
  for (const header of [...always, ...named])
    for (const [name, list] of declarationsIn(path.join(include, header)))
      all.set(name, [...(all.get(name) ?? []), ...list]);
  return all;
}

const folders = new Map<string, string | null>();
/** Where nvcc has its headers, as it says itself when it is asked what it would run. */
function includeFolder(folder: string): string | null {
  const nvcc = findNvcc(folder);
  if (nvcc === null) return null;
  const kept = folders.get(nvcc);
  if (kept !== undefined) return kept;
  const { stderr } = spawnSync(nvcc, ["--dryrun", "-E", "k.cu"], { encoding: "utf8" });
  const made = /^#\$ INCLUDES="-I([^"]+)"/m.exec(stderr ?? "")?.[1] ?? null;
  folders.set(nvcc, made);
  return made;
}

const files = new Map<string, Declarations>();
function declarationsIn(file: string): Declarations {
  const kept = files.get(file);
  if (kept) return kept;
  const made = fs.existsSync(file) ? declarations(fs.readFileSync(file, "latin1")) : new Map();
  files.set(file, made);
  return made;
}

const FUNCTION =
  /^[^\n(]*?\b(?:\w+_DECL__|__device__|__device_builtin__)[ \t]+([^\n(;{}=]*?[ \t*&])(\w+)[ \t]*(\([^()\n;]*\))/;
const VARIABLE = /^[^\n(]*__STORAGE__[ \t]+(\w+);/;
const QUALIFIER = /^[ \t]*#[ \t]*define[ \t]+(__[a-z_]+__)\b/;

/** One declaration a line, as NVIDIA's headers have them, each after the comment that tells of it. */
function declarations(text: string): Declarations {
  const all = new Map<string, Declared[]>();
  const add = (name: string, declared: Declared): void => {
    const list = all.get(name) ?? [];
    if (!list.some((d) => d.text === declared.text)) list.push(declared);
    all.set(name, list);
  };
  let brief = "";
  for (const part of text.split(/(\/\*[\s\S]*?\*\/)/)) {
    if (part.startsWith("/*")) {
      brief = briefOf(part) ?? brief;
      continue;
    }
    for (const line of part.split("\n")) {
      const [, type, name, params] = FUNCTION.exec(line) ?? [];
      const variable = VARIABLE.exec(line)?.[1];
      const qualifier = QUALIFIER.exec(line)?.[1];
      if (name !== undefined)
        add(name, { text: oneSpace(`${bare(type!)} ${name}${params}`).replace(/ ([*&]+) /g, " $1"), brief });
      if (variable !== undefined) add(variable, { text: `${line.trim().split(/\s/)[0]} ${variable}`, brief: "" });
      if (qualifier !== undefined) add(qualifier, { text: qualifier, brief: "" });
      if (name !== undefined) brief = "";
    }
  }
  return all;
}

/** The type alone: words like `__device_builtin__` and `extern` say nothing to who calls. */
const bare = (type: string): string =>
  type.replace(
    /\b(?:__[a-z]+_builtin__|__(?:host|device|forceinline|inline)__|__cdecl|\w+_DECL__|extern|static|inline)\b/g,
    "",
  );
const oneSpace = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The sentence after `\brief`, without markup. */
function briefOf(comment: string): string | null {
  const plain = comment.replace(/\*\/$/, "").replace(/^[ \t]*\/?\*+ ?/gm, "");
  const found = /\\brief\s+([\s\S]*?)(?:\n\s*\n|\n\\(?:ingroup|returns?|note|param|details|see)|$)/.exec(plain);
  if (!found) return null;
  // Doxygen's marks of parameters and formulas, and TeX.
  const words = found[1]!.replace(/\\[pce] |\\(?:end_)?cuda_math_formula|\$/g, " ").replace(/\\times/g, "*");
  return oneSpace(words.replaceAll("\\", ""));
}
