/**
 * Lowering one function body: statements in order, each instruction by its entry in the opcode table.
 *
 * A guarded instruction other than a transfer of control is branched around, as ptxas does at -O0; predication is an
 * optimization for later phases. Convergence regions are added when the control flow is complete (convergence.ts).
 */
import { type Diagnostic, notSupported, type Span } from "../diagnostics.js";
import { Builder } from "../ori/builder.js";
import { blockFallsThrough, connect } from "../ori/flow.js";
import { newFunc } from "../ori/func.js";
import { type Block, File, type Func, type Operand } from "../ori/types.js";
import type { Block as Body, Declaration, FunctionItem, Instruction, Statement, StatementList } from "../ptx/ast.js";

import type { Target } from "../target/types.js";
import { Context, type ModuleContext } from "./context.js";
import { addRegions } from "./convergence.js";
import { instructionText } from "./describe.js";
import { gather } from "./gather.js";
import { fragmentsOf, planFragments } from "./matrix/groups.js";
import { productRemarks } from "./matrix/remarks.js";
import { settleGroups } from "./matrix/wgmma.js";
import { Modifiers } from "./modifiers.js";
import { Refusal } from "./refusal.js";
import { finishCalls, lowerRoutine } from "./routine.js";
import { type Entity, Scope } from "./scope.js";
import { lowerings, transfers } from "./table.js";
import { type PtxType, registersOf, typeNamed } from "./types.js";
import { alignUp, declareVariables, kernelParameters, launchBounds } from "./variables.js";

export interface Lowered {
  readonly func: Func;
  readonly diagnostics: readonly Diagnostic[];
}

/** Lowers one .entry with a body, or a .func as code of its own. */
export function lowerFunction(item: FunctionItem, outer: Scope, module: ModuleContext, target: Target): Lowered {
  const func = newFunc(item.name, target, item.entry ? "entry" : "func");
  const builder = new Builder(func);
  const scope = new Scope(outer);
  builder.start(builder.newBlock());
  const c = new Context(builder, scope, module, lowerBody);
  func.linkage = item.linkage ?? "internal";
  func.limits = launchBounds(item);
  func.frame.localBytes = c.outgoing;
  if (item.entry) {
    c.kernelBody = item.body;
    // Always there: the allocator lowers the stack pointer after this load when the frame turns out not to be empty.
    c.loadStackPointer();
    reported(
      c,
      item.nameSpan,
      () => `parameters of ${item.name}`,
      () => {
        kernelParameters(item, func, scope);
        const references = module.references(item);
        if (references.length > 0) func.references = references;
      },
    );
    lowerBody(c, item.body as Body);
    if (blockFallsThrough(builder.block)) c.emit("EXIT", [], []);
  } else
    reported(
      c,
      item.nameSpan,
      () => `.func ${item.name}`,
      () => lowerRoutine(c, item, (body) => lowerBody(c, body)),
    );
  reported(
    c,
    item.nameSpan,
    () => `rounded division in ${item.name}`,
    () => c.emitRare(),
  );
  if (!c.startTop()) c.diagnostics.push(notSupported(`alloca beside calls in ${item.name}`, item.nameSpan));
  builder.finish();
  // The stack grows down from a multiple of 16: its variables lie right only if the frame's size is a multiple of their alignment.
  func.frame.localBytes = alignUp(func.frame.localBytes, c.frameAlign);
  if (c.diagnostics.length === 0) {
    finishCalls(c);
    dropUnreachable(func);
    settleGroups(func);
    const remarks = module.remarks ? productRemarks(func, module.functions) : [];
    if (gather(c)) connect(func);
    addRegions(func, c.watching);
    c.diagnostics.push(...remarks);
  }
  return { func, diagnostics: c.diagnostics };
}

/** Lowers `{ … }` in a scope of its own. */
function lowerBody(c: Context, body: Body): void {
  const outer = c.scope;
  planFragments(body);
  c.scope = new Scope(outer);
  declareLabels(c, body.statements);
  for (const s of body.statements) statement(c, s);
  c.scope = outer;
}

function declareLabels(c: Context, statements: StatementList): void {
  for (const s of statements.others()) {
    if (s.kind === "label") c.scope.declare(s.name, { kind: "label", block: c.newBlock(s.name), placed: false });
    else if (s.kind === "branchtargets") c.scope.declare(s.label, { kind: "targets", targets: s });
    else if (s.kind === "callprototype") c.scope.declare(s.label, { kind: "prototype", prototype: s });
    else if (s.kind === "calltargets") c.scope.declare(s.label, { kind: "calltargets", targets: s.targets });
  }
}

function statement(c: Context, s: Statement): void {
  switch (s.kind) {
    case "instruction":
      instruction(c, s);
      return;
    case "label": {
      const label = c.scope.own(s.name);
      if (label === null || label.kind !== "label" || label.placed) return;
      label.placed = true;
      c.start(label.block);
      return;
    }
    case "block":
      lowerBody(c, s);
      return;
    case "declaration":
      reported(
        c,
        s.span,
        () => `.${s.space} declaration`,
        () => declare(c, s),
      );
      return;
    case "pragma":
      if (s.strings.includes("nounroll")) c.builder.block.nounroll = true;
      return;
    default:
      // Debug information changes no meaning; jump tables were declared; prototypes serve indirect calls only.
      return;
  }
}

/** Runs `body` and turns a refusal into a diagnostic. */
function reported(c: Context, span: Span, what: () => string, body: () => void): void {
  try {
    body();
  } catch (e) {
    if (!(e instanceof Refusal)) throw e;
    c.diagnostics.push(notSupported(e.what ?? what(), span));
  }
}

function instruction(c: Context, i: Instruction): void {
  c.builder.loc = c.position ?? i.span;
  reported(
    c,
    i.span,
    () => instructionText(i),
    () => {
      const lower = Object.hasOwn(lowerings, i.opcode) ? lowerings[i.opcode] : undefined;
      if (lower === undefined) throw new Refusal();
      const guard = i.guard === null ? null : guardOperand(c, i.guard.name, i.guard.negated);
      if (guard !== null && !transfers.has(i.opcode)) {
        const skip = c.newBlock();
        skip.skip = true;
        c.branch(skip, c.when(guard, true));
        run(c, i, lower);
        c.start(skip);
        return;
      }
      c.guard = guard === null ? null : c.when(guard);
      run(c, i, lower);
      c.guard = null;
    },
  );
}

function run(c: Context, written: Instruction, lower: (typeof lowerings)[string]): void {
  const operands = written.operands.map((o) => c.wholeVector(o));
  const i = operands.some((o, k) => o !== written.operands[k]) ? { ...written, operands } : written;
  const m = new Modifiers(i.modifiers);
  c.instruction(() => {
    lower?.(c, i, m);
    m.finish();
  });
}

function guardOperand(c: Context, name: string, negated: boolean): Operand {
  const entity = c.find(name);
  if (entity === null || entity.kind !== "register" || entity.operand.file !== File.P) throw new Refusal();
  return negated ? { ...entity.operand, mods: 4 } : entity.operand;
}

// -------------------------------------------------------------------------------------------------- declarations

function declare(c: Context, d: Declaration): void {
  if (d.space !== "reg") {
    declareVariables(c, d);
    return;
  }
  const type = typeNamed(d.type);
  if (type === null || (d.vector !== null && d.vector > 4)) throw new Refusal();
  const fragment = fragmentsOf(c, d);
  for (const v of d.variables) {
    if (v.dims.length > 0 || v.init !== null) throw new Refusal();
    const make = (name: string): Entity => {
      const operand = fragment(name);
      return operand === null ? makeRegister(c, name, type, d.vector) : { kind: "register", type, operand, lanes: [] };
    };
    if (v.count === null) c.scope.declare(v.name, make(v.name));
    else c.scope.declareRange(v.name, v.count, make);
  }
}

/** The virtual register(s) of a PTX register. */
export function makeRegister(c: Context, name: string, type: PtxType, vector: number | null): Entity {
  const one = (n: string): Operand => (type.cls === "p" ? c.builder.p(n) : c.builder.r(registersOf(type), n));
  if (vector === null) return { kind: "register", type, operand: one(name), lanes: [] };
  const lanes: Operand[] = [];
  for (let i = 0; i < vector; i++) lanes.push(one(`${name}.${"xyzw"[i]}`));
  return { kind: "register", type, operand: lanes[0] as Operand, lanes };
}

// -------------------------------------------------------------------------------------------------- clean-up

/** Blocks that no path reaches (code after a branch) are left out; PTX gives them no meaning. */
function dropUnreachable(func: Func): void {
  const seen = new Set<Block>();
  const work: Block[] = func.blocks.slice(0, 1);
  for (let b = work.pop(); b !== undefined; b = work.pop()) {
    if (seen.has(b)) continue;
    seen.add(b);
    work.push(...b.succs);
  }
  if (seen.size === func.blocks.length) return;
  func.blocks = func.blocks.filter((b) => seen.has(b));
  for (const b of func.blocks) b.preds = b.preds.filter((p) => seen.has(p));
  func.generation++;
}
