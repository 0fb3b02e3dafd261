/** Writes the documentation of the instruction set into docs/isa: `npm run docs:isa`. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isaPages } from "../lib/sass/docs.js";

const folder = resolve(__dirname, "../docs/isa");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const pages = isaPages();
for (const p of pages) writeFileSync(join(folder, p.name), p.text);
console.log(`${pages.length} pages in docs/isa`);
