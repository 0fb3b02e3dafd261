/**
 * Takes ptxas's own cubin apart into what our cubin writer is given (machine words, instructions, parameters, variables), so
 * that the writer can be compared with ptxas without the rest of the compiler.
 */
import { type CubinFunction, infoWords, readCubin } from "../../lib/elf/index";
import { Symbols } from "../../lib/lower/symbols";
import { launchBounds, parameterLayout } from "../../lib/lower/variables";
import { noBounds } from "../../lib/ori/func";
import type { Func, ModuleSymbol, Param, Program } from "../../lib/ori/types";
import { type FunctionItem, parse } from "../../lib/ptx/index";
import type { Code } from "../../lib/sass/code";
import type { Form } from "../../lib/sass/isa/form";
import type { MachineInst, Operand } from "../../lib/sass/isa/operand";
import { target as targetOf } from "../../lib/target/index";
import type { TargetName } from "../../lib/target/types";
import { tool } from "./tools";

export interface Recoded {
  readonly codes: Code[];
  readonly program: Program;
}

/** `file` is ptxas's cubin of `ptx` on disk. */
export function recode(ptx: string, file: string, bytes: Uint8Array, arch: TargetName): Recoded {
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
  const tables: ModuleSymbol[] = [];
  const codes = items.map((item) => {
    const f = cubin.functions.find((x) => x.name === item.name)!;
    return code(item, f, file, arch, tables);
  });
  const funcs = items.map((item) => ({ name: item.name, linkage: item.linkage ?? "internal" }) as unknown as Func);
  const program: Program = {
    target,
    ptxVersion: [9, 0],
    addressSize: 64,
    funcs,
    symbols: [...symbols.list(), ...tables],
  };
  return { codes, program };
}

function code(item: FunctionItem, f: CubinFunction, file: string, arch: TargetName, tables: ModuleSymbol[]): Code {
  const insts = instructions(f, file);
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
  const labels = new Map<number, number>();
  const branches = f.info.find((r) => r.name === "INDIRECT_BRANCH_TARGETS");
  if (branches !== undefined && f.constant2 !== null) {
    const v = new DataView(f.constant2.buffer, f.constant2.byteOffset, f.constant2.byteLength);
    const words = infoWords(branches);
    let at = 0;
    for (let b = 0; at < words.length; b++) {
      const count = words[at + 2]!;
      const targets = words.slice(at + 3, at + 3 + count);
      at += 3 + count;
      for (const t of targets) labels.set(t, t);
      tables.push({
        name: `${f.name}$table${b}`,
        space: "const",
        bank: 2,
        size: count * 4,
        align: 4,
        linkage: "internal",
        init: null,
        pointers: targets.map((_, i) => ({
          offset: i * 4,
          symbol: `.L${v.getUint32(i * 4, true)}`,
          addend: 0,
          bytes: 4,
        })),
        users: [f.name],
      });
    }
  }
  return {
    name: f.name,
    kind: f.kind,
    target: targetOf(arch),
    words: f.words,
    insts,
    locs: insts.map(() => null),
    relocs: [],
    labels,
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

/** Mnemonics and the few operands that attributes depend on, from nvdisasm's text. */
function instructions(f: CubinFunction, file: string): MachineInst[] {
  const text = tool("nvdisasm", ["-c", "-fun", String(f.symbol.index), file]).stdout;
  const insts: MachineInst[] = [];
  for (const m of text.matchAll(/\/\*([0-9a-f]{4,})\*\/\s+(?:@!?U?P\w+ )?([A-Z0-9_]+)([^;]*);/g)) {
    const op = m[2]!;
    const rest = m[3]!;
    const srcs: Operand[] = [];
    const base = { file: 0, width: 1, sub: 0, value: 0, high: 0, mods: 0, part: "", index: -2, sym: "" } as const;
    if (rest.includes("SR_CTAID.Z")) srcs.push({ ...base, kind: 5, id: 0x27 });
    const mask = /^(?:\.COLLECTIVE)? R(\d+)/.exec(rest);
    if (op === "WARPSYNC" && mask !== null) srcs.push({ ...base, kind: 1, file: 1, id: Number(mask[1]) });
    const dsts: Operand[] = [];
    if (/^ R1, (?:R1,|c)/.test(rest) && op.startsWith("IADD")) {
      dsts.push({ ...base, kind: 1, file: 1, id: 1 });
      srcs.push({ ...base, kind: 1, file: 1, id: 1 });
    }
    const flow = op === "BRX" ? "indirect" : op === "BRA" || op === "EXIT" ? "branch" : "next";
    const mods = /^[.\w]*/.exec(rest)![0].split(".").slice(1);
    insts[Number.parseInt(m[1]!, 16) / 16] = {
      form: { op, flow, mods } as unknown as Form,
      dsts,
      srcs,
      guard: null,
      control: null,
    };
  }
  return insts;
}
