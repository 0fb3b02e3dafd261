/**
 * Phase tests that are files, `NAME/*.ori`: a function in text form, `; run NAME` (or `; run NAME parameter=value`, the level among them), and what the phase
 * makes of it; nothing after that line: it changes nothing. `; says N WHAT`: what it tells of its decisions. PTXLAB_BLESS=1 writes what comes out.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseFunc } from "../../lib/ori/parse.js";
import { printFunc } from "../../lib/ori/print.js";
import { type PhaseName, phases } from "../../lib/phases/table.js";
import { normalize, told } from "./texts.js";

const folders = readdirSync(__dirname).filter((f) => statSync(join(__dirname, f)).isDirectory());

test.each(folders)("%s is a phase", (folder) => {
  expect(phases.map((p) => p.name)).toContain(folder);
});

describe.each(folders)("%s", (folder) => {
  const files = readdirSync(join(__dirname, folder)).filter((f) => f.endsWith(".ori"));
  test.each(files)("%s", (file) => {
    const path = join(__dirname, folder, file);
    const [before, expected] = readFileSync(path, "utf8").split(/^; run .*$/m) as [string, string];
    const [name, ...settings] = (/^; run (.*)$/m.exec(readFileSync(path, "utf8"))?.[1] ?? "").split(" ");
    const parameters = Object.fromEntries(
      settings.map((s) => s.split("=")).map(([k, v]) => [k, JSON.parse(v as string)]),
    );
    const text = before.replace(/^;.*$/gm, "");
    const { made, says } = told(text, parameters, name as PhaseName);
    const lines = says.map((s) => `; says ${s}\n`).join("");
    const read = parseFunc(text);
    if (!read.ok) throw new Error("no function");
    const same = normalize(printFunc(read.value, { details: false }));
    if (process.env.PTXLAB_BLESS === "1") {
      const run = /^; run .*$/m.exec(readFileSync(path, "utf8"))?.[0] as string;
      writeFileSync(path, `${before}${run}\n${made === same ? "" : `${made}\n`}${lines}`);
      return;
    }
    const code = expected.replace(/^;.*$/gm, "");
    expect(made).toBe(code.trim() === "" ? same : normalize(code));
    expect(lines).toBe((expected.match(/^; says .*\n/gm) ?? []).join(""));
  });
});
