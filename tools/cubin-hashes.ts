/**
 * Proof that a change is one of speed alone: a hash of each cubin of the corpus (with `--programs` also of the programs),
 * per level and SM, one a line. The same before and after means the same bytes:
 *
 *   node tools/run-ts.cjs tools/cubin-hashes.ts [--programs] [--sm 75,90,100,120] [--levels 0,1,3] > before.txt
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { isTargetName, type TargetName } from "../lib/target/index.js";

const argument = (name: string, otherwise: string): string[] => {
  const at = process.argv.indexOf(name);
  return (at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise)).split(",");
};
const levels = argument("--levels", "0,1,3").map(Number);
const targets = argument("--sm", "75,90,100,120").map((sm): TargetName => {
  const name = `sm_${sm}`;
  if (!isTargetName(name)) throw new Error(`unknown SM: ${sm}`);
  return name;
});

/** PTX files of a folder, by path. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((f) => f.endsWith(".ptx"))
    .sort()
    .map((f) => join(folder, f));
}

const number = (name: string): number => Number(/\d+/.exec(name)?.[0]);
const root = join(__dirname, "../test");
const corpus = filesOf(join(root, "corpus/ptx"));
const programs = process.argv.includes("--programs") ? filesOf(join(root, "programs")) : [];

for (const file of [...corpus, ...programs]) {
  const text = readFileSync(file, "latin1");
  const least = number(/^\s*\.target\s+(\w+)/m.exec(text)?.[1] ?? "sm_0");
  const isProgram = programs.includes(file);
  for (const target of targets) {
    if (
      number(target) < least ||
      (isProgram && number(target) !== number(targets.find((t) => number(t) >= least) ?? ""))
    )
      continue;
    for (const opt of levels) {
      const { cubin, diagnostics } = compile(text, { target, opt, commandLine: "" });
      const hash = createHash("sha256").update(cubin ?? diagnostics.map((d) => d.message).join("\n"));
      console.log(`${file.slice(root.length + 1)} ${target} -O${opt} ${hash.digest("hex").slice(0, 24)}`);
    }
  }
}
