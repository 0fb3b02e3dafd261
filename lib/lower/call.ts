/**
 * Calls: a function that is inlined (inline.ts), or a call by the ABI (lib/isa/abi.ts).
 *
 *     STL [R1+n], …                    arguments that find no register
 *     MOV R4, … ; MOV R6, … ; MOV R7, …
 *     MOV R20, L ; MOV R21, 0
 *     CALL.REL.NOINC f
 *  L: MOV …, R4                        results
 *
 * In an executable the functions lie after the kernel in its own code, and addresses count from its start; an indirect call goes
 * through the address itself, or, where several kernels share addresses, through a table that each has in constant bank 2.
 * In an object for the linker calls and addresses are absolute.
 */
import { passing } from "../isa/abi.js";
import { clone, constIndexed, imm, label, lo, part, RZ, sym } from "../ori/operand.js";
import { File, type Func, type Operand } from "../ori/types.js";
import type { NameOperand, Parameter, Operand as PtxOperand } from "../ptx/ast.js";
import { callBuiltin, OCG_PREFIX } from "./builtins/ocg.js";
import type { Context } from "./context.js";
import { at, type Family, type Lowering } from "./family.js";
import { type Actual, actual, inlineCall } from "./inline.js";
import { skip } from "./place.js";
import { Refusal } from "./refusal.js";
import { storeMemory, storePart, wordAt } from "./slots.js";
import { type PtxType, registersOf, typeNamed, U64 } from "./types.js";
import { alignUp, parameterLayout } from "./variables.js";

/** What a call needs to know of the callee. */
export interface Signature {
  readonly returns: readonly Parameter[] | null;
  readonly params: readonly Parameter[] | null;
}

/** The symbol by which the linker finds functions after their addresses, from sm_90 on. */
const UFT_OFFSET = "__UFT_OFFSET";

function list(o: PtxOperand | undefined): readonly PtxOperand[] {
  if (o === undefined) return [];
  if (o.kind !== "list") throw new Refusal();
  return o.elements;
}

const call: Lowering = (c, i, m) => {
  m.flag("uni");
  const hasResult = i.operands[0]?.kind === "list";
  const [result, callee, ...rest] = hasResult ? i.operands : [undefined, ...i.operands];
  if (callee === undefined || callee.kind !== "name" || rest.length > 2) throw new Refusal();
  const [args, targets] = rest[0]?.kind === "list" ? rest : [undefined, rest[0]];
  const [given, wanted] = [list(args), list(result)];
  if (c.registerOf(callee) !== null) {
    const signature = signatureOf(c, targets);
    const address = c.read(callee, U64);
    callByAbi(c, signature, given, wanted, { address });
    return;
  }
  const name = c.module.aliases.get(callee.name) ?? callee.name;
  if (name.startsWith(OCG_PREFIX) && !c.module.functions.has(name)) {
    callBuiltin(c, name, given, wanted);
    return;
  }
  const item = c.module.declared.get(name);
  if (item === undefined || item.entry || targets !== undefined) throw new Refusal();
  const known = c.module.functions.get(name);
  if (known !== undefined && c.module.inlined.has(name)) inlineCall(c, known, given, wanted);
  else {
    c.module.need(name);
    callByAbi(c, item, given, wanted, { name });
  }
};

/** Of a prototype, or of the first of a list of targets. */
function signatureOf(c: Context, o: PtxOperand | undefined): Signature {
  if (o === undefined || o.kind !== "name") throw new Refusal();
  const entity = c.find(o.name);
  if (entity !== null && entity.kind === "prototype") return entity.prototype;
  if (entity === null || entity.kind !== "calltargets") throw new Refusal();
  for (const name of entity.targets) c.module.take(c.module.aliases.get(name) ?? name);
  const first = c.module.declared.get(entity.targets[0] ?? "");
  if (first === undefined) throw new Refusal();
  return first;
}

// ------------------------------------------------------------------------------------------------ arguments

/** Size and alignment of a parameter; one in a register is passed like one of its type in `.param`. */
export function passedLayout(p: Parameter): { size: number; align: number } {
  const type = typeNamed(p.type);
  if (type === null || type.cls === "p" || p.count !== null) throw new Refusal();
  if (p.space === "reg" && (p.vector !== null || p.dims.length > 0)) throw new Refusal();
  const { size, align } = parameterLayout(p);
  return { size, align };
}

export function passingOf(s: Signature): ReturnType<typeof passing> {
  const returns = s.returns ?? [];
  if (returns.length > 1) throw new Refusal();
  return passing((s.params ?? []).map(passedLayout), returns[0] === undefined ? 0 : passedLayout(returns[0]).size);
}

/** The 32-bit words of an argument. */
function words(c: Context, p: Parameter, o: PtxOperand): Operand[] {
  const { size } = passedLayout(p);
  const count = Math.max(1, Math.ceil(size / 4));
  const a: Actual = actual(c, o);
  if (a.slots !== null) {
    const { slots } = a;
    if (slots.memory !== null || slots.bytes < size) throw new Refusal();
    return Array.from({ length: count }, (_, k) => wordAt(c, slots, 4 * k));
  }
  const type = typeNamed(p.type);
  if (type === null || p.dims.length > 0 || p.vector !== null) throw new Refusal();
  const value = (a.value as (t: PtxType) => Operand)(type);
  return Array.from({ length: registersOf(type) }, (_, k) => c.word(value, k));
}

type Callee = { readonly name: string } | { readonly address: Operand };

function callByAbi(
  c: Context,
  s: Signature,
  given: readonly PtxOperand[],
  wanted: readonly PtxOperand[],
  callee: Callee,
): void {
  const params = s.params ?? [];
  const returns = s.returns ?? [];
  if (params.length !== given.length || returns.length !== wanted.length) throw new Refusal();
  const pass = passingOf(s);
  if (pass.stackBytes > c.outgoing) throw new Refusal("arguments on the stack");
  const values = params.map((p, k) => words(c, p, at(given, k)));
  const target = "address" in callee ? indirectTarget(c, s, callee.address) : null;
  const moves: [number, Operand][] = [];
  const result = returns[0];
  const buffer = pass.resultInMemory && result !== undefined ? localBuffer(c, passedLayout(result)) : -1;
  if (buffer >= 0) moves.push([4, c.op("IADD3", [c.stack, imm(buffer), RZ()])]);
  values.forEach((list_, k) => {
    const { register, offset } = pass.places[k] as (typeof pass.places)[number];
    list_.forEach((w, n) => {
      if (register >= 0) moves.push([register + n, w]);
      else storeMemory(c, { base: c.stack, offset }, 4 * n, c.materialize(w), 4);
    });
  });
  for (const [n, w] of moves) c.move(c.machine(n), w);
  transfer(c, callee, target, [...new Set(moves.map(([n]) => n))], resultRegisters(result, pass.resultInMemory));
  if (result !== undefined) takeResult(c, result, at(wanted, 0), buffer);
}

/** A word of an argument and its register. */
export type Passed = readonly [register: number, word: Operand];

/** A call of a routine of the driver; the registers of what it gives back. */
export function callDriver(c: Context, name: string, passed: readonly Passed[], results = 0): readonly Operand[] {
  c.module.need(name);
  for (const [n, w] of passed) c.move(c.machine(n), w);
  transfer(
    c,
    { name },
    null,
    passed.map(([n]) => n),
    results,
  );
  return Array.from({ length: results }, (_, k) => c.machine(4 + k));
}

/** A part of the frame for a result that goes through memory. */
function localBuffer(c: Context, { size, align }: { size: number; align: number }): number {
  const step = Math.min(16, Math.max(4, align));
  c.frameAlign = Math.max(c.frameAlign, step);
  const offset = alignUp(c.func.frame.localBytes, step);
  c.func.frame.localBytes = offset + alignUp(size, 4);
  return offset;
}

function resultRegisters(result: Parameter | undefined, inMemory: boolean): number {
  return result === undefined || inMemory ? 0 : Math.max(1, Math.ceil(passedLayout(result).size / 4));
}

// ------------------------------------------------------------------------------------------------ the call itself

/** The register pair that CALL adds to its base; with a table, what the table has for the address. */
function indirectTarget(c: Context, s: Signature, address: Operand): Operand {
  c.module.indirect(s);
  const pair = c.materialize(address, 2);
  if (c.module.convention !== "table") return pair;
  const index = c.op("MOV", [lo(pair)]);
  return c.op("LDC.64", [constIndexed(2, File.R, index.id, 0, 2)], 2);
}

function transfer(
  c: Context,
  callee: Callee,
  target: Operand | null,
  argumentRegisters: readonly number[],
  results: number,
): void {
  // What the driver brings along lies elsewhere.
  const absolute = c.module.convention === "relocatable" || ("name" in callee && !c.module.functions.has(callee.name));
  const after = c.newBlock();
  const link = c.machine(20, 2);
  const here = (half: string): Operand => ({ ...label(after), part: absolute ? half : "" });
  c.emit("MOV", [part(link, 0)], [here("32@lo")]);
  c.emit("MOV", [part(link, 1)], [absolute ? here("32@hi") : imm(0)]);
  const own = label(c.func.blocks[0] as Func["blocks"][number]);
  let inst: ReturnType<Context["emit"]>;
  if (target !== null) {
    if (!absolute) inst = c.emit("CALL.REL.NOINC", [], [skip(), target, own]);
    else if (c.target.has("unifiedFunctions"))
      inst = c.emit("CALL.ABS.NOINC", [], [skip(), target, sym(UFT_OFFSET, 0, "call")]);
    else inst = c.emit("CALL.ABS.NOINC", [], [skip(), target]);
  } else {
    const { name } = callee as { name: string };
    if (!absolute) inst = c.emit("CALL.REL.NOINC", [], [skip(), skip(), sym(name, 0, "call")]);
    else if (name === c.func.name && c.func.kind === "func") inst = c.emit("CALL.REL.NOINC", [], [skip(), skip(), own]);
    else inst = c.emit("CALL.ABS.NOINC", [], [skip(), skip(), sym(name, 0, "call")]);
  }
  inst.passed = {
    uses: [...argumentRegisters.map((n) => c.machine(n)), c.machine(20, 2), clone(c.stack)],
    defs: Array.from({ length: results }, (_, k) => c.machine(4 + k)),
  };
  c.calls.push(inst);
  c.start(after);
}

function takeResult(c: Context, result: Parameter, to: PtxOperand, buffer: number): void {
  const { size } = passedLayout(result);
  const count = Math.max(1, Math.ceil(size / 4));
  const target = actual(c, to);
  if (target.slots !== null) {
    if (target.slots.bytes < size) throw new Refusal();
    if (buffer >= 0) target.slots.memory = { base: c.stack, offset: buffer };
    else for (let k = 0; k < count; k++) storePart(c, target.slots, 4 * k, c.machine(4 + k), 4);
    return;
  }
  const type = typeNamed(result.type);
  if (type === null || to.kind === "list" || buffer >= 0) throw new Refusal();
  if (to.kind === "sink") return;
  const d = c.inPlace(to, type);
  for (let k = 0; k < d.width; k++) c.emit("MOV", [part(d, k)], [c.machine(4 + k)]);
}

// ------------------------------------------------------------------------------------------------ addresses

/** What `mov` makes of a function's name; null for other names. */
export function functionAddress(c: Context, o: NameOperand): Operand | null {
  const name = c.module.aliases.get(o.name) ?? o.name;
  const item = c.module.declared.get(name);
  if (c.find(o.name) !== null || item === undefined || item.entry) return null;
  if (o.component !== null || o.index !== null || o.offset !== 0) throw new Refusal();
  c.module.take(name);
  const d = c.temp(2);
  c.emit("MOV", [part(d, 0)], [sym(name, 0, "32@lo")]);
  c.emit("MOV", [part(d, 1)], [c.module.convention === "relocatable" ? sym(name, 0, "32@hi") : imm(0)]);
  return d;
}

export const callFamily: Family = { call };
