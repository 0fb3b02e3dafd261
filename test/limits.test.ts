import { compile } from "../lib/compile.js";
import { renderDiagnostic } from "../lib/diagnostics.js";
import { readCubin } from "../lib/elf/index.js";

/** Sizes that do not fit; the messages are ptxas 13.0.88's for the same texts. */
const HEAD = ".version 9.0\n.target sm_75\n.address_size 64\n";
const compiled = (text: string, target: "sm_75" | "sm_90" = "sm_75", relocatable = false) =>
  compile(HEAD + text, { target, opt: 0, relocatable });
const messages = (text: string, target: "sm_75" | "sm_90" = "sm_75", relocatable = false): string[] =>
  compiled(text, target, relocatable).diagnostics.map((d) => renderDiagnostic(d, "k.ptx"));

const kernel = (name: string, shared: string): string =>
  `.entry ${name}() { .reg .b32 r; ${shared} mov.u32 r, m; st.shared.b32 [r], r; ret; }\n`;

test.each(["sm_75", "sm_90"] as const)("static shared memory of an entry, %s", (target) => {
  expect(messages(kernel("k", ".shared .b8 m[49152];"), target)).toEqual([]);
  expect(messages(kernel("k", ".shared .b8 m[49153];"), target)).toEqual([
    "ptxas error   : Entry function 'k' uses too much shared data (0xc001 bytes, 0xc000 max)",
  ]);
  expect(messages(kernel("k", ".shared .b8 m[49153];"), target, true)).toEqual([]);
  expect(
    messages(`.shared .b8 m[60000];\n.const .b8 c[70000];\n${kernel("k", "")}${kernel("k2", "")}`, target),
  ).toEqual([
    "ptxas error   : Entry function 'k2' uses too much shared data (0xea60 bytes, 0xc000 max)",
    "ptxas error   : File uses too much global constant data (0x11170 bytes, 0x10000 max)",
    "ptxas error   : Entry function 'k' uses too much shared data (0xea60 bytes, 0xc000 max)",
  ]);
});

test("shared variables of a function count without a use, those of the module do not", () => {
  const unused = ".entry k() { .shared .b8 m[49153]; ret; }";
  expect(messages(unused)).toEqual([
    "ptxas error   : Entry function 'k' uses too much shared data (0xc001 bytes, 0xc000 max)",
  ]);
  expect(messages(".entry k() { { .shared .b8 m[49152]; } { .shared .b8 n[1]; } ret; }")).toEqual(messages(unused));
  expect(messages(".shared .b8 m[49153]; .entry k() { ret; }")).toEqual([]);
});

const ENTRY = ".entry k() { ret; }";
const memory = "ptxas fatal   : Memory allocation failure";
const constants = (bytes: string): string =>
  `ptxas error   : File uses too much global constant data (0x${bytes} bytes, 0x10000 max)`;
test.each([
  [".const .b8 a[65536];", null],
  [".const .b8 a[65530]; .const .b8 b[10];", constants("10004")],
  [".const .b8 a[1000000000];", constants("3b9aca00")],
  [".const .b8 t[4294967296] = {1, 2};", constants("100000000")],
  [".const .b8 t[18446744073709551615] = {1, 2};", memory],
  [".global .b8 t[18446744073709551615];", null],
  [".global .b8 t[18446744073709551615] = {1};", memory],
  [".global .b8 t[4294967296][4294967296];", null],
])("%s", (text, expected) => expect(messages(`${text}\n${ENTRY}`)).toEqual(expected === null ? [] : [expected]));

test("initial values end long before the array does", () => {
  const { cubin } = compiled(`.global .b8 a[300000] = {1, 2, 3}; .global .b32 b[2][3] = {{1, 2}, {4}};\n${ENTRY}`);
  const read = readCubin(cubin!);
  const init = read.ok ? read.value.globals.find((g) => g.init !== null)!.init! : new Uint8Array(0);
  // Sorted by alignment: b before a.
  expect([init.length, [...init.subarray(0, 28)].filter((_, i) => i % 4 === 0 || i > 23)]).toEqual([
    300024,
    [1, 2, 0, 4, 0, 0, 1, 2, 3, 0],
  ]);
});
