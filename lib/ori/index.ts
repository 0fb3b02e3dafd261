/** The IR: operands, functions, building, editing, text form, verification. */
export * from "./builder.js";
export * from "./editor.js";
export * from "./flow.js";
export * from "./func.js";
export * as operand from "./operand.js";
export * from "./packed.js";
export * from "./parse.js";
export * from "./print.js";
export * from "./routines.js";
export * from "./slots.js";
export * from "./types.js";
export * from "./verify.js";
