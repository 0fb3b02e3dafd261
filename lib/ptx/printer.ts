import type {
  Attribute,
  Block,
  CallPrototype,
  Declaration,
  Expr,
  FunctionDirective,
  FunctionItem,
  Initializer,
  Instruction,
  Item,
  LocDirective,
  Module,
  Operand,
  Parameter,
  SectionDirective,
  Statement,
  Variable,
  VariableType,
} from "./ast.js";
import { floatValue } from "./expressions.js";

/** The tree as text that the parser reads back to the same tree, and ptxas to the same program. */
export function printModule(m: Module): string {
  const out: string[] = [];
  for (const i of m.items) item(out, i);
  return `${out.join("\n")}\n`;
}

function item(out: string[], i: Item): void {
  switch (i.kind) {
    case "version":
      out.push(`.version ${i.major}.${i.minor}`);
      return;
    case "target":
      out.push(`.target ${i.names.join(", ")}`);
      return;
    case "address_size":
      out.push(`.address_size ${i.bits}`);
      return;
    case "declaration":
      out.push(declaration(i));
      return;
    case "function":
      functionItem(out, i, "");
      return;
    case "alias":
      out.push(`.alias ${i.name}, ${i.aliasee};`);
      return;
    case "pragma":
      out.push(pragma(i.strings));
      return;
    case "file":
      out.push(`.file ${i.index} "${i.name}"${i.timestamp === null ? "" : `, ${i.timestamp}, ${i.size}`}`);
      return;
    case "section":
      section(out, i);
      return;
    case "dwarf":
      out.push(i.text);
      return;
    default:
      i satisfies never;
  }
}

function pragma(strings: readonly string[]): string {
  return `.pragma ${strings.map((s) => `"${s}"`).join(", ")};`;
}

function section(out: string[], s: SectionDirective): void {
  out.push(`.section .${s.name}`, "{");
  for (const l of s.lines)
    out.push(
      l.kind === "label"
        ? `${l.name}:`
        : `.${l.type} ${l.values.map((v) => (typeof v === "number" ? `${v}` : expr(v))).join(", ")}`,
    );
  out.push("}");
}

// --------------------------------------------------------------------------------------------------------------- declarations

function attributes(list: readonly Attribute[]): string {
  if (list.length === 0) return "";
  const one = (a: Attribute): string => `.${a.name}${a.args.length === 0 ? "" : `(${a.args.map(expr).join(", ")})`}`;
  return `.attribute(${list.map(one).join(", ")}) `;
}

function prefix(v: VariableType & { readonly attributes: readonly Attribute[] }): string {
  const space = v.space === "" ? "" : `.${v.space} `;
  const align = v.align === null ? "" : `.align ${v.align} `;
  return `${space}${attributes(v.attributes)}${align}${v.vector === null ? "" : `.v${v.vector} `}.${v.type}`;
}

function named(v: {
  readonly name: string;
  readonly count: number | null;
  readonly dims: readonly (number | null)[];
}): string {
  const count = v.count === null ? "" : `<${v.count}>`;
  return v.name + count + v.dims.map((d) => `[${d ?? ""}]`).join("");
}

function declaration(d: Declaration): string {
  const linkage = d.linkage === null ? "" : `.${d.linkage} `;
  const variable = (v: Variable): string => named(v) + (v.init === null ? "" : ` = ${initializer(v.init)}`);
  return `${linkage}${prefix(d)} ${d.variables.map(variable).join(", ")};`;
}

function initializer(i: Initializer): string {
  return i.kind === "list" ? `{${i.elements.map(initializer).join(", ")}}` : expr(i);
}

function parameter(p: Parameter): string {
  const space = p.pointer?.space === null || p.pointer === null ? "" : ` .${p.pointer.space}`;
  const align = p.pointer?.align === null || p.pointer === null ? "" : ` .align ${p.pointer.align}`;
  return `${prefix(p)}${p.pointer === null ? "" : ` .ptr${space}${align}`} ${named(p)}`;
}

function parameters(list: readonly Parameter[] | null): string {
  return list === null ? "" : `(${list.map(parameter).join(", ")})`;
}

function directive(d: FunctionDirective): string {
  if (d.name === "pragma") return pragma(d.strings);
  return `.${d.name}${d.values.length === 0 ? "" : ` ${d.values.join(", ")}`}`;
}

// ------------------------------------------------------------------------------------------------------------------ functions

function functionItem(out: string[], f: FunctionItem, indent: string): void {
  const linkage = f.linkage === null ? "" : `.${f.linkage} `;
  const returns = f.returns === null ? "" : `${parameters(f.returns)} `;
  const head = `${linkage}${f.entry ? ".entry" : ".func"} ${attributes(f.attributes)}${returns}${f.name}${parameters(f.params)}`;
  out.push([indent + head, ...f.directives.map(directive)].join(` `) + (f.body === null ? ";" : ""));
  if (f.body !== null) block(out, f.body, indent);
}

function block(out: string[], b: Block, indent: string): void {
  out.push(`${indent}{`);
  for (const s of b.statements) statement(out, s, `${indent}\t`);
  out.push(`${indent}}`);
}

function statement(out: string[], s: Statement, indent: string): void {
  switch (s.kind) {
    case "instruction":
      out.push(`${indent}${printInstruction(s)}`);
      return;
    case "label":
      out.push(`${s.name}:`);
      return;
    case "block":
      block(out, s, indent);
      return;
    case "declaration":
      out.push(indent + declaration(s));
      return;
    case "loc":
      out.push(indent + loc(s));
      return;
    case "pragma":
      out.push(indent + pragma(s.strings));
      return;
    case "branchtargets":
    case "calltargets":
      out.push(`${s.label}: .${s.kind} ${s.targets.join(", ")};`);
      return;
    case "callprototype":
      out.push(prototype(s));
      return;
    case "function":
      functionItem(out, s, indent);
      return;
    default:
      s satisfies never;
  }
}

function prototype(p: CallPrototype): string {
  const returns = p.returns === null ? "" : `${parameters(p.returns)} `;
  const params = p.params === null ? "" : ` ${parameters(p.params)}`;
  return `${[`${p.label}: .callprototype ${returns}_${params}`, ...p.directives.map(directive)].join(" ")};`;
}

function loc(l: LocDirective): string {
  const base = `.loc ${l.file} ${l.line} ${l.column}`;
  const i = l.inlined;
  if (i === null) return base;
  const offset = i.offset === 0 ? "" : `+${i.offset}`;
  return `${base}, function_name ${i.functionName}${offset}, inlined_at ${i.file} ${i.line} ${i.column}`;
}

/** One instruction with its guard and semicolon. */
export function printInstruction(i: Instruction): string {
  const guard = i.guard === null ? "" : `@${i.guard.negated ? "!" : ""}${i.guard.name} `;
  const name = i.modifiers.length === 0 ? i.opcode : `${i.opcode}.${i.modifiers.join(".")}`;
  const operands = i.operands.length === 0 ? "" : ` ${i.operands.map(printOperand).join(", ")}`;
  return `${guard}${name}${operands};`;
}

/** An operand as PTX text. */
export function printOperand(o: Operand): string {
  switch (o.kind) {
    case "name":
      return printName(o);
    case "int":
    case "float":
      return o.kind === "int" ? int(o.lo, o.hi, o.unsigned) : hexFloat(o.width, o.lo, o.hi);
    case "address": {
      const rest = o.rest.map((r) => `, ${printOperand(r)}`).join("");
      return o.base === null ? `[${o.offset}${rest}]` : `[${o.base}${o.offset === 0 ? "" : `+${o.offset}`}${rest}]`;
    }
    case "vector":
      return `{${o.elements.map(printOperand).join(", ")}}`;
    case "list":
      return `(${o.elements.map(printOperand).join(", ")})`;
    case "pair":
      return `${printOperand(o.first)}|${printOperand(o.second)}`;
    case "not":
      return `!${printOperand(o.operand)}`;
    case "neg":
      return `-${printOperand(o.operand)}`;
    case "sink":
      return "_";
    default:
      return o satisfies never;
  }
}

function printName(o: Operand & { kind: "name" }): string {
  if (o.component !== null) return `${o.name}.${o.component}`;
  if (o.index !== null) return `${o.name}[${o.index}]`;
  return o.offset === 0 ? o.name : `${o.name}+${o.offset}`;
}

// ---------------------------------------------------------------------------------------------------------------- expressions

function int(lo: number, hi: number, unsigned: boolean): string {
  if (hi === 0) return unsigned ? `${lo}U` : `${lo}`;
  const bits = (BigInt(hi) << 32n) | BigInt(lo);
  if (unsigned) return `${bits}U`;
  const signed = BigInt.asIntN(64, bits);
  // The least value has no literal of its own: its magnitude alone would be unsigned.
  return signed === -0x8000000000000000n ? "(-9223372036854775807-1)" : `${signed}`;
}

function hex(v: number): string {
  return (v >>> 0).toString(16).padStart(8, "0").toUpperCase();
}

function hexFloat(width: 32 | 64, lo: number, hi: number): string {
  return width === 32 ? `0f${hex(lo)}` : `0d${hex(hi)}${hex(lo)}`;
}

/** Doubles in expressions are written in decimal, because the hexadecimal forms take no operator. */
function float(width: 32 | 64, lo: number, hi: number): string {
  if (width === 32) return hexFloat(width, lo, hi);
  const v = floatValue(64, lo, hi);
  const text = String(v);
  if (v < 0 || Object.is(v, -0) || !Number.isFinite(v)) return hexFloat(64, lo, hi);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function expr(e: Expr): string {
  switch (e.kind) {
    case "int":
      return int(e.lo, e.hi, e.unsigned);
    case "float":
      return float(e.width, e.lo, e.hi);
    case "symbol":
      return e.name;
    case "apply":
      return `${e.mask === null ? e.name : expr(e.mask)}(${expr(e.arg)})`;
    case "field":
      return `${e.name} = ${expr(e.arg)}`;
    case "unary":
      return `${e.op}${inner(e.arg)}`;
    case "cast":
      return `(.${e.type})${inner(e.arg)}`;
    case "binary":
      return `${inner(e.left)}${e.op === "%" ? " % " : e.op}${inner(e.right)}`;
    case "conditional":
      return `${inner(e.test)} ? ${inner(e.then)} : ${inner(e.else)}`;
    default:
      return e satisfies never;
  }
}

/** Operands of operators: ptxas takes a symbol only outside parentheses. */
function inner(e: Expr): string {
  const simple = e.kind === "int" || e.kind === "float" || e.kind === "symbol" || e.kind === "apply";
  return simple || symbolic(e) ? expr(e) : `(${expr(e)})`;
}

function symbolic(e: Expr): boolean {
  return e.kind === "binary" && (e.op === "+" || e.op === "-") && e.left.kind === "symbol";
}
