/**
 * Takes ptxas's own cubin apart into what our cubin writer is given (machine words, instructions, parameters, variables), so
 * that the writer can be compared with ptxas without the rest of the compiler.
 */
import { type CubinFunction, type InfoRecord, infoWords, readCubin } from "../../lib/elf/index";
import { form } from "../../lib/isa/form";
import type { MachineInst } from "../../lib/isa/operand";
import { Symbols } from "../../lib/lower/symbols";
import { launchBounds, parameterLayout } from "../../lib/lower/variables";
import { noBounds } from "../../lib/ori/func";
import type { Func, Param, Program } from "../../lib/ori/types";
import { type FunctionItem, parse } from "../../lib/ptx/index";
import type { Code, CodeTable } from "../../lib/sass/code";
import { decodeCode } from "../../lib/sass/decode";
import { type Target, type TargetName, target as targetOf } from "../../lib/target/index";

export interface Recoded {
  readonly codes: Code[];
  readonly program: Program;
}

/** `bytes` is ptxas's cubin of `ptx` for `arch`. */
export function recode(ptx: string, bytes: Uint8Array, arch: TargetName): Recoded {
  const read = readCubin(bytes);
  const parsed = parse(ptx);
  if (!read.ok || !parsed.ok) throw new Error("unreadable input");
  const cubin = read.value;
  const items = parsed.value.items.filter((i): i is FunctionItem => i.kind === "function" && i.entry);
  const symbols = new Symbols();
  // Variables of functions come before those of the module in ptxas's layout of shared memory.
  const owned: { names: string[]; func: string }[] = [];
  for (const item of items) {
    const names: string[] = [];
    for (const s of item.body?.statements ?? []) {
      if (s.kind !== "declaration" || s.space !== "shared") continue;
      for (const v of s.variables) {
        names.push(symbols.declare(s, v, item.name).symbol as string);
        if (ptx.split(`.entry ${item.name}(`)[1]!.split("\n}")[0]!.split(v.name).length > 2)
          symbols.use(names.at(-1)!, item.name);
      }
    }
    owned.push({ names, func: item.name });
  }
  for (const item of parsed.value.items)
    if (item.kind === "declaration") for (const v of item.variables) symbols.declare(item, v, null);
  for (const item of items) {
    const body = ptx.split(`.entry ${item.name}(`)[1]!.split("\n}")[0]!;
    for (const s of symbols.list()) {
      if (owned.some((o) => o.names.includes(s.name))) continue;
      if (new RegExp(`[^\\w$]${s.name.replaceAll("$", "\\$")}[^\\w$]`).test(body)) symbols.use(s.name, item.name);
    }
  }
  const target = targetOf(arch);
  const codes = items.map((item) => {
    const f = cubin.functions.find((x) => x.name === item.name)!;
    return code(item, f, arch);
  });
  const funcs = items.map((item) => ({ name: item.name, linkage: item.linkage ?? "internal" }) as unknown as Func);
  const program: Program = {
    target,
    ptxVersion: [9, 0],
    addressSize: 64,
    funcs,
    symbols: symbols.list(),
  };
  return { codes, program };
}

const empty: InfoRecord = { code: 0, name: "", format: 4, value: 0, payload: new Uint8Array(0) };

function code(item: FunctionItem, f: CubinFunction, arch: TargetName): Code {
  const insts = instructions(f, targetOf(arch));
  const sharedName = [...(item.body?.statements ?? [])].flatMap((s) =>
    s.kind === "declaration" && s.space === "shared" ? s.variables.map((v) => v.name) : [],
  )[0]!;
  const params: Param[] = [];
  let offset = 0;
  for (const p of item.params ?? []) {
    const l = parameterLayout(p);
    offset = Math.ceil(offset / l.align) * l.align;
    const pointer =
      p.pointer === null ? null : { space: (p.pointer.space ?? "generic") as "generic", align: p.pointer.align ?? 1 };
    params.push({ name: p.name, offset, size: l.size, align: l.align, pointer });
    offset += l.size;
  }
  const tables: CodeTable[] = [];
  const words = infoWords(f.info.find((r) => r.name === "INDIRECT_BRANCH_TARGETS") ?? empty);
  for (let at = 0, offset = 0; at < words.length; at += 3 + words[at + 2]!) {
    const targets = words.slice(at + 3, at + 3 + words[at + 2]!);
    tables.push({ offset, branch: words[at]!, targets });
    offset += 4 * targets.length;
  }
  return {
    name: f.name,
    kind: f.kind,
    target: targetOf(arch),
    words: f.words,
    insts,
    locs: insts.map(() => null),
    routines: [],
    stackBytes: f.frameBytes,
    relocs: f.relocs.map((r) => ({
      offset: r.offset,
      // ptxas renames shared variables of functions in objects; the tests have one of them per function.
      symbol: r.symbol.name.startsWith("$__sm__") ? sharedName : r.symbol.name,
      addend: r.addend,
      what: r.type === 57 ? "32@hi" : "32@lo",
    })),
    labels: new Map(),
    tables,
    registers: f.registers,
    frameBytes: f.frameBytes,
    spillStores: 0,
    spillLoads: 0,
    barriers: f.barriers,
    params,
    paramBytes: offset,
    limits: { ...noBounds(), ...launchBounds(item) },
  };
}

/** The instructions before the tail; words that the table does not know stand as NOP. */
function instructions(f: CubinFunction, target: Target): MachineInst[] {
  const nop: MachineInst = { form: form("NOP"), dsts: [], srcs: [], guard: null, control: null };
  const insts = decodeCode(f.words, target).map((inst) => inst ?? nop);
  const last = insts.findLastIndex((inst) => inst.form.op === "BRA");
  return insts.slice(0, last);
}
