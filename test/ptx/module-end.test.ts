import { analyze, check, parse } from "../../lib/ptx/index.js";

/** Every answer here was given by ptxas 13.0.88 to the same text. */
interface Unit {
  readonly target?: string;
  readonly own?: string;
  readonly size?: string;
  readonly relocatable?: boolean;
}

function say(body: string, { target = "sm_75", own = target, size = "64", relocatable = false }: Unit = {}): string[] {
  const text = `.version 9.0\n.target ${own}\n.address_size ${size}\n${body}`;
  const m = parse(text);
  const found = m.ok ? check(m.value, { target, relocatable }) : analyze(text, { target }).diagnostics;
  return found.map((d) => `${d.severity}${d.span === null ? "" : ` ${d.span.line}`}: ${d.message}`);
}

const WHOLE = " in whole program compilation, ignoring extern qualifier";
const ENTRY = ".entry k() { ret; }";

test("functions that are declared and nowhere defined: only the ones that are used count", () => {
  expect(say(`.extern .func f; ${ENTRY}`)).toEqual([]);
  expect(say(".extern .func f; .entry k() { call f; ret; }")).toEqual(["fatal: Unresolved extern function 'f'"]);
  expect(say(".extern .func f; .entry k() { call f; ret; }", { relocatable: true })).toEqual([]);
  expect(say(".extern .func f; .entry k() { .reg .b64 d; mov.b64 d, f; ret; }")).toEqual([
    "fatal: Cannot take address of function 'f' ",
  ]);
  expect(say(`.extern .func f; .global .u64 t = f; ${ENTRY}`)).toEqual(["fatal: Cannot take address of function 'f' "]);
});

test("variables of other units", () => {
  const text = `.extern .global .u32 x; .extern .shared .u32 z; .extern .shared .u32 e[]; ${ENTRY}`;
  expect(say(text)).toEqual([
    `warning: Unresolved extern variable 'x'${WHOLE}`,
    `warning: Unresolved extern variable 'z'${WHOLE}`,
  ]);
  expect(say(text, { relocatable: true })).toEqual([]);
  expect(say(`.extern .global .u32 g[]; ${ENTRY}`)).toEqual(["fatal: Unresolved extern variable 'g'"]);
  expect(say(`.visible .global .u32 d; .extern .global .u32 d; ${ENTRY}`)).toEqual([]);
});

test("addresses of 32 bits", () => {
  const machine = "warning:  64 Bit host architecture (--machine) being used mismatches with .address_size of 32 bits";
  const old = "fatal:  32-Bit compilation is no longer supported";
  const never =
    "fatal:  32-Bit ABI (--machine 32 or 32-Bit addressing) is not supported on sm_90 or higher architectures.";
  expect(say(ENTRY, { size: "32" })).toEqual([machine, old]);
  expect(say(ENTRY, { size: "32", target: "sm_90" })).toEqual([machine, never]);
  expect(say(".entry k() {\n foo; ret; }", { size: "32" })).toEqual([
    "error 5: Not a name of any known instruction: 'foo'",
  ]);
  const load = ".entry k() { .reg .b32 r; ld.global.u32 r, [r]; ret; }";
  const line = "warning: Program uses 32-bit address on line '4' which is conflicting with .address_size 64";
  expect(say(load)).toEqual([line, old]);
  expect(say(load, { target: "sm_90" })).toEqual([line, never]);
});

test(".unified asks for a target and for a linker", () => {
  const unified = `.global .attribute(.unified(1,2)) .u32 x; ${ENTRY}`;
  expect(say(unified)).toEqual(["error 4: Feature '.unified' requires .target sm_90 or higher"]);
  expect(say(unified, { target: "sm_90" })).toEqual([
    "error: Feature 'unified Functions' requires command line option '--compile-only'.",
  ]);
  expect(say(unified, { target: "sm_90", relocatable: true })).toEqual([]);
});

test("numbers that have room for 32 bits", () => {
  expect(say(`.global .align 1152921504606846976 .b8 t[4]; ${ENTRY}`)).toEqual([
    "error 4: Constant overflow",
    "error 4: Alignment must be a power of two",
  ]);
  expect(say(`.global .align 4294967297 .b8 t[4]; ${ENTRY}`)).toEqual(["error 4: Constant overflow"]);
  expect(say(`.file 1 "x", 12345678901, 12345678901\n.global .b8 t[10000000000]; ${ENTRY}`)).toEqual([]);
});

test("a label may have the form of a register of a range, and is not found then", () => {
  const branch = (statements: string): string[] =>
    say(`.entry k() { .reg .b32 r<3>; .reg .b32 q;\n${statements} ret; }`);
  expect(branch("r5: bra r5;")).toEqual([]);
  expect(branch("r1: bra r1;")).toEqual(["error 5: Label expected for argument 0 of instruction 'bra'"]);
  expect(branch("q: bra q;")).toEqual([
    "error 5: Duplicate definition of label 'q'",
    "error 5: Label expected for argument 0 of instruction 'bra'",
  ]);
  expect(say(".entry k() {\n q: ret;\n .reg .b32 q; }")).toEqual(["error 6: Duplicate definition of variable 'q'"]);
});

test("special registers have a version of their own", () => {
  const read = ".entry k() { .reg .b32 r; mov.u32 r, %reserved_smem_offset_begin; ret; }";
  expect(say(read)).toEqual(["error 4: Feature '%reserved_smem_offset_begin' requires .target sm_80 or higher"]);
  expect(say(read, { target: "sm_80" })).toEqual([]);
});
