/** Functions that the driver brings along: `vprintf`, `malloc`, `free`, `__assertfail` (lib/sim/host.ts has them for machine code). */
import { formatted, type PrintfMemory, printfMemory } from "../printf.js";
import { load } from "./memory.js";
import type { Thread } from "./state.js";
import { Faulted, type Value } from "./types.js";

function memoryOf(t: Thread): PrintfMemory {
  const bytes = (address: number, size: number): Uint8Array | null => {
    try {
      return Uint8Array.from({ length: size }, (_, k) => Number(load(t, "generic", BigInt(address + k), 1)));
    } catch (e) {
      if (e instanceof Faulted) return null;
      throw e;
    }
  };
  return printfMemory(bytes);
}

type Routine = (t: Thread, args: readonly Value[]) => Value | null;

const vprintf: Routine = (t, [format = 0n, buffer = 0n]) => {
  const memory = memoryOf(t);
  const pattern = memory.text(Number(format));
  const text = pattern === null ? null : formatted(pattern, Number(buffer), memory);
  if (text === null) return 0xffffffffn;
  t.cta.launch.output += text;
  return BigInt((pattern!.match(/%[^%]/g) ?? []).length);
};

const assertfail: Routine = (t, [message = 0n, file = 0n, line = 0n, name = 0n]) => {
  const memory = memoryOf(t);
  const text = (at: Value): string => memory.text(Number(at)) ?? "?";
  const at = (v: readonly number[]): string => `[${v.join(",")}]`;
  t.cta.launch.output += `${text(file)}:${line}: ${text(name)}: block: ${at(t.cta.index)}, thread: ${at(t.tid)} Assertion \`${text(message)}\` failed.\n`;
  throw new Faulted("trap", `assertion \`${text(message)}\` failed`);
};

const routines: Readonly<Record<string, Routine>> = {
  vprintf,
  malloc: (t, [bytes = 0n]) => BigInt(t.cta.launch.heap?.allocate(Number(bytes)) ?? 0),
  free: (t, [address = 0n]) => {
    if (t.cta.launch.heap?.free(Number(address)) !== true)
      throw new Faulted("trap", `free of 0x${address.toString(16)}, which malloc did not give`);
    return null;
  },
  __assertfail: assertfail,
};

export function isOutside(name: string): boolean {
  return Object.hasOwn(routines, name);
}

/** Its result; null: none. */
export function callOutside(t: Thread, name: string, args: readonly Value[]): Value | null {
  const routine = Object.hasOwn(routines, name) ? routines[name]! : null;
  if (routine === null) throw new Faulted("not-supported", `${name} has no body`);
  return routine(t, args);
}
