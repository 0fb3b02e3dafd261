/** `tcgen05` by what it does (sm_100a, 103a, 110a and their families; the specification's gates refuse it elsewhere). */
import type { Family, Lowering } from "../family.js";
import { Refusal } from "../refusal.js";
import { allocation } from "./allocate.js";
import { copy, moves, shift, waits } from "./moves.js";
import { commit, product } from "./products.js";

const kinds = {
  ld: moves,
  st: moves,
  "wait::ld": waits,
  "wait::st": waits,
  cp: copy,
  shift,
  commit,
  mma: product,
  alloc: allocation,
  dealloc: allocation,
  relinquish_alloc_permit: allocation,
} satisfies Readonly<Record<string, Lowering>>;

const tcgen05: Lowering = (c, i, m) => {
  const [kind] = i.modifiers;
  if (kind?.startsWith("fence::")) {
    // The units keep the order of their instructions; ptxas has no code for it either (measured on sm_100a).
    if (!m.flag("fence::before_thread_sync") && !m.flag("fence::after_thread_sync")) throw new Refusal();
    return;
  }
  const known = Object.entries(kinds).find(([name]) => name === kind);
  if (known === undefined) throw new Refusal();
  m.flag(known[0]);
  known[1](c, i, m);
};

export const tensorMemoryFamily: Family = { tcgen05 };
