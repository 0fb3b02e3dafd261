/** Words with a meaning in the grammar (not instructions and their modifiers: those are in the instruction specification). */

/** Types a variable may be declared with. */
export const VARIABLE_TYPES: ReadonlySet<string> = new Set([
  ...["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "b8", "b16", "b32", "b64", "b128"],
  ...["f16", "f16x2", "f32", "f64", "pred", "texref", "samplerref", "surfref"],
  // Read as types and refused by name: "may only be used as an instruction type".
  ...["e4m3", "e5m2", "e4m3x2", "e5m2x2", "e2m3", "e3m2", "e2m1"],
]);

export const STATE_SPACES: ReadonlySet<string> = new Set([
  "reg",
  "sreg",
  "const",
  "global",
  "local",
  "param",
  "shared",
  "tex",
]);

export const LINKAGES: ReadonlySet<string> = new Set(["extern", "visible", "weak", "common"]);

/** Directives between a signature and its body: least and greatest number of integers. */
export const ENTRY_DIRECTIVES: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["maxntid", [1, 3]],
  ["reqntid", [1, 3]],
  ["minnctapersm", [1, 1]],
  ["maxnctapersm", [1, 1]],
  ["maxnreg", [1, 1]],
  ["local_maxnreg", [1, 1]],
  ["reqnctapercluster", [1, 3]],
  ["maxclusterrank", [1, 1]],
  ["explicitcluster", [0, 0]],
  ["blocksareclusters", [0, 0]],
]);

export const FUNC_DIRECTIVES: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["noreturn", [0, 0]],
  ["abi_preserve", [1, 1]],
  ["abi_preserve_control", [1, 1]],
]);

export const ATTRIBUTES: ReadonlySet<string> = new Set(["managed", "unified", "unified_func_stub"]);

/** Types of data in debug sections. */
export const SECTION_TYPES: ReadonlySet<string> = new Set([
  "b8",
  "b16",
  "b32",
  "b64",
  "u8",
  "u16",
  "u32",
  "u64",
  "s8",
  "s16",
  "s32",
  "s64",
]);
