// node tools/notebook-labels.cjs FILE.ipynb…: notebooks that were executed where no tool of NVIDIA is installed. What they show must not say that
// one of them made it: every line of an output that names ptxas, nvcc or cicc as a maker is printed, and the status is 1.
"use strict";
const fs = require("node:fs");

/** A level or a version beside the name: the code of that tool. */
const MAKER = /\b(ptxas|nvcc|cicc)\b[^.\n]{0,3}(-O\d|13\.\d)/;
/** What a line may say about a tool that is not there. */
const ABSENT = /not installed|left out|where ptxas is/;

const wordsOf = (output) => {
  const { "text/plain": plain = "", "text/html": html = "" } = output.data ?? {};
  const spec = Object.entries(output.data ?? {}).find(([mime]) => mime.includes("vegalite"))?.[1];
  const title = JSON.stringify(spec?.title ?? "");
  const page = [html]
    .flat()
    .join("")
    .replace(/<[^>]*>/g, "\n");
  return [[output.text ?? ""].flat().join(""), [plain].flat().join(""), page, title].join("\n").split("\n");
};

let wrong = 0;
for (const file of process.argv.slice(2)) {
  const { cells } = JSON.parse(fs.readFileSync(file, "utf8"));
  for (const [i, cell] of cells.entries())
    for (const line of new Set((cell.outputs ?? []).flatMap(wordsOf))) {
      if (!MAKER.test(line) || ABSENT.test(line)) continue;
      console.log(`${file}, cell ${i + 1}: ${line.trim().slice(0, 160)}`);
      wrong++;
    }
}
process.exitCode = wrong === 0 ? 0 : 1;
