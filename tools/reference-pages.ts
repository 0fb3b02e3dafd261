/** Part of `npm run docs`: docs/reference, pages of knobs, phases and built-in functions from their tables and the gallery of the notebooks' pictures. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { builtinPage, gallery, knobPage, type Notebook, phasePage } from "./reference/pages.js";

const root = resolve(__dirname, "..");
const folder = join(root, "docs/reference");
const notebooks = readdirSync(join(root, "notebooks"))
  .filter((f) => f.endsWith(".ipynb"))
  .sort()
  .map((file): Notebook => ({ file, ...JSON.parse(readFileSync(join(root, "notebooks", file), "utf8")) }));
rmSync(folder, { recursive: true, force: true });
const pages = [knobPage(), phasePage(), builtinPage(), ...gallery(notebooks)];
for (const { name, content } of pages) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
}
console.log(`${pages.length} files in docs/reference`);
