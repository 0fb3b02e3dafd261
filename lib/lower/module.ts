/**
 * Lowering a module: its variables, then each kernel, then the functions that these call by the ABI, and those that they call. Most
 * functions are inlined where they are called (call-graph.ts) and have no code of their own.
 */
import { type Diagnostic, diagnostic, isFailure, notSupported } from "../diagnostics.js";
import { counted, shownAs } from "../inspect.js";
import { reaching } from "../ori/routines.js";
import type { Func, Program, Reference } from "../ori/types.js";
import type { Block, Declaration, FunctionItem, Module, Parameter } from "../ptx/ast.js";
import { ok, type Result } from "../result.js";
import { target as targetOf } from "../target/index.js";
import type { Target, TargetName } from "../target/types.js";
import { mayBeRemote, REMOTE_STACK_BYTES } from "./async/remote.js";
import { passedLayout, passingOf, type Signature } from "./call.js";
import { aliasesOf, callGraph } from "./call-graph.js";
import type { ModuleContext } from "./context.js";
import { driverPrototype, isDriverFunction } from "./driver.js";
import { lowerFunction } from "./function.js";
import { gradientStackBytes } from "./graphics/gradient-routine.js";
import { declaredReference, isIndependent, placeReferences, referenceKind } from "./graphics/references.js";
import { Refusal } from "./refusal.js";
import { Scope } from "./scope.js";
import { Symbols } from "./symbols.js";
import { typeNamed } from "./types.js";
import { alignUp, parameterBytes } from "./variables.js";

/** What lowering needs beside the module. */
export interface LowerOptions {
  /** What to compile for. */
  readonly target: Target | TargetName;
  /** Names of the entries to lower; all by default. */
  readonly entries?: readonly string[];
  /** The result is linked with others (`-c`): functions that others may call must be in it. */
  readonly relocatable?: boolean;
  /** Error barriers after fences of the device and of the system. Default true. */
  readonly errorBarriers?: boolean;
  /** Infos about waits and arrives that products of warp groups lack (C7517, C7519), as ptxas gives them from -O1 on. Default true. */
  readonly remarks?: boolean;
  /** Optimizations may round products and sums without rounding modifier once (`-fmad`). Default true. */
  readonly contracts?: boolean;
}

/**
 * One Func for every .entry, in source order, and the variables of the module. What is not lowered yet is reported as
 * `not supported yet: <instruction>` with its place; all of a function's are reported, and the program holds the functions
 * without errors: look at `diagnostics` before making a cubin of it.
 */
export function lower(module: Module, options: LowerOptions): Result<Program> {
  const target = typeof options.target === "string" ? targetOf(options.target) : options.target;
  const diagnostics: Diagnostic[] = [];
  const symbols = new Symbols();
  const scope = new Scope(null);
  const relocatable = options.relocatable === true;
  const references: Reference[] = [];
  const items = new Map<string, FunctionItem>();
  const functions = new Map<string, FunctionItem>();
  for (const item of module.items) {
    if (item.kind === "declaration") declare(item, symbols, scope, diagnostics, references, relocatable);
    else if (item.kind === "function") {
      if (item.body !== null || !items.has(item.name)) items.set(item.name, item);
      if (item.body !== null) functions.set(item.name, item);
    }
  }
  const aliases = aliasesOf(module);
  for (const item of module.items) {
    if (item.kind === "alias" && functions.get(item.aliasee)?.entry !== false)
      diagnostics.push(notSupported(`.alias ${item.name}`, item.span));
  }
  const chosen = (item: FunctionItem): boolean => options.entries === undefined || options.entries.includes(item.name);
  const entries = [...functions.values()].filter((item) => item.entry && chosen(item));
  const graph = callGraph(module);
  const independent = isIndependent(module);
  // Where references begin: after the parameters.
  const start = (kernel: FunctionItem): number => {
    const all = target.has("uniformHandles") ? entries : [kernel];
    const end = target.constants.paramBase + Math.max(...all.map((item) => parameterBytes(item, target)));
    return target.has("capmerc") ? alignUp(end, 16) : end;
  };
  const needed = new Set(entries.map((item) => item.name));
  const taken = new Set([...graph.inVariables].map((name) => aliases.get(name) ?? name));
  const calls = {
    prototypes: new Map<string, string>(),
    indirect: new Map<string, Set<string>>(),
    takes: new Map<string, Set<string>>(),
    aliases: aliasesOf(module),
  };
  for (const item of items.values()) if (!item.entry) notePrototype(item, calls.prototypes);
  let indirect = relocatable;
  const kept = relocatable || entries.length > 1 ? [] : [...taken];
  for (const name of kept) needed.add(name);
  if (relocatable) for (const [name, item] of functions) if (!item.entry && item.linkage !== null) needed.add(name);
  const mostOnStack = stackArguments(module, target);
  const funcs = new Map<string, Func>();
  const lowerOne = (item: FunctionItem): void => {
    const context: ModuleContext = {
      errorBarriers: options.errorBarriers ?? true,
      contracts: options.contracts ?? true,
      remarks: options.remarks ?? true,
      declared: items,
      functions,
      aliases,
      inlined: graph.inlined,
      convention: relocatable ? "relocatable" : entries.length > 1 ? "table" : "merged",
      stackArguments: mostOnStack,
      need: (name) => {
        needed.add(name);
        const prototype = driverPrototype(name);
        if (prototype !== null) calls.prototypes.set(name, prototype);
      },
      take: (name) => {
        taken.add(name);
        note(calls.takes, item.name, name);
      },
      indirect: (s) => {
        indirect = true;
        note(calls.indirect, item.name, prototypeOf(s));
      },
      constantBytes: () => (options.relocatable ? null : symbols.constantBytes()),
      use: (symbol) => symbols.use(symbol, item.name),
      declare: (d, v) => symbols.declare(d, v, item.name),
      independent,
      references: (kernel) =>
        references.length === 0
          ? []
          : placeReferences(kernel, { scope, functions, target, independent }, start(kernel)),
      outer: scope,
    };
    const lowered = lowerFunction(item, scope, context, target);
    diagnostics.push(...lowered.diagnostics);
    if (lowered.diagnostics.some(isFailure)) return;
    lowered.func.sharedBytes = symbols.sharedBytes(item.name);
    funcs.set(item.name, lowered.func);
  };
  // Sets grow while they are walked.
  for (const name of needed) {
    const item = functions.get(name);
    if (item !== undefined) lowerOne(item);
    else if (!relocatable && !isDriverFunction(name)) {
      // In ptxas's words.
      diagnostics.push(diagnostic("fatal", `Unresolved extern function '${name}'`));
    }
    if (indirect) for (const t of taken) needed.add(t);
  }
  const kernels = entries.flatMap((item) => funcs.get(item.name) ?? []);
  if (!relocatable) shareVariables(kernels, [...funcs.values()], [...taken], kept, symbols);
  const inOrder = (names: ReadonlySet<string>): string[] => [...items.keys()].filter((name) => names.has(name));
  const program: Program = {
    target,
    ptxVersion: [module.version?.major ?? 1, module.version?.minor ?? 0],
    addressSize: module.addressSize?.bits ?? 64,
    funcs: inOrder(needed).flatMap((name) => funcs.get(name) ?? []),
    symbols: symbols.list(!relocatable),
    ...(independent && { independent }),
    ...(references.length > 0 && { references }),
    taken: inOrder(taken),
    kept,
    calls,
  };
  return ok(
    shownAs(program, describe, (p) => `[${headline(p)}]`),
    diagnostics,
  );
}

const headline = (p: Program): string => `Program for ${p.target.name}: ${counted(p.funcs.length, "function")}`;

function describe(p: Program): string {
  const line = (f: Func): string => {
    const insts = f.blocks.reduce((n, b) => n + b.insts.length, 0);
    return `  ${f.kind} ${f.name}: ${counted(f.blocks.length, "block")}, ${counted(insts, "instruction")}, ${f.milestone}`;
  };
  const variables = p.symbols.map((s) => s.name).join(", ");
  return [headline(p), ...p.funcs.map(line), ...(variables === "" ? [] : [`  variables: ${variables}`])].join("\n");
}

function declare(
  d: Declaration,
  symbols: Symbols,
  scope: Scope,
  diagnostics: Diagnostic[],
  references: Reference[],
  relocatable: boolean,
): void {
  const kind = referenceKind(d.type);
  for (const v of d.variables) {
    try {
      if (kind === null) scope.declare(v.name, symbols.declare(d, v, null));
      else {
        // In objects for linking the code has relocations of its own for them.
        if (relocatable) throw new Refusal();
        const of = declaredReference(d, v, kind);
        references.push(of);
        scope.declare(v.name, { kind: "reference", of });
      }
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      diagnostics.push(notSupported(`.${d.space} variable ${v.name}`, v.span));
    }
  }
}

/** In an executable the variables of a function belong to every kernel that reaches it. */
function shareVariables(
  kernels: readonly Func[],
  funcs: readonly Func[],
  taken: readonly string[],
  kept: readonly string[],
  symbols: Symbols,
): void {
  const reached = reaching(funcs, taken, kept);
  for (const k of kernels) {
    for (const r of reached(k)) {
      symbols.share(r.name, k.name);
      k.barriers = Math.max(k.barriers, r.barriers);
    }
    k.sharedBytes = symbols.sharedBytes(k.name);
  }
}

function note(to: Map<string, Set<string>>, key: string, value: string): void {
  const set = to.get(key);
  if (set === undefined) to.set(key, new Set([value]));
  else set.add(value);
}

function notePrototype(item: FunctionItem, to: Map<string, string>): void {
  try {
    to.set(item.name, prototypeOf(item));
  } catch (e) {
    // Told where it is called.
    if (!(e instanceof Refusal)) throw e;
  }
}

/** Letters of scalars by class and bits; arrays are `b` and their bytes (13.0.88, `.strtab` of objects). */
const letters: Readonly<Record<string, string>> = { 8: "b", 16: "h", 32: "i", 64: "l", 128: "x", f32: "f", f64: "d" };

function prototypeOf(s: Signature): string {
  const letter = (p: Parameter): string => {
    const type = typeNamed(p.type);
    if (type === null) throw new Refusal();
    if (p.dims.length > 0 || p.vector !== null) return `b${passedLayout(p).size}`;
    return letters[type.cls === "f" ? type.name : type.bits] ?? (letters[type.bits] as string);
  };
  const returns = (s.returns ?? []).map(letter).join("");
  return `#${returns === "" ? "v" : returns}${(s.params ?? []).map(letter).join("")}`;
}

/** The most bytes that arguments of any function or prototype of the module take on the stack. */
function stackArguments(module: Module, target: Target): number {
  let most = 0;
  const measure = (s: Signature): void => {
    try {
      most = Math.max(most, passingOf(s).stackBytes);
    } catch (e) {
      // Told where it is called.
      if (!(e instanceof Refusal)) throw e;
    }
  };
  const walk = (b: Block): void => {
    for (const s of b.statements)
      if (s.kind === "callprototype") measure(s);
      else if (s.kind === "block") walk(s);
      else if (s.kind === "instruction")
        most = Math.max(most, mayBeRemote(s, target) ? REMOTE_STACK_BYTES : gradientStackBytes(s, target));
  };
  for (const item of module.items) {
    if (item.kind !== "function" || item.entry) continue;
    measure(item);
  }
  for (const item of module.items) if (item.kind === "function" && item.body !== null) walk(item.body);
  return Math.ceil(most / 16) * 16;
}
