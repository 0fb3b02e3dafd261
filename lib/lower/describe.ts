/** An instruction as it is written, for messages. */
import type { Instruction, Operand } from "../ptx/ast.js";

export function instructionText(i: Instruction): string {
  const name = [i.opcode, ...i.modifiers].join(".");
  return i.operands.length === 0 ? name : `${name} ${i.operands.map(operandText).join(", ")}`;
}

function offsetText(offset: number): string {
  return offset === 0 ? "" : offset > 0 ? `+${offset}` : `${offset}`;
}

function list(elements: readonly Operand[]): string {
  return elements.map(operandText).join(", ");
}

function integerText(low: number, high: number): string {
  if (high === 0) return String(low >>> 0);
  if (high >>> 0 === 0xffffffff && low >>> 31 === 1) return String(low | 0);
  return `0x${(high >>> 0).toString(16)}${(low >>> 0).toString(16).padStart(8, "0")}`;
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, "0").toUpperCase();
}

function operandText(o: Operand): string {
  switch (o.kind) {
    case "name": {
      const component = o.component === null ? "" : `.${o.component}`;
      return `${o.name}${component}${o.index === null ? "" : `[${o.index}]`}${offsetText(o.offset)}`;
    }
    case "int":
      return integerText(o.lo, o.hi);
    case "float":
      return o.width === 32 ? `0f${hex(o.lo)}` : `0d${hex(o.hi)}${hex(o.lo)}`;
    case "address": {
      const at = o.base === null ? String(o.offset) : `${o.base}${offsetText(o.offset)}`;
      return `[${[at, ...o.rest.map(operandText)].join(", ")}]`;
    }
    case "vector":
      return `{${list(o.elements)}}`;
    case "list":
      return `(${list(o.elements)})`;
    case "pair":
      return `${operandText(o.first)}|${operandText(o.second)}`;
    case "neg":
      return `-${operandText(o.operand)}`;
    case "not":
      return `!${operandText(o.operand)}`;
    case "sink":
      return "_";
  }
}
