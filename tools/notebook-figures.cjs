// node tools/notebook-figures.cjs [--kept FOLDER] FILE.ipynb…: figures in sentences that no cell computes. Prints each; status 1 if there is one.
//
// In markdown a figure (a number, or a word from two on) may only be one that the cells are given: a literal of the code, the length
// of a list in it. What a run brings about belongs into a sentence that a cell prints, and there no figure may be a part of the
// text: it is computed or comes from a name. `--kept FOLDER`: the same notebooks, executed again, lie there; sentences whose words
// are the same and whose figures are not are printed, too (but for times, which no two runs have in common).
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const ts = require("typescript");

const WORDS =
  "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
    " ",
  );
/** A number that stands alone: not a part of a name (sm_90, -O2, R0, f32, 0x10) or of a version. */
const NUMBER = /(?<![\w.$@%#-])[+−-]?\d[\d,]*(?:\.\d+)?(?![\w]|[.]\d|-bit)/g;
const WORD = new RegExp(`\\b(${WORDS.join("|")})\\b`, "gi");
const TIME = /\b(ms|seconds?|per second|KiB|commit|processor)\b|\d s\b/;

const numberOf = (figure) => {
  const word = WORDS.indexOf(figure.toLowerCase());
  return word >= 0 ? word + 2 : Number(figure.replaceAll(",", "").replace("−", "-"));
};
const figuresOf = (text) => [...(text.match(NUMBER) ?? []), ...(text.match(WORD) ?? [])];

/** Markdown without what is no sentence: code, links, numbers of headings and lists. */
const prose = (text) =>
  text
    .replace(/```[\s\S]*?```/g, " ")
    .replace(/`[^`]*`/g, " ")
    .replace(/\]\([^)]*\)/g, "] ")
    .replace(/^#+ \d+\. /gm, "# ")
    .replace(/^\s*\d+\. /gm, "");

/** What the code of a notebook is given, and the figures that stand in the texts of its sentences. */
function readCode(sources) {
  const given = new Set();
  const written = [];
  for (const { cell, source } of sources) {
    if (source.trimStart().startsWith("%%")) {
      for (const figure of source.match(/\d+/g) ?? []) given.add(Number(figure));
      continue;
    }
    const file = ts.createSourceFile("cell.ts", source, ts.ScriptTarget.Latest, true);
    const visit = (node, program = false) => {
      // Pieces of a text of several lines with statements in it: PTX, not a sentence.
      if (ts.isTemplateExpression(node) && /\n.*;/.test(node.getText())) program = true;
      if (ts.isNumericLiteral(node)) given.add(Number(node.text));
      if (ts.isArrayLiteralExpression(node)) given.add(node.elements.length);
      if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
        readText(node, program);
      ts.forEachChild(node, (child) => visit(child, program));
    };
    const readText = (node, inProgram) => {
      const { text } = node;
      const whole =
        node.kind === ts.SyntaxKind.StringLiteral || ts.isNoSubstitutionTemplateLiteral(node) ? text : node.getText();
      // Texts of programs are data, and so is what has no words around it.
      const program = inProgram || /[;{]\s*\n|\n.*;|\bSELECT\b/.test(text) || !/[A-Za-z] |\s[A-Za-z]/.test(text);
      if (program) for (const figure of text.match(/\d+(\.\d+)?/g) ?? []) given.add(Number(figure));
      else
        for (const figure of figuresOf(whole.replace(/^[`}"']/, " ").replace(/(\$\{|[`"'])$/, " ")))
          written.push({ cell, figure, text: text.trim() });
    };
    visit(file);
  }
  return { given, written };
}

const joined = (text) => [text ?? ""].flat().join("");
const printed = (cell) => (cell.outputs ?? []).flatMap((o) => joined(o.text).split("\n")).filter((l) => l !== "");

/** Sentences of a run that the kept notebook has with other figures. */
function stale(kept, run) {
  const shape = (line) => line.replace(/[+−-]?\d[\d,]*(\.\d+)?(e[+-]\d+)?/g, "#");
  return kept.flatMap((cell, i) => {
    const now = run[i] === undefined ? [] : printed(run[i]);
    const before = printed(cell);
    return now.flatMap((line, k) => {
      const was = before[k];
      if (was === undefined || was === line || TIME.test(line) || shape(was) !== shape(line)) return [];
      return [`cell ${i + 1}: kept '${was}', computed '${line}'`];
    });
  });
}

function findings(file, keptFolder) {
  const { cells } = JSON.parse(fs.readFileSync(file, "utf8"));
  const sources = cells.flatMap((c, i) => (c.cell_type === "code" ? [{ cell: i + 1, source: joined(c.source) }] : []));
  const { given, written } = readCode(sources);
  const told = written.map(
    (w) => `cell ${w.cell}: '${w.figure}' is written into the sentence '${w.text.slice(0, 100)}'`,
  );
  const text = cells.flatMap((c, i) =>
    c.cell_type !== "markdown"
      ? []
      : figuresOf(prose(joined(c.source)))
          .filter((f) => !given.has(Math.abs(numberOf(f))))
          .map((f) => `cell ${i + 1}: no cell is given '${f}', which the text tells`),
  );
  const again = keptFolder === undefined ? null : path.join(keptFolder, path.basename(file));
  const run = again !== null && fs.existsSync(again) ? JSON.parse(fs.readFileSync(again, "utf8")).cells : [];
  return [...text, ...told, ...stale(cells, run)];
}

function main(args) {
  const at = args.indexOf("--kept");
  const folder = at < 0 ? undefined : args.splice(at, 2)[1];
  let wrong = 0;
  for (const file of args)
    for (const line of findings(file, folder)) {
      console.log(`${file}, ${line}`);
      wrong++;
    }
  console.log(`${args.length} notebooks, ${wrong} figures that no cell computes`);
  process.exitCode = wrong === 0 ? 0 : 1;
}
main(process.argv.slice(2));
