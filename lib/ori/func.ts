/**
 * Making functions, blocks and instructions. Everything that has an id gets it here.
 */
import type { Span } from "../diagnostics.js";
import { counted, shownAs } from "../inspect.js";
import type { Form } from "../isa/form.js";
import type { Target } from "../target/types.js";
import { clone } from "./operand.js";
import { printFunc } from "./print.js";
import type { Block, Control, File, Func, Guard, Inst, LaunchBounds, Operand, Passed, ValueTable } from "./types.js";

/** Growable typed columns; the arrays double, so adding n values costs O(n). */
class Values implements ValueTable {
  private files: Uint8Array;
  private widths: Uint8Array;
  private places: Int16Array;
  private readonly names: string[];

  constructor(files: Uint8Array, widths: Uint8Array, places: Int16Array, names: string[]) {
    this.files = files;
    this.widths = widths;
    this.places = places;
    this.names = names;
  }

  get count(): number {
    return this.names.length;
  }

  file(id: number): File {
    return this.files[id] as File;
  }

  width(id: number): number {
    return this.widths[id] as number;
  }

  name(id: number): string {
    return this.names[id] as string;
  }

  fixed(id: number): number {
    return this.places[id] as number;
  }

  add(file: File, width = 1, name = "", fixed = -1): number {
    const id = this.names.length;
    if (id === this.files.length) this.grow();
    this.files[id] = file;
    this.widths[id] = width;
    this.places[id] = fixed;
    this.names.push(name);
    return id;
  }

  copy(): Values {
    return new Values(this.files.slice(), this.widths.slice(), this.places.slice(), this.names.slice());
  }

  private grow(): void {
    const files = new Uint8Array(this.files.length * 2);
    files.set(this.files);
    this.files = files;
    const widths = new Uint8Array(this.widths.length * 2);
    widths.set(this.widths);
    this.widths = widths;
    const places = new Int16Array(this.places.length * 2);
    places.set(this.places);
    this.places = places;
  }
}

/** An empty table of virtual registers. */
export function newValues(): ValueTable {
  return new Values(new Uint8Array(64), new Uint8Array(64), new Int16Array(64), []);
}

/** An independent copy of a value table, with the same ids. */
export function copyValues(values: ValueTable): ValueTable {
  if (values instanceof Values) return values.copy();
  const copy = newValues();
  for (let id = 0; id < values.count; id++) {
    copy.add(values.file(id), values.width(id), values.name(id), values.fixed(id));
  }
  return copy;
}

/** Launch bounds of a kernel whose PTX says nothing. */
export function noBounds(): LaunchBounds {
  return {
    maxntid: null,
    reqntid: null,
    minnctapersm: 0,
    maxnreg: 0,
    maxclusterrank: 0,
    explicitcluster: false,
    reqnctapercluster: null,
  };
}

function briefly(func: Func): string {
  const insts = func.blocks.reduce((n, b) => n + b.insts.length, 0);
  const registers = func.virtual ? "virtual" : "physical";
  return `Func ${func.name}: ${counted(func.blocks.length, "block")}, ${counted(insts, "instruction")}, ${registers} registers, ${func.milestone}`;
}

/** Functions show themselves as their code; `printFunc` gives the whole text form. */
function shown(func: Func): Func {
  return shownAs(
    func,
    (f) => `${briefly(f)}\n${printFunc(f, { details: false })}`,
    (f) => `[${briefly(f)}]`,
  );
}

/** An empty function on virtual registers: no block, no value. */
export function newFunc(name: string, target: Target, kind: "entry" | "func" = "entry"): Func {
  return shown({
    name,
    kind,
    target,
    blocks: [],
    virtual: true,
    values: newValues(),
    frame: { localBytes: 0, spillBytes: 0, spillStores: 0, spillLoads: 0 },
    params: [],
    paramBytes: 0,
    sharedBytes: 0,
    limits: noBounds(),
    barriers: 0,
    used: { R: 0, UR: 0, P: 0, UP: 0, B: 0 },
    milestone: "initial",
    passed: null,
    generation: 0,
    nextInst: 0,
    nextBlock: 0,
  });
}

/** A block that is not in the layout yet (the builder and the editor place it). */
export function newBlock(func: Func, label = "", freq = 1): Block {
  return { id: func.nextBlock++, label, insts: [], succs: [], preds: [], freq };
}

/** An instruction that is in no block yet. The operands are taken over, not copied. */
export function newInst(
  func: Func,
  form: Form,
  dsts: Operand[],
  srcs: Operand[],
  guard: Guard | null = null,
  loc: Span | null = null,
  origin = -1,
): Inst {
  return instOf(func.nextInst++, form, dsts, srcs, guard, null, loc, origin);
}

/** Instructions are all of one shape: the engine's code for what reads them is good for all, then. */
function instOf(
  id: number,
  form: Form,
  dsts: Operand[],
  srcs: Operand[],
  guard: Guard | null,
  control: Control | null,
  loc: Span | null,
  origin: number,
): Inst {
  return {
    id,
    form,
    dsts,
    srcs,
    guard,
    control,
    loc,
    origin,
    passed: undefined,
    table: undefined,
    said: undefined,
  };
}

/** An execution guard on predicate `id`. */
export function guardOn(file: File, id: number, inverted = false): Guard {
  return { file, id, not: inverted };
}

/** A guard of its own with the same predicate. */
export function copyGuard(g: Guard): Guard;
export function copyGuard(g: Guard | null): Guard | null;
export function copyGuard(g: Guard | null): Guard | null {
  return g === null ? null : { file: g.file, id: g.id, not: g.not };
}

/** A control word of its own with the same fields. */
export function copyControl(c: Control | null): Control | null {
  return c === null
    ? null
    : { stall: c.stall, yield: c.yield, writeSb: c.writeSb, readSb: c.readSb, wait: c.wait, reuse: c.reuse };
}

/** A copy of an instruction with a new id; `origin` names the original. */
export function copyInst(func: Func, inst: Inst): Inst {
  const copy = newInst(
    func,
    inst.form,
    inst.dsts.map(clone),
    inst.srcs.map(clone),
    copyGuard(inst.guard),
    inst.loc,
    inst.id,
  );
  copy.control = copyControl(inst.control);
  if (inst.passed !== undefined) copy.passed = copyPassed(inst.passed);
  if (inst.table !== undefined) copy.table = inst.table;
  if (inst.said !== undefined) copy.said = inst.said;
  return copy;
}

function copyPassed(p: Passed): Passed {
  return { uses: p.uses.map(clone), defs: p.defs.map(clone) };
}

/**
 * A complete, independent copy: same ids everywhere, nothing shared but what is immutable (forms, spans, target,
 * parameters, launch bounds).
 */
export function snapshot(func: Func): Func {
  const blocks = new Map<Block, Block>();
  for (const b of func.blocks) {
    const { id, label, freq, nounroll, skip } = b;
    const insts = b.insts.map(sameInst);
    const marks = { ...(nounroll === true && { nounroll }), ...(skip === true && { skip }) };
    blocks.set(b, { id, label, insts, succs: [], preds: [], freq, ...marks });
  }
  const twin = (b: Block): Block => blocks.get(b) ?? b;
  for (const [from, to] of blocks) {
    to.succs = from.succs.map(twin);
    to.preds = from.preds.map(twin);
  }
  return shown({
    ...func,
    blocks: func.blocks.map(twin),
    values: copyValues(func.values),
    frame: { ...func.frame },
    params: func.params.slice(),
    used: { ...func.used },
  });
}

function sameInst(inst: Inst): Inst {
  const { id, form, dsts, srcs, guard, control, loc, origin, passed, table, said } = inst;
  const copy = instOf(id, form, dsts.map(clone), srcs.map(clone), copyGuard(guard), copyControl(control), loc, origin);
  if (passed !== undefined) copy.passed = copyPassed(passed);
  if (table !== undefined) copy.table = table;
  if (said !== undefined) copy.said = said;
  return copy;
}
