/**
 * Cells are compiled by the TypeScript inside tslab, much older than the one that builds the library. What it cannot
 * read in a declaration file it takes for `any` without a word, and so nothing would be checked any more.
 */
import path from "node:path";
import * as ts from "@tslab/typescript-for-tslab";

const root = path.resolve(__dirname, "../..");
const dist = path.join(root, "dist");
// As kernel/cells.cjs sets them.
const options: ts.CompilerOptions = {
  strict: true,
  declaration: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  customConditions: ["require"],
  lib: ["lib.es2023.d.ts"],
  types: ["node"],
  typeRoots: [path.join(root, "node_modules/@types")],
};

const message = (d: ts.Diagnostic): string =>
  `${d.file && path.relative(root, d.file.fileName)}: ${ts.flattenDiagnosticMessageText(d.messageText, "\n")}`;

test("tslab's TypeScript reads every declaration file of the build without an error", () => {
  const files = ts.sys.readDirectory(dist, [".d.ts"]);
  expect(files.length).toBeGreaterThan(5);
  const program = ts.createProgram(files, { ...options, noEmit: true, skipLibCheck: false });
  const own = ts.getPreEmitDiagnostics(program).filter((d) => d.file?.fileName.startsWith(dist));
  expect(own.map(message)).toEqual([]);
}, 60_000);

/** `const x = f(…)` for every function and class that a package exports, also within the namespaces it exports. */
function useEverything(checker: ts.TypeChecker, module: ts.Symbol, prefix: string): string[] {
  return checker.getExportsOfModule(module).flatMap((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const name = `${prefix}.${symbol.name}`;
    if (target.flags & ts.SymbolFlags.ValueModule) return useEverything(checker, target, name);
    const id = name.replaceAll(".", "_");
    if (target.flags & ts.SymbolFlags.Function)
      return [`const ${id} = ${name}(...([] as unknown as Parameters<typeof ${name}>));`];
    if (target.flags & ts.SymbolFlags.Class)
      return [`const ${id} = new ${name}(...([] as unknown as ConstructorParameters<typeof ${name}>));`];
    return [];
  });
}

test.each(["ptxlab", "ptxlab/view"])(
  "a cell can keep the result of every function of %s",
  (name) => {
    const cell = path.join(root, "notebooks", "__cell__.ts");
    const compileCell = (text: string): ts.Program => {
      const host = ts.createCompilerHost(options);
      const read = host.getSourceFile.bind(host);
      host.getSourceFile = (file, version) =>
        file === cell ? ts.createSourceFile(file, text, version) : read(file, version);
      host.fileExists = (file) => file === cell || ts.sys.fileExists(file);
      return ts.createProgram([cell], { ...options, skipLibCheck: true }, host);
    };
    const first = compileCell(`import * as L from "${name}"; L;`);
    const checker = first.getTypeChecker();
    const statement = first.getSourceFile(cell)!.statements[0] as ts.ImportDeclaration;
    const module = checker.getSymbolAtLocation(statement.moduleSpecifier)!;
    const uses = useEverything(checker, module, "L");
    expect(uses.length).toBeGreaterThan(5);
    const program = compileCell(`import * as L from "${name}";\n${uses.map((u) => `export ${u}`).join("\n")}`);
    // Types without a public name stop a cell: cells are compiled with declarations.
    const unnamed = ts.getPreEmitDiagnostics(program).filter((d) => /cannot be named|has or is using/.test(message(d)));
    expect(unnamed.map(message)).toEqual([]);
  },
  60_000,
);
