/**
 * Inlining of function bodies: device functions where they are called, and the math routines of this component. Parameters and results in
 * `.reg` become registers, those in `.param` become slots (slots.ts).
 */
import { InternalError } from "../errors.js";
import { Kind, type Operand } from "../ori/types.js";
import type { FunctionItem, Parameter, Operand as PtxOperand } from "../ptx/ast.js";
import { parse } from "../ptx/index.js";
import type { Context } from "./context.js";
import { at } from "./family.js";
import { Refusal } from "./refusal.js";
import { type Entity, Scope } from "./scope.js";
import { type Slots, storePart } from "./slots.js";
import { type PtxType, registersOf, typeNamed } from "./types.js";
import { layoutOf } from "./variables.js";

/** A body inside itself never ends; deeper nests than this, or more bodies in one function, are too much to copy. */
const MAX_DEPTH = 200;
const MAX_CALLS = 2000;

type RegisterEntity = Extract<Entity, { kind: "register" }>;

/** Lowers the body of a function whose parameters are declared in `scope`. */
function body(c: Context, item: FunctionItem, scope: Scope): void {
  if (item.body === null || c.inside.length >= MAX_DEPTH || c.inside.includes(item)) throw new Refusal();
  const outer = { scope: c.scope, returnTo: c.returnTo, guard: c.guard };
  const end = c.newBlock();
  c.scope = scope;
  c.returnTo = { block: end, used: false };
  c.guard = null;
  c.inside.push(item);
  c.lowerBody(c, item.body);
  c.inside.pop();
  endBody(c, c.returnTo);
  c.scope = outer.scope;
  c.returnTo = outer.returnTo;
  c.guard = outer.guard;
}

/** A `ret` at the very end needs no jump. */
export function endBody(c: Context, end: NonNullable<Context["returnTo"]>): void {
  if (!end.used) return;
  const insts = c.builder.block.insts;
  const last = insts[insts.length - 1];
  const target = last?.srcs.find((o) => o.kind === Kind.Label);
  if (last?.form.op === "BRA" && last.guard === null && target?.id === end.block.id) insts.pop();
  c.start(end.block);
}

/** A parameter in registers, set to `value` unless it is a result. */
function registerParameter(c: Context, p: Parameter, value: Operand | null): RegisterEntity {
  const type = typeNamed(p.type);
  if (type === null || p.vector !== null || p.count !== null || p.dims.length > 0) throw new Refusal();
  const operand = type.cls === "p" ? c.builder.p(p.name) : c.builder.r(registersOf(type), p.name);
  if (value !== null) c.move(operand, value);
  return { kind: "register", type, operand, lanes: [] };
}

// ------------------------------------------------------------------------------------------------ math routines

const routines = new Map<string, FunctionItem>();

function routine(text: string): FunctionItem {
  const known = routines.get(text);
  if (known !== undefined) return known;
  const module = parse(`.version 9.0\n.target sm_75\n.address_size 64\n${text}`);
  const item = module.ok ? module.value.items.find((i) => i.kind === "function") : undefined;
  if (item === undefined || item.kind !== "function") {
    throw new InternalError("a math routine does not parse", {
      detail: module.ok ? text : JSON.stringify(module.diagnostics),
    });
  }
  routines.set(text, item);
  return item;
}

/**
 * Inlines a routine given as PTX text, with parameters and results in `.reg`; returns the values of its results. Its
 * instructions stand at the position of the instruction that needs it.
 */
export function inlineRoutine(c: Context, text: string, args: readonly Operand[]): Operand[] {
  const item = routine(text);
  const scope = new Scope(c.module.outer);
  (item.params ?? []).forEach((p, k) => {
    scope.declare(p.name, registerParameter(c, p, args[k] as Operand));
  });
  const results = (item.returns ?? []).map((p) => {
    const r = registerParameter(c, p, null);
    scope.declare(p.name, r);
    return r.operand;
  });
  const position = c.position;
  const errors = c.diagnostics.length;
  c.position ??= c.builder.loc;
  body(c, item, scope);
  c.position = position;
  if (c.diagnostics.length !== errors) {
    // What the routine could not do is the calling instruction's trouble.
    c.diagnostics.length = errors;
    throw new Refusal();
  }
  return results;
}

// ------------------------------------------------------------------------------------------------ calls

export interface Actual {
  /** A register or constant, … */
  readonly value: ((type: PtxType) => Operand) | null;
  /** … or a `.param` variable. */
  readonly slots: Slots | null;
}

export function actual(c: Context, o: PtxOperand): Actual {
  if (o.kind === "name") {
    const entity = c.find(o.name);
    if (entity !== null && entity.kind === "slots") return { value: null, slots: entity };
  }
  return { value: (type) => c.read(o, type), slots: null };
}

/** The slots of a formal `.param`, holding copies of the actual's. */
function copySlots(c: Context, p: Parameter, from: Slots | null): Slots {
  const parts = new Map<number, { operand: Operand; bytes: number }>();
  for (const [offset, part] of from?.parts ?? []) {
    const operand = c.temp(part.operand.width);
    c.move(operand, part.operand);
    parts.set(offset, { operand, bytes: part.bytes });
  }
  const { size, align } = layoutOf(p.type, p.vector, p.dims, p.align);
  return { kind: "slots", bytes: size, align, parts, memory: from?.memory ?? null };
}

/** Lowers the body of a function with a body in this module in the place of its call. */
export function inlineCall(
  c: Context,
  item: FunctionItem,
  given: readonly PtxOperand[],
  wanted: readonly PtxOperand[],
): void {
  if (++c.inlinedCalls > MAX_CALLS) throw new Refusal();
  const [formals, results] = [item.params ?? [], item.returns ?? []];
  if (formals.length !== given.length || results.length !== wanted.length) throw new Refusal();
  const scope = new Scope(c.module.outer);
  formals.forEach((p, k) => {
    const a = actual(c, at(given, k));
    const type = typeNamed(p.type);
    if (p.space === "param" && a.slots !== null) scope.declare(p.name, copySlots(c, p, a.slots));
    else if (p.space === "reg" && a.value !== null && type !== null) {
      scope.declare(p.name, registerParameter(c, p, a.value(type)));
    } else throw new Refusal();
  });
  const values = results.map((p) => {
    const r = p.space === "reg" ? registerParameter(c, p, null) : copySlots(c, p, null);
    scope.declare(p.name, r);
    return r;
  });
  body(c, item, scope);
  values.forEach((v, k) => {
    giveResult(c, v, at(wanted, k));
  });
}

function giveResult(c: Context, v: RegisterEntity | Slots, to: PtxOperand): void {
  if (v.kind === "register") {
    c.move(c.inPlace(to, v.type), v.operand);
    return;
  }
  const target = actual(c, to).slots;
  if (target === null) throw new Refusal();
  target.memory = null;
  for (const [offset, part] of v.parts) {
    if (target.parts.size === 0 || !target.parts.has(offset)) target.parts.set(offset, part);
    else storePart(c, target, offset, part.operand, part.bytes);
  }
}
