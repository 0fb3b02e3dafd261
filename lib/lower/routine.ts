/**
 * The body of a function as code of its own, by the ABI (lib/isa/abi.ts): parameters come in registers and on the stack, the result
 * goes out in registers or through memory, and every `ret` leads to the one return at the end.
 */
import { INCOMING } from "../isa/abi.js";
import { imm, label, part } from "../ori/operand.js";
import { type Block, File, type Operand } from "../ori/types.js";
import type { Block as Body, FunctionItem, Parameter } from "../ptx/ast.js";
import { passedLayout, passingOf } from "./call.js";
import type { Context } from "./context.js";
import { endBody } from "./inline.js";
import { skip } from "./place.js";
import type { Entity } from "./scope.js";
import { newSlots, type Slots, wordAt } from "./slots.js";
import { type PtxType, registersOf, typeNamed } from "./types.js";

type RegisterEntity = Extract<Entity, { kind: "register" }>;

export function lowerRoutine(c: Context, item: FunctionItem, lowerBody: (body: Body) => void): void {
  c.takeStackPointer();
  const pass = passingOf(item);
  const result = item.returns?.[0];
  let address: Operand | null = null;
  if (pass.resultInMemory) {
    address = c.temp();
    c.emit("MOV", [address], [c.machine(4)]);
  }
  (item.params ?? []).forEach((p, k) => {
    const { register, offset } = pass.places[k] as (typeof pass.places)[number];
    c.scope.declare(p.name, incoming(c, p, register, offset));
  });
  const out = result === undefined ? null : outgoing(c, result, address);
  if (result !== undefined && out !== null) c.scope.declare(result.name, out);
  const end = { block: c.newBlock(), used: false };
  c.returnTo = end;
  lowerBody(item.body as Body);
  endBody(c, end);
  c.returnTo = null;
  const registers = result === undefined || address !== null || out === null ? 0 : giveBack(c, result, out);
  const link = c.machine(20, 2);
  const entry = c.func.blocks[0] as Block;
  const inst =
    c.module.convention === "relocatable"
      ? c.emit("RET.ABS.NODEC", [], [skip(), link])
      : c.emit("RET.REL.NODEC", [], [skip(), link, label(entry)]);
  inst.passed = {
    uses: Array.from({ length: registers }, (_, k) => c.machine(4 + k)),
    defs: [],
  };
}

/** A parameter as the body sees it. */
function incoming(c: Context, p: Parameter, register: number, offset: number): Entity {
  const { size, align } = passedLayout(p);
  if (p.space === "reg") {
    const made = inRegister(c, p);
    for (let k = 0; k < made.operand.width; k++) {
      if (register >= 0) c.emit("MOV", [part(made.operand, k)], [c.machine(register + k)]);
      else c.emit("LDL", [part(made.operand, k)], [c.stack, skip(), imm(INCOMING + offset + 4 * k)]);
    }
    return made;
  }
  if (register < 0) return newSlots(size, align, { base: c.stack, offset: INCOMING + offset });
  const slots = newSlots(size, align);
  for (let k = 0; 4 * k < size; k++) {
    const operand = c.temp();
    c.emit("MOV", [operand], [c.machine(register + k)]);
    slots.parts.set(4 * k, { operand, bytes: 4 });
  }
  return slots;
}

function outgoing(c: Context, p: Parameter, address: Operand | null): RegisterEntity | Slots {
  const { size, align } = passedLayout(p);
  if (p.space === "reg") return inRegister(c, p);
  return newSlots(size, align, address === null ? null : { base: address, offset: 0 });
}

function inRegister(c: Context, p: Parameter): RegisterEntity {
  const type = typeNamed(p.type) as PtxType;
  return { kind: "register", type, operand: c.builder.r(registersOf(type), p.name), lanes: [] };
}

/** Puts the result into registers; returns how many. */
function giveBack(c: Context, p: Parameter, out: RegisterEntity | Slots): number {
  const count = Math.max(1, Math.ceil(passedLayout(p).size / 4));
  for (let k = 0; k < count; k++) {
    const word = out.kind === "register" ? part(out.operand, k) : wordAt(c, out, 4 * k);
    c.move(c.machine(4 + k), word);
  }
  return count;
}

/**
 * What can be said only when all calls are known: each leaves nothing in the registers of the ABI that the function names, the return
 * address is kept across them, and so that no uniform register is needed across one, the memory descriptor is loaded where it is used.
 */
export function finishCalls(c: Context): void {
  if (c.calls.length === 0) return;
  for (const inst of c.calls) {
    const passed = inst.passed;
    if (passed === undefined) continue;
    const missing = c.machineRegisters.filter((o) => !passed.defs.some((d) => d.id === o.id));
    inst.passed = { uses: passed.uses, defs: [...passed.defs, ...missing] };
  }
  c.loadDescriptorWhereUsed();
  if (c.func.kind === "func") keepReturnAddress(c);
}

/** Only the entry's value of the pair says where to return to. */
function keepReturnAddress(c: Context): void {
  const last = c.func.blocks.find((b) => b.insts[b.insts.length - 1]?.form.flow === "return");
  const entry = c.func.blocks[0];
  if (last === undefined || entry === undefined) return;
  const link = c.machine(20, 2);
  const kept = c.builder.value(File.R, 2, "return address");
  const copy = (d: Operand, s: Operand, block: Block, at: number): void => {
    for (let k = 0; k < 2; k++) {
      const inst = c.detached("MOV", [part(d, k)], [part(s, k)]);
      block.insts.splice(at + k, 0, inst);
    }
  };
  copy(link, kept, last, last.insts.length - 1);
  copy(kept, link, entry, 0);
}
