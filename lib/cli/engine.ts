/** V8 under the ptxas command, whose process compiles one text and ends: what is known only when the text is there. */
import { setFlagsFromString } from "node:v8";
import { type Host, processHost } from "./host.js";

/** Characters of PTX from which on the process lives long enough for V8 to optimize sooner than bin/ptxas has it do (measured). */
const LONG = 1_000_000;

/** The world around the command as a process of its own. */
export const commandHost: Host = {
  ...processHost,
  expect: (characters) => {
    if (characters >= LONG) setFlagsFromString("--interrupt-budget=250000");
  },
};
