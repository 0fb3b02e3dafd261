/**
 * LDGSTS (cp.async), the groups in which copies and bulk copies are waited for (LDGDEPBAR, UTMACMDFLUSH; DEPBAR.LE), and the fence that hands
 * writes over to the asynchronous proxy.
 */
import { Kind } from "../../isa/operand.js";
import { type Address, addressOf, locate, place, shortAddress, wideAddress } from "../access.js";
import type { Grouping } from "../async/groups.js";
import { begin, type Operation } from "../async/in-flight.js";
import { Transfer } from "../async/transfer.js";
import type { Maker, Makers, Site } from "../site.js";
import { type Exec, LANES, Step, type Warp } from "../state.js";

/** An operation of the running instruction that moves bytes; what is not said is nothing. */
export function operation(w: Warp, lane: number, more: Partial<Operation>): Operation {
  return {
    warp: w,
    pc: w.pc,
    lane,
    transfers: [],
    signals: [],
    grouping: "none",
    proxy: true,
    after: [],
    act: null,
    sources: [],
    ...more,
  };
}

/** Bytes of the running LDGSTS for a lane: `missing` at the end are zeros. False: a fault is noted. */
function copyLane(w: Warp, t: Transfer, lane: number, from: number | null, to: number, bytes: number): boolean {
  const missing = from === null ? bytes : from % bytes;
  if (missing === 0) return t.locate(w, lane, ["global", from], ["shared", to], bytes);
  const runs: number[] = [];
  for (let i = 0; i < bytes - missing; i++) {
    if (!locate(w, "global", from! - missing + i, 1, lane)) return false;
    runs.push(place.at);
  }
  if (!locate(w, "shared", to, bytes, lane)) return false;
  const { at } = place;
  runs.forEach((x, i) => {
    t.add(x, at + i, 1);
  });
  t.add(-1, at + bytes - missing, missing);
  return true;
}

/**
 * LDGSTS: global to shared memory. With .ZFILL the low bits of the address say how many bytes at the end are zero; a false predicate says that
 * all are (ptxas's code for cp.async with a source size, and with a predicate that ignores the source).
 */
function copy(s: Site): Exec {
  s.has("BYPASS");
  const fill = s.has("ZFILL");
  const bytes = s.choose({ "64": 8, "128": 16 }, 4);
  const pin = s.predMask("pin");
  if (s.operand("gur").kind !== Kind.None) s.unsupported("copy from a uniform offset");
  const to = addressOf(s);
  const address = s.operand("addr");
  const from: Address = { low: s.row(address), high: s.row(address, 1), shift: 0, add: () => 0 };
  const offset = s.imm("goff");
  return (w, m) => {
    const add = to.add(w);
    const wanted = pin(w);
    const t = new Transfer();
    t.target = w.cta;
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      const source = (wanted >>> l) & 1 ? wideAddress(w, from, offset, l) : null;
      if (source !== null && !fill && source % bytes !== 0 && !locate(w, "global", source, bytes, l)) return Step.Fault;
      if (!copyLane(w, t, l, source, shortAddress(w, to, add, l), bytes)) return Step.Fault;
    }
    return begin(operation(w, 31 - Math.clz32(m & -m), { transfers: [t], grouping: "copies", proxy: false }));
  };
}

/** What came before is a group, counted on the scoreboard of the control word. */
const closes =
  (grouping: Grouping): Maker =>
  (s) => {
    s.ignoreModifiers();
    const sb = s.inst.control?.writeSb ?? 0;
    return (w) => {
      w.machine.inFlight?.groupsOf(w).close(grouping, sb > 5 ? 0 : sb);
      return Step.Next;
    };
  };

function wait(s: Site): Exec {
  const { name } = s.inst.form;
  s.ignoreModifiers();
  if (!name.includes("LE")) return () => Step.Next;
  const sb = s.operand("sb").value;
  const n = s.imm("n");
  return (w) => w.machine.inFlight?.wait(w, sb, n) ?? Step.Next;
}

/** FENCE.VIEW.ASYNC.S, also of shared memory; .G and .T are of others. */
function fence(s: Site): Exec {
  const { mods } = s.inst.form;
  const other = mods.includes("G") || mods.includes("T");
  s.ignoreModifiers();
  return (w) => {
    if (!other) w.machine.inFlight?.fence(w);
    return Step.Next;
  };
}

export const copies: Makers = {
  LDGSTS: copy,
  LDGDEPBAR: closes("copies"),
  UTMACMDFLUSH: closes("bulk"),
  DEPBAR: wait,
  FENCE: fence,
};
