/** Small programs for the cubin writer: machine words are NOPs, for what matters here is around them. */

import { form } from "../../lib/isa/form";
import type { MachineInst } from "../../lib/isa/operand";
import { noBounds } from "../../lib/ori/func";
import type { Func, ModuleSymbol, Param, Program } from "../../lib/ori/types";
import type { Code } from "../../lib/sass/code";
import { type TargetName, target as targetOf } from "../../lib/target/index";

export function inst(name: string): MachineInst {
  return { form: form(name), dsts: [], srcs: [], guard: null, control: null };
}

export function code(name: string, target: TargetName, change: Partial<Code> = {}): Code {
  const insts = change.insts ?? [inst("NOP"), inst("EXIT")];
  const words = new Uint32Array(4 * 8 * Math.ceil((insts.length + 1) / 8));
  for (let i = 0; i < words.length; i += 4) words[i] = 0x7918;
  return {
    name,
    kind: "entry",
    target: targetOf(target),
    words,
    insts,
    locs: insts.map(() => null),
    relocs: [],
    labels: new Map(),
    tables: [],
    registers: 10,
    frameBytes: 0,
    routines: [],
    stackBytes: change.frameBytes ?? 0,
    spillStores: 0,
    spillLoads: 0,
    barriers: 0,
    params: [],
    paramBytes: 0,
    limits: noBounds(),
    ...change,
  };
}

export function variable(name: string, space: ModuleSymbol["space"], change: Partial<ModuleSymbol> = {}): ModuleSymbol {
  return {
    name,
    space,
    bank: 0,
    size: 4,
    align: 4,
    linkage: "internal",
    init: null,
    pointers: [],
    users: [],
    ...change,
  };
}

export function param(offset: number, size: number, pointer: Param["pointer"] = null): Param {
  return { name: `p${offset}`, offset, size, align: size, pointer };
}

export function program(target: TargetName, codes: readonly Code[], symbols: readonly ModuleSymbol[] = []): Program {
  const funcs = codes.map((c) => ({ name: c.name, linkage: "visible" }) as unknown as Func);
  return { target: targetOf(target), ptxVersion: [9, 0], addressSize: 64, funcs, symbols };
}
