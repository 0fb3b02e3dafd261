/**
 * The text form of a function. `parseFunc` (parse.ts) reads it back to the same thing.
 *
 *     func "saxpy" entry sm_90 virtual initial
 *       value %R0 "%r1"
 *       value %R1 width 2 "%rd1"
 *       value %P2
 *     b0 "entry" freq 1 <- -> b1 b2
 *       LDC.64 %R1, c[0x0][0x210]            ; 0 line 7:5 @120-151
 *       ISETP.GE.AND %P2, PT, %R0, 0x8, PT   ; 1
 *       @!%P2 BRA b2                         ; 2
 *
 * Instructions are written as nvdisasm writes them, with `%` and the value's number for a virtual register. `%R1:1` is
 * one register of a wider value, `%R4:2-3` two of them. After the semicolon stand the instruction's id and, where
 * there is something to say, its source position, its origin and its control word. Header lines that say nothing new
 * (no parameters, an empty frame, …) are left out.
 */
import { registerName, renderInst } from "../isa/text.js";
import type { Block, Control, Func, Inst, LaunchBounds, Operand, Param } from "./types.js";

/** What the text of a function shows beside the instructions. */
export interface PrintOptions {
  /** Ids, positions, control words after the instructions, edges and frequencies of blocks. Default true. */
  readonly details?: boolean;
}

/** Text of a function, complete unless told otherwise. Lines end in "\n". */
export function printFunc(func: Func, options: PrintOptions = {}): string {
  const details = options.details ?? true;
  const lines = [headline(func)];
  if (details) lines.push(...header(func));
  for (const block of func.blocks) {
    lines.push(blockLine(block, details));
    const texts = block.insts.map((inst) => printInst(func, inst));
    const width = details ? Math.min(60, Math.max(0, ...texts.map((t) => t.length))) : 0;
    block.insts.forEach((inst, i) => {
      const text = texts[i] as string;
      lines.push(details ? `  ${text.padEnd(width)} ; ${annotation(func, inst)}` : `  ${text}`);
    });
  }
  return `${lines.join("\n")}\n`;
}

/** One instruction with what PTX said of it (`{volatile}`), without id and control word. */
export function printInst(func: Func, inst: Inst): string {
  const names = { label: blockName, isa: func.target.isa, exact: true };
  const text = renderInst(inst, func.virtual ? { ...names, register: (o) => printValue(func, o) } : names);
  return inst.said === undefined ? text : `${text} {${inst.said}}`;
}

/** Name of a virtual register operand: `%R4`, `%R4:1`, `%R4:2-3`. */
export function printValue(func: Func, o: Operand): string {
  const name = `%${registerName(o.file, o.id)}`;
  const known = o.id < func.values.count;
  if (known && o.sub === 0 && o.width === func.values.width(o.id)) return name;
  return o.width === 1 ? `${name}:${o.sub}` : `${name}:${o.sub}-${o.sub + o.width - 1}`;
}

function blockName(o: Operand): string {
  return `b${o.id}`;
}

function headline(func: Func): string {
  const registers = func.virtual ? "virtual" : "physical";
  const linkage = func.linkage === undefined ? "" : ` ${func.linkage}`;
  return `func ${JSON.stringify(func.name)} ${func.kind} ${func.target.name} ${registers} ${func.milestone}${linkage}`;
}

function header(func: Func): string[] {
  const { frame, used, values } = func;
  const lines: string[] = [`next ${func.nextInst} ${func.nextBlock}`];
  if (func.passed !== null) lines.push(`passed ${func.passed.phase} level ${func.passed.level}`);
  for (const p of func.params) lines.push(paramLine(p));
  if (func.paramBytes > 0) lines.push(`parambytes ${func.paramBytes}`);
  for (const r of func.references ?? []) lines.push(`reference ${r.kind} ${JSON.stringify(r.name)} offset ${r.offset}`);
  if (func.sharedBytes > 0) lines.push(`shared ${func.sharedBytes}`);
  for (const [name, bytes] of func.alignments ?? []) lines.push(`aligned ${JSON.stringify(name)} ${bytes}`);
  if (func.barriers > 0) lines.push(`barriers ${func.barriers}`);
  const sizes = [frame.localBytes, frame.spillBytes, frame.spillStores, frame.spillLoads];
  if (sizes.some((n) => n > 0)) lines.push(`frame ${sizes.join(" ")}`);
  const counts = [used.R, used.UR, used.P, used.UP, used.B];
  if (counts.some((n) => n > 0)) lines.push(`used ${counts.join(" ")}`);
  const limits = limitsText(func.limits);
  if (limits !== "") lines.push(`limits${limits}`);
  for (let v = 0; v < values.count; v++) {
    const width = values.width(v) === 1 ? "" : ` width ${values.width(v)}`;
    const fixed = values.fixed(v) < 0 ? "" : ` fixed ${values.fixed(v)}`;
    const name = values.name(v) === "" ? "" : ` ${JSON.stringify(values.name(v))}`;
    lines.push(`value %${registerName(values.file(v), v)}${width}${fixed}${name}`);
  }
  return lines.map((l) => `  ${l}`);
}

function paramLine(p: Param): string {
  const pointer =
    p.pointer === undefined ? "" : p.pointer === null ? " plain" : ` pointer ${p.pointer.space} ${p.pointer.align}`;
  return `param ${JSON.stringify(p.name)} offset ${p.offset} size ${p.size} align ${p.align}${pointer}`;
}

function limitsText(limits: LaunchBounds): string {
  let text = "";
  const list = (name: string, v: readonly number[] | null): void => {
    if (v !== null) text += ` ${name} ${v.join(",")}`;
  };
  const one = (name: string, v: number): void => {
    if (v !== 0) text += ` ${name} ${v}`;
  };
  list("maxntid", limits.maxntid);
  list("reqntid", limits.reqntid);
  one("minnctapersm", limits.minnctapersm);
  one("maxnreg", limits.maxnreg);
  one("maxclusterrank", limits.maxclusterrank);
  if (limits.explicitcluster) text += " explicitcluster";
  list("reqnctapercluster", limits.reqnctapercluster);
  return text;
}

function blockLine(block: Block, details: boolean): string {
  const label = block.label === "" ? "" : ` ${JSON.stringify(block.label)}`;
  const marks = (block.nounroll === true ? " nounroll" : "") + (block.skip === true ? " skip" : "");
  if (!details) return `b${block.id}${label}${marks}`;
  const list = (blocks: readonly Block[]): string => blocks.map((b) => ` b${b.id}`).join("");
  return `b${block.id}${label}${marks} freq ${block.freq} <-${list(block.preds)} ->${list(block.succs)}`;
}

/** `%R4` on virtual registers, `R20-21` on physical ones. */
function printPassed(func: Func, o: Operand): string {
  if (func.virtual) return printValue(func, o);
  const name = registerName(o.file, o.id);
  return o.width === 1 ? name : `${name}-${o.id + o.width - 1}`;
}

function annotation(func: Func, inst: Inst): string {
  let text = `${inst.id}`;
  const { loc } = inst;
  if (loc !== null) text += ` line ${loc.line}:${loc.column} @${loc.start}-${loc.end}`;
  if (inst.origin >= 0) text += ` from ${inst.origin}`;
  if (inst.passed !== undefined) {
    const list = (operands: readonly Operand[]): string => operands.map((o) => printPassed(func, o)).join(",");
    text += ` passes (${list(inst.passed.uses)}) -> (${list(inst.passed.defs)})`;
  }
  if (inst.table !== undefined) {
    const place = inst.table.offset < 0 ? "" : ` at ${inst.table.offset}`;
    text += ` table${place} (${inst.table.targets.map((id) => `b${id}`).join(",")})`;
  }
  if (inst.control !== null) text += ` ${printControl(inst.control)}`;
  return text;
}

/** `{stall 15 yield 0 sb 0 7 wait 3 reuse 0}`: scoreboards written and read. */
export function printControl(c: Control): string {
  return `{stall ${c.stall} yield ${c.yield} sb ${c.writeSb} ${c.readSb} wait ${c.wait} reuse ${c.reuse}}`;
}
