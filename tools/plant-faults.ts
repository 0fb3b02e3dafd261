/**
 * `node tools/run-ts.cjs tools/plant-faults.ts [--count N] [--seed N] [--seconds N] [--list]`: plants small faults, one at a time, in
 * lib/ori, lib/analysis, lib/phases and lib/rules, and runs those components' own tests until one fails. Prints which survive, and the
 * share that was killed. The faults are made of the syntax tree and chosen by the seed; a fault that does not change what a
 * test can see (an unreachable branch, a limit that nothing meets) survives rightly, so each survivor is to be looked at.
 *
 * All runs in this process and its forks: a file's fault lives in the transformed source only, the tree is never written. Of the
 * suites those are run that load the file: those of its name first, then the quickest, as many as take SUM milliseconds of the processor without
 * the fault. A fault with which they take several times as long has no end, and is killed, too.
 */
import { fork } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import ts from "typescript";
import { random } from "../test/corpus/random.js";

const root = resolve(__dirname, "..");
const components = ["ori", "analysis", "phases", "rules"] as const;
/** Tables of data and proofs: faults there are no faults of code. */
const leftOut = /(table|proofs|index|types|texts\/\w+)\.ts$/;

interface Fault {
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly with: string;
  readonly what: string;
}

const swaps: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.LessThanToken]: "<=",
  [ts.SyntaxKind.LessThanEqualsToken]: "<",
  [ts.SyntaxKind.GreaterThanToken]: ">=",
  [ts.SyntaxKind.GreaterThanEqualsToken]: ">",
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: "!==",
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: "===",
  [ts.SyntaxKind.PlusToken]: "-",
  [ts.SyntaxKind.MinusToken]: "+",
  [ts.SyntaxKind.AmpersandAmpersandToken]: "||",
  [ts.SyntaxKind.BarBarToken]: "&&",
};

/** All faults that can be planted in a file. */
function faultsOf(file: string): Fault[] {
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const faults: Fault[] = [];
  const add = (node: ts.Node, by: string, what: string): void => {
    const start = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    faults.push({ file, line, start, end: node.getEnd(), with: by, what });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isThrowStatement(node)) return;
    if (ts.isBinaryExpression(node)) {
      const by = swaps[node.operatorToken.kind];
      const { left, right, operatorToken: op } = node;
      if (by !== undefined && !(ts.isStringLiteral(left) || ts.isStringLiteral(right)))
        add(op, by, `${op.getText()} → ${by}`);
      if (op.kind === ts.SyntaxKind.AmpersandAmpersandToken) add(node, left.getText(), `without && ${right.getText()}`);
      if (op.kind === ts.SyntaxKind.MinusToken)
        add(node, `${right.getText()} - (${left.getText()})`, "operands exchanged");
    }
    if (ts.isNumericLiteral(node) && ts.isBinaryExpression(node.parent))
      add(node, `(${node.text} + 1)`, `${node.text} + 1`);
    if (ts.isIfStatement(node)) add(node.expression, `!(${node.expression.getText()})`, "condition turned");
    if (ts.isIfStatement(node) && node.elseStatement === undefined) add(node.expression, "false", "condition dropped");
    if (ts.isCallExpression(node) && ts.isExpressionStatement(node.parent))
      add(node, "undefined", `without ${node.expression.getText()}()`);
    if (ts.isCallExpression(node) && node.arguments.length >= 2) {
      const [a, b] = node.arguments as unknown as [ts.Expression, ts.Expression];
      if (
        a.getText() !== b.getText() &&
        ts.isIdentifier(a) &&
        ts.isIdentifier(b) &&
        /operand|inst|^[a-z]$/.test(a.getText())
      )
        add(
          node,
          `${node.expression.getText()}(${[b, a, ...node.arguments.slice(2)].map((x) => x.getText()).join(", ")})`,
          "arguments exchanged",
        );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return faults;
}

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((e) => e.isFile() && ending.test(e.name))
    .map((e) => join(e.parentPath, e.name))
    .sort();
}

const args = process.argv.slice(2);
const number = (name: string, otherwise: number): number => {
  const at = args.indexOf(name);
  return at < 0 ? otherwise : Number(args[at + 1]);
};
const count = number("--count", 300);
const end = Date.now() + 1000 * number("--seconds", 3600);
const chance = random(number("--seed", 1));

const faults = components
  .flatMap((component) => filesIn(join(root, "lib", component), /\.ts$/))
  .filter((f) => !leftOut.test(f))
  .flatMap(faultsOf);
const chosen: Fault[] = [];
while (chosen.length < Math.min(count, faults.length)) {
  const f = faults[chance.below(faults.length)] as Fault;
  if (!chosen.includes(f)) chosen.push(f);
}

const nameOf = (f: Fault): string =>
  `${relative(root, f.file)}:${f.line} ${f.what.replaceAll(/\s+/g, " ").slice(0, 80)}`;

/** A suite as it is without a fault. */
interface Suite {
  readonly suite: string;
  /** Why it fails here, "" where it passes. */
  readonly why: string;
  readonly ms: number;
  /** Sources that it loads. */
  readonly files: readonly string[];
}

/** Suites of the components that take long or need the corpus: what they kill is not the components' own tests' merit. */
const slow = /corpus|growth|-run\.test|resume/;
/** Most milliseconds of the processor that a suite takes without a fault. */
const MOST = 15_000;

/** Asks a child; null where it ends without an answer or takes longer. */
function ask<T>(message: object, ms: number): Promise<T | null> {
  return new Promise((done) => {
    const child = fork(join(root, "tools/faults/run.cjs"), [], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    let said: T | null = null;
    const timer = setTimeout(() => child.kill("SIGKILL"), ms);
    child.on("message", (m) => {
      said = m as T;
    });
    child.on("exit", () => {
      clearTimeout(timer);
      done(said);
    });
    child.send({ root, ...message });
  });
}

/** Most milliseconds of the processor that the suites asked about one fault take without it. */
const SUM = 20_000;

/** The suites that are asked about a fault in this file, and how long they take without it. */
function suitesFor(file: string, suites: readonly Suite[]): { readonly names: readonly string[]; readonly ms: number } {
  const own = basename(file, ".ts");
  const named = (s: Suite): boolean => basename(s.suite).startsWith(`${own}.`);
  const loading = suites.filter((s) => s.files.includes(file));
  const names: string[] = [];
  let ms = 0;
  for (const s of [...loading.filter(named), ...loading.filter((s) => !named(s))]) {
    if (names.length > 0 && ms + s.ms > SUM) break;
    names.push(s.suite);
    ms += s.ms;
  }
  return { names, ms };
}

async function tried(f: Fault, suites: readonly Suite[]): Promise<{ outcome: string; by: string }> {
  const { names, ms } = suitesFor(f.file, suites);
  const said = await ask<{ outcome: string; by: string }>({ fault: f, suites: names }, 60_000 + 10 * ms);
  return said ?? { outcome: "killed", by: "no end" };
}

async function main(): Promise<void> {
  if (args.includes("--list")) {
    for (const f of chosen) console.log(nameOf(f));
    return;
  }
  const counts = { killed: 0, survived: 0, untouched: 0 } as Record<string, number>;
  const all = components.flatMap((r) =>
    existsSync(join(root, "test", r)) ? filesIn(join(root, "test", r), /\.test\.ts$/) : [],
  );
  const known = (await ask<Suite[]>({ fault: null, suites: all.filter((s) => !slow.test(s)) }, 1_800_000)) ?? [];
  const suites = known.filter((s) => s.why === "" && s.ms < MOST).sort((a, b) => a.ms - b.ms);
  for (const s of known)
    if (!suites.includes(s)) console.log(`left out: ${relative(root, s.suite)} ${s.why || `${s.ms} ms`}`);
  for (const f of chosen) {
    if (Date.now() > end) break;
    const { outcome, by } = await tried(f, suites);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    if (outcome !== "killed" || args.includes("--verbose"))
      console.log(`${outcome}: ${nameOf(f)}${by === "" ? "" : ` (${by})`}`);
  }
  const n = Object.values(counts).reduce((sum, c) => sum + c, 0);
  const share = ((100 * (counts.killed ?? 0)) / Math.max(1, n)).toFixed(0);
  console.log(
    `${n} faults of ${faults.length} possible ones: ${counts.killed} killed (${share} %), ${counts.survived} survived, ${counts.untouched} in files that no suite of the components loads`,
  );
}

void main();
