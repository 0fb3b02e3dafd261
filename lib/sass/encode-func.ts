/**
 * Machine code of a whole function: on sm_87 a prologue, its blocks laid out one after the other, then the tail (measured on ptxas 13.0.88): after the last
 * instruction a branch to itself, then NOPs up to 128 bytes; from sm_80 on at least eight of them.
 */
import { InternalError } from "../errors.js";
import { counted, shownAs } from "../inspect.js";
import { form } from "../isa/form.js";
import type { Control, MachineInst, Operand } from "../isa/operand.js";
import { label, PT } from "../ori/operand.js";
import { type Block, type Func, type Inst, Kind } from "../ori/types.js";
import type { Target } from "../target/types.js";
import type { Code, CodeReloc, CodeTable } from "./code.js";
import { type EncodeContext, encodeInst } from "./encode.js";
import { listing } from "./print.js";
import { clearBarriers } from "./prologue.js";

/** What encoding needs beside the function. */
export interface EncodeOptions {
  /** Functions that were joined to it, and where each begins. */
  readonly routines?: readonly {
    /** A function that lies in the same code. */
    readonly func: Func;
    /** Its first block. */
    readonly start: Block;
  }[];
  /** Default: the function's own frame. */
  readonly stackBytes?: number;
  /** False: no NOPs after the end. Default: as ptxas has them. */
  readonly padded?: boolean;
}

/**
 * Machine code of a function with physical registers, and of the routines that were joined to it (ori/routines.ts); it shows itself as its listing. Throws InternalError on virtual
 * registers and on an instruction that has no encoding.
 */
export function encodeFunc(func: Func, options: EncodeOptions = {}): Code {
  const { routines = [], padded = true } = options;
  if (func.virtual)
    throw new InternalError("the registers are still virtual: allocate comes first", { func: func.name });
  // What is called runs after the kernel's own prologue.
  const start = func.kind === "entry" && func.target.has("clearsBarriers") ? clearBarriers() : [];
  const labels = layout(func.blocks, 16 * start.length);
  const body: Inst[] = func.blocks.flatMap((b) => b.insts);
  const insts: MachineInst[] = start.length === 0 ? body : [...start, ...body];
  const words = new Uint32Array(4 * (padded ? codeLength(insts.length + 1, func.target) : insts.length + 1));
  const relocs: CodeReloc[] = [];
  const context: EncodeContext = {
    label: (block) => {
      const at = labels.get(block);
      if (at === undefined) throw new InternalError(`no block ${block}`, { func: func.name });
      return at;
    },
    reloc: (r) => relocs.push(r),
  };
  // The address that RET.REL, CALL.REL and BRX of a table take from their registers counts from the start of the function, not from its first block.
  const fromStart: EncodeContext = { ...context, label: () => 0 };
  insts.forEach((inst, i) => {
    encodeInst(inst, func.target, words, 4 * i, 16 * i, countsFromStart(inst) ? fromStart : context);
    const here = inst.srcs.find((o) => o.kind === Kind.Label && o.part !== "");
    if (here === undefined) return;
    // An absolute address in the code: the linker knows it.
    words[4 * i + 1] = 0;
    relocs.push({ offset: 16 * i, symbol: func.name, addend: context.label(here.id), what: `here ${here.part}` });
  });
  writeTail(words, insts.length, func.target);
  const code: Code = {
    name: func.name,
    kind: func.kind,
    target: func.target,
    words,
    insts,
    locs: start.length === 0 ? body.map((i) => i.loc) : [...start.map(() => null), ...body.map((i) => i.loc)],
    relocs,
    labels,
    tables: tablesOf(insts, context),
    registers: registerCount(func),
    frameBytes: func.frame.localBytes + func.frame.spillBytes,
    stackBytes: options.stackBytes ?? func.frame.localBytes + func.frame.spillBytes,
    spillStores: func.frame.spillStores,
    spillLoads: func.frame.spillLoads,
    barriers: func.barriers,
    params: func.params,
    paramBytes: func.paramBytes,
    limits: func.limits,
    routines: routines.map((r) => ({
      name: r.func.name,
      offset: labels.get(r.start.id) as number,
      frameBytes: r.func.frame.localBytes + r.func.frame.spillBytes,
      spillStores: r.func.frame.spillStores,
      spillLoads: r.func.frame.spillLoads,
    })),
  };
  return shownAs(
    code,
    listing,
    (c) => `[Code ${c.name}: ${counted(c.insts.length, "instruction")}, ${counted(c.registers, "register")}]`,
  );
}

function tablesOf(insts: readonly MachineInst[], context: EncodeContext): CodeTable[] {
  const tables = insts.flatMap((inst, i): CodeTable[] => {
    const { table } = inst as Inst;
    if (table === undefined) return [];
    return [{ offset: table.offset, branch: 16 * i, targets: table.targets.map((id) => context.label(id)) }];
  });
  return tables.sort((a, b) => a.offset - b.offset);
}

function countsFromStart(inst: MachineInst): boolean {
  const { flow } = inst.form;
  return (
    flow === "return" ||
    (inst as Inst).table !== undefined ||
    (flow === "call" && inst.srcs.some((o) => o.kind === Kind.Reg && o.id >= 0 && o.width === 2))
  );
}

function layout(blocks: readonly Block[], start: number): Map<number, number> {
  const labels = new Map<number, number>();
  let at = start;
  for (const b of blocks) {
    labels.set(b.id, at);
    at += 16 * b.insts.length;
  }
  return labels;
}

/** Instructions of a function whose body and self-branch are `n` (measured on ptxas 13.0.88). */
function codeLength(n: number, target: Target): number {
  return 8 * Math.ceil((n + (target.has("nopTail") ? 8 : 0)) / 8);
}

/** As ptxas reports and stores it (measured on ptxas 13.0.88): highest index + 1 and two more, at least 4. */
function registerCount(func: Func): number {
  return Math.max(4, func.used.R + 2);
}

/** NOPs after the function have neither stall nor scoreboards. */
const tailControl: Control = { stall: 0, yield: 0, writeSb: 7, readSb: 7, wait: 0, reuse: 0 };

function writeTail(words: Uint32Array, n: number, target: Target): void {
  const here = label(-1);
  here.value = 16 * n;
  const put = (at: number, name: string, srcs: Operand[]): void => {
    const inst: MachineInst = { form: form(name), dsts: [], srcs, guard: null, control: tailControl };
    encodeInst(inst, target, words, 4 * at);
  };
  put(n, "BRA", [PT(), here]);
  for (let i = n + 1; 4 * i < words.length; i++) put(i, "NOP", []);
}
