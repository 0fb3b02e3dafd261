/** Asynchronous copies by opcode. */
import type { Family } from "../family.js";
import { cpAsync } from "./copy.js";

export const asyncFamily: Family = { cp: cpAsync };
