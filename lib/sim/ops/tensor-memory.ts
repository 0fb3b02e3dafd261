/**
 * The instructions of tensor memory (sm_100a and its kin): its columns (tensor-columns.ts), moves (tensor-moves.ts), products (tensor-products.ts), and the arrivals
 * that follow those.
 */
import { begin } from "../async/in-flight.js";
import type { Makers, Site } from "../site.js";
import { type Exec, Step } from "../state.js";
import { inCta } from "./bulk.js";
import { operation } from "./copies.js";
import { tensorColumns } from "./tensor-columns.js";
import { tensorMoves } from "./tensor-moves.js";
import { product } from "./tensor-products.js";

/** UTCBAR: an arrival when what the thread asked of the units so far is done; .MULTICAST: at the same place in the CTAs of a mask. */
function arrival(s: Site): Exec {
  const address = s.scalar(s.operand("a"))!;
  s.operand("b");
  s.has("2CTA");
  const mask = s.has("MULTICAST") ? s.scalar(s.operand("c"))! : null;
  return (w, m) => {
    const lane = 31 - Math.clz32(m & -m);
    const ctas = mask === null ? [] : w.cta.cluster.ctas.filter((_, rank) => ((mask(w) >>> rank) & 1) !== 0);
    const at = mask === null ? [address(w) >>> 0] : ctas.map((cta) => inCta(address(w), cta.rank));
    const signals = at.map((x) => ({ address: x, lane, what: { arrivals: 1, transactions: 0, drops: 0 } }));
    const after = w.machine.inFlight?.of(w, "tensor") ?? [];
    return begin(operation(w, lane, { signals, after }));
  };
}

function nothing(s: Site): Exec {
  s.ignoreModifiers();
  return () => Step.Next;
}

export const tensorMemory: Makers = {
  ...tensorColumns,
  ...tensorMoves,
  UVIRTCOUNT: nothing,
  UTCHMMA: product,
  UTCQMMA: product,
  UTCIMMA: product,
  UTCOMMA: product,
  UTCBAR: arrival,
};
