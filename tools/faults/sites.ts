/** The small faults that can be planted in a source: made of its syntax tree, each one expression in another's place. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { random } from "../../test/corpus/random.js";

/** Components whose sources get faults, and whose tests are to find them. */
export const components = ["ori", "analysis", "phases", "rules"] as const;

/** One fault: what stands from `start` to `end` (offsets in the text) becomes `with`. */
export interface Fault {
  /** Path from the repository's root. */
  readonly file: string;
  /** Line, from 1. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly with: string;
  /** What was done, in words. */
  readonly what: string;
}

/** Tables of data and proofs: faults there are no faults of code. */
const leftOut = /(table|proofs|index|types|texts\/\w+)\.ts$/;

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

/** Paths from the root of all files under a folder whose name ends so, in order. */
export function filesIn(root: string, folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((e) => e.isFile() && ending.test(e.name))
    .map((e) => relative(root, join(e.parentPath, e.name)))
    .sort();
}

function faultsOf(root: string, file: string): Fault[] {
  const text = readFileSync(join(root, file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const faults: Fault[] = [];
  const add = (node: ts.Node, by: string, what: string): void => {
    const start = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    faults.push({ file, line, start, end: node.getEnd(), with: by, what: what.replaceAll(/\s+/g, " ").slice(0, 80) });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isThrowStatement(node)) return;
    if (ts.isBinaryExpression(node)) binary(node, add);
    if (ts.isNumericLiteral(node) && ts.isBinaryExpression(node.parent))
      add(node, `(${node.text} + 1)`, `${node.text} + 1`);
    if (ts.isIfStatement(node)) add(node.expression, `!(${node.expression.getText()})`, "condition turned");
    if (ts.isIfStatement(node) && node.elseStatement === undefined) add(node.expression, "false", "condition dropped");
    if (ts.isCallExpression(node)) call(node, add);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return faults;
}

type Add = (node: ts.Node, by: string, what: string) => void;

function binary(node: ts.BinaryExpression, add: Add): void {
  const { left, right, operatorToken: op } = node;
  const by = swaps[op.kind];
  // `a ?? b` stands beside neither && nor || without parentheses.
  const side = (n: ts.Expression): string => (ts.isBinaryExpression(n) ? `(${n.getText()})` : n.getText());
  if (by !== undefined && !(ts.isStringLiteral(left) || ts.isStringLiteral(right)))
    add(node, `${side(left)} ${by} ${side(right)}`, `${op.getText()} → ${by} in ${node.getText()}`);
  if (op.kind === ts.SyntaxKind.AmpersandAmpersandToken) add(node, left.getText(), `without && ${right.getText()}`);
  if (op.kind === ts.SyntaxKind.MinusToken) add(node, `${right.getText()} - (${left.getText()})`, "operands exchanged");
}

function call(node: ts.CallExpression, add: Add): void {
  if (ts.isExpressionStatement(node.parent)) add(node, "undefined", `without ${node.expression.getText()}()`);
  const [a, b, ...rest] = node.arguments;
  if (a === undefined || b === undefined || a.getText() === b.getText()) return;
  if (!ts.isIdentifier(a) || !ts.isIdentifier(b) || !/operand|inst|^[a-z]$/.test(a.getText())) return;
  // Within a chain of `?.` a call is no expression of its own.
  if (ts.isOptionalChain(node)) return;
  const others = [b, a, ...rest].map((x) => x.getText()).join(", ");
  add(node, `${node.expression.getText()}(${others})`, "arguments exchanged");
}

/** All faults that can be planted in the sources of a tree. */
export function allFaults(root: string): Fault[] {
  return components
    .flatMap((component) => filesIn(root, `lib/${component}`, /\.ts$/))
    .filter((f) => !leftOut.test(f))
    .flatMap((f) => faultsOf(root, f));
}

/** So many of them, by a seed. */
export function choose(faults: readonly Fault[], count: number, seed: number): Fault[] {
  const chance = random(seed);
  const chosen = new Set<Fault>();
  while (chosen.size < Math.min(count, faults.length)) chosen.add(faults[chance.below(faults.length)] as Fault);
  return [...chosen];
}

/** A fault's name: file, line, what was done. */
export const nameOf = (f: Fault): string => `${f.file}:${f.line} ${f.what}`;
