/**
 * Cells are compiled by the TypeScript inside tslab, much older than the one that builds the library. What it cannot
 * read in a declaration file it takes for `any` without a word, and so nothing would be checked any more.
 */
import path from "node:path";
import * as ts from "@tslab/typescript-for-tslab";

const dist = path.resolve(__dirname, "../../dist");

test("tslab's TypeScript reads every declaration file of the build without an error", () => {
  const files = ts.sys.readDirectory(dist, [".d.ts"]);
  expect(files.length).toBeGreaterThan(5);
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2023.d.ts"],
    types: ["node"],
    typeRoots: [path.resolve(dist, "../node_modules/@types")],
    skipLibCheck: false,
  });
  const own = ts
    .getPreEmitDiagnostics(program)
    .filter((d) => d.file?.fileName.startsWith(dist))
    .map((d) => `${d.file?.fileName}: ${ts.flattenDiagnosticMessageText(d.messageText, "\n")}`);
  expect(own).toEqual([]);
}, 60_000);
