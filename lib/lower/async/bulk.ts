/**
 * Bulk copies: runs of bytes (`cp.async.bulk`, UBLK*) and boxes of a tensor after a descriptor (`cp.async.bulk.tensor`, UTMA*), their
 * reductions and prefetches, and the groups that writes are waited for in.
 *
 * All operands are uniform registers, so one lane goes at a time (uniform.ts). What the register groups hold (measured at -O0 on sm_90a, 100a):
 *
 *     UBLKCP.S.G [dst, barrier], [from.lo, from.hi], bytes >> 4 | mask << 16
 *     UBLKCP.G.S [to.lo, to.hi], [from], …
 *     UTMALDG.2D [dst, barrier, c0, c1], [map.lo, map.hi], mask << 16 | offsets of im2col
 *     UTMASTG.2D [from, c0, c1], [map.lo, map.hi]        UTMAPF.L2.2D [c0, c1], [map.lo, map.hi], offsets
 *
 * What im2col, gathers and scatters add is in `box.ts`.
 */
import { diagnostic } from "../../diagnostics.js";
import { imm, RZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import type { Modifiers } from "../modifiers.js";
import { skip } from "../place.js";
import { Refusal } from "../refusal.js";
import { B64, U16, U32 } from "../types.js";
import { boxOf, loadModes, offsetsOf, storeModes, takeMode, wordOf } from "./box.js";
import { addressIn, Operands, sharedAddress, wideAddress } from "./operands.js";
import { remoteBox, remoteBytes } from "./remote.js";
import { eachLane, toUniform } from "./uniform.js";

const policyOf = (c: Context, hinted: boolean, list: Operands): Operand | null =>
  hinted ? c.materialize(c.read(list.take(), B64), 2) : null;

/** Emits the instruction for each lane: groups of registers (an empty one is left out), then the policy as a descriptor. */
function issue(c: Context, name: string, groups: readonly (readonly Operand[])[], policy: Operand | null): void {
  eachLane(c, () => {
    const uniform = [...groups, ...(policy === null ? [] : [[policy]])].map((g) =>
      g.length === 0 ? skip() : toUniform(c, g),
    );
    c.emit(name, [], uniform);
  });
}

/** Sixteenths of the bytes below, a mask of CTAs above. */
function countAndMask(c: Context, bytes: Operand, mask: Operand | null): Operand {
  const count = c.op("SHF.R.U32.HI", [RZ(), imm(4), c.materialize(bytes)]);
  return c.op("PRMT", [count, imm(0x5410), mask ?? RZ()]);
}

const cluster = ["shared::cluster", "shared::cta"] as const;

interface Destination {
  readonly space: "shared" | "global";
  /** Shared memory of another CTA may be meant, which the unit does not reach. */
  readonly beyond: boolean;
}

function takeDestination(c: Context, m: Modifiers): Destination {
  const word = m.need([...cluster, "global"]);
  const beyond = word === "shared::cluster" && !c.target.has("bulkCopiesToCluster");
  return { space: word === "global" ? "global" : "shared", beyond };
}

// ------------------------------------------------------------------------------------------------ runs of bytes

const operations = ["add", "min", "max", "inc", "dec", "and", "or", "xor"] as const;

/** Type words of UBLKRED; unsigned and untyped 32-bit numbers have none. */
const types: Readonly<Record<string, string>> = {
  b32: "",
  u32: "",
  s32: ".S32",
  b64: ".U64",
  u64: ".U64",
  s64: ".S64",
  f16: ".F16.RN",
  bf16: ".BF16.RN",
  f32: ".F32.RN",
  f64: ".F64.RN",
};

function bytesToShared(c: Context, list: Operands, m: Modifiers, reduction: string | null, beyond: boolean): void {
  const from = m.need(["global", "shared::cta"]);
  m.need(["mbarrier::complete_tx::bytes"]);
  const multicast = m.flag("multicast::cluster");
  const hinted = m.flag("L2::cache_hint");
  if (from !== "global" && (multicast || hinted)) throw new Refusal();
  // From shared memory ptxas leaves it to the unit everywhere.
  const remote = beyond && from === "global";
  const [to, source, size, barrier] = [list.take(), list.take(), list.take(), list.take()];
  const mask = multicast ? c.materialize(c.read(list.take(), U16)) : null;
  const policy = policyOf(c, hinted, list);
  list.end();
  const own = [c.materialize(sharedAddress(c, to)), c.materialize(sharedAddress(c, barrier))] as const;
  const origin = from === "global" ? wideAddress(c, addressIn(source), "global") : sharedAddress(c, source);
  const bytes = c.materialize(c.read(size, U32));
  const kind = from === "global" ? "G" : "S";
  const name = reduction === null ? `UBLKCP.S.${kind}` : `UBLKRED.S.S${reduction}`;
  if (reduction !== null && from === "global") throw new Refusal();
  const unit = (ctas: Operand | null): void => {
    const groups = [own, [origin], [countAndMask(c, bytes, ctas)]];
    issue(c, `${name}${ctas === null ? "" : ".MULTICAST"}`, groups, policy);
  };
  if (!remote) unit(mask);
  else remoteBytes(c, { to: own[0], barrier: own[1], from: origin, bytes, mask, policy }, () => unit(null));
}

function bytesToGlobal(c: Context, list: Operands, m: Modifiers, reduction: string | null): void {
  m.need(["shared::cta"]);
  m.need(["bulk_group"]);
  const hinted = m.flag("L2::cache_hint");
  const masked = reduction === null && m.flag("cp_mask");
  const [to, source, size] = [list.take(), list.take(), list.take()];
  const policy = policyOf(c, hinted, list);
  const mask = masked ? c.read(list.take(), U16) : null;
  list.end();
  const groups = [
    [wideAddress(c, addressIn(to), "global")],
    [sharedAddress(c, source)],
    [countAndMask(c, c.read(size, U32), mask)],
  ];
  const copy = masked ? "UBLKCP.G.S.DST_G_BYTE_MASK" : "UBLKCP.G.S";
  issue(c, reduction === null ? copy : `UBLKRED.G.S${reduction}`, groups, policy);
}

function prefetchBytes(c: Context, list: Operands, m: Modifiers): void {
  m.need(["L2"]);
  m.need(["global"]);
  const hinted = m.flag("L2::cache_hint");
  const [source, size] = [list.take(), list.take()];
  const policy = policyOf(c, hinted, list);
  list.end();
  const groups = [[wideAddress(c, addressIn(source), "global")], [countAndMask(c, c.read(size, U32), null)]];
  issue(c, "UBLKPF.L2", groups, policy);
}

/** What a reduction does: `.ADD.F32.RN`. */
function takeReduction(m: Modifiers): string {
  const op = m.need(operations);
  m.flag("noftz");
  const type = m.need(Object.keys(types));
  return `.${op.toUpperCase()}${types[type] as string}`;
}

// ------------------------------------------------------------------------------------------------ boxes of a tensor

function boxToShared(c: Context, list: Operands, m: Modifiers, dimensions: number, beyond: boolean): void {
  m.need(["global"]);
  const mode = takeMode(m, loadModes);
  m.need(["mbarrier::complete_tx::bytes"]);
  const multicast = m.flag("multicast::cluster");
  const pair = m.oneOf(["cta_group::1", "cta_group::2"]);
  const hinted = m.flag("L2::cache_hint");
  const [to, source, barrier] = [list.take(), list.take(), list.take()];
  const offsets = offsetsOf(c, mode, list, dimensions);
  const mask = multicast ? c.materialize(c.read(list.take(), U16)) : null;
  const policy = policyOf(c, hinted, list);
  list.end();
  const { map, coordinates } = boxOf(c, source, mode.coordinates ?? dimensions);
  const own = [c.materialize(sharedAddress(c, to)), c.materialize(sharedAddress(c, barrier))] as const;
  const unit = (ctas: Operand | null): void => {
    const groups = [[...own, ...coordinates], [map], wordOf(c, mode, offsets, ctas)];
    const words = `${mode.word}${ctas === null ? "" : ".MULTICAST"}${pair === "cta_group::2" ? ".2CTA" : ""}`;
    issue(c, `UTMALDG.${dimensions}D${words}`, groups, policy);
  };
  if (!beyond) unit(mask);
  else if (!mode.remote) throw new Refusal();
  else remoteBox(c, { to: own[0], barrier: own[1], map, coordinates, offsets, mask, policy }, () => unit(null));
}

function boxToGlobal(c: Context, list: Operands, m: Modifiers, dimensions: number, op: string | null): void {
  m.need(["shared::cta"]);
  const reduction = op === null ? null : m.need(operations);
  const mode = takeMode(m, storeModes);
  // PTX ISA 9.0 has no reduction that scatters; ptxas takes one and makes the store of it.
  const stores = reduction === null || mode.word === ".SCATTER4";
  if (stores && reduction !== null) {
    const text = `no reduction scatters rows: '.${reduction}' is left out, as ptxas does`;
    c.diagnostics.push(diagnostic("warning", text, c.builder.loc));
  }
  m.need(["bulk_group"]);
  const hinted = m.flag("L2::cache_hint");
  const [to, source] = [list.take(), list.take()];
  const policy = policyOf(c, hinted, list);
  list.end();
  const { map, coordinates } = boxOf(c, to, mode.coordinates ?? dimensions);
  const name = stores
    ? `UTMASTG.${dimensions}D${mode.word}`
    : `UTMAREDG.${dimensions}D${mode.word}.${reduction.toUpperCase()}`;
  issue(c, name, [[sharedAddress(c, source), ...coordinates], [map]], policy);
}

function prefetchBox(c: Context, list: Operands, m: Modifiers): void {
  const dimensions = takeDimensions(m);
  m.need(["L2"]);
  m.need(["global"]);
  const mode = takeMode(m, loadModes);
  const hinted = m.flag("L2::cache_hint");
  const source = list.take();
  const offsets = offsetsOf(c, mode, list, dimensions);
  const policy = policyOf(c, hinted, list);
  list.end();
  const { map, coordinates } = boxOf(c, source, mode.coordinates ?? dimensions);
  const groups = [coordinates, [map], wordOf(c, mode, offsets, null)];
  issue(c, `UTMAPF.L2.${dimensions}D${mode.word}`, groups, policy);
}

const takeDimensions = (m: Modifiers): number => Number(m.need(["1d", "2d", "3d", "4d", "5d"]).slice(0, 1));

function box(c: Context, list: Operands, m: Modifiers, op: string | null): void {
  const dimensions = takeDimensions(m);
  const { space, beyond } = takeDestination(c, m);
  if (space === "global") boxToGlobal(c, list, m, dimensions, op);
  else if (op === null) boxToShared(c, list, m, dimensions, beyond);
  else throw new Refusal();
}

// ------------------------------------------------------------------------------------------------ groups

/** The scoreboard that counts groups of bulk copies (ptxas always takes the first). */
const GROUPS = 0;

function waitGroup(c: Context, list: Operands, m: Modifiers): void {
  const read = m.flag("read");
  const o = list.take();
  list.end();
  if (o.kind !== "int") throw new Refusal();
  c.emit("DEPBAR.LE", [], [imm(GROUPS), imm(Math.min(o.lo >>> 0, 63))]);
  // Writes that are complete are seen by loads after.
  if (!read) c.emit("CCTL.IVALL", [], []);
}

/** `cp.async.bulk…` after these three words. */
export function bulk(c: Context, operands: readonly PtxOperand[], m: Modifiers): void {
  if (!c.target.has("clusters")) throw new Refusal();
  const list = new Operands(operands);
  const kind = m.oneOf(["commit_group", "wait_group", "prefetch", "tensor"]);
  if (kind === "commit_group") {
    list.end();
    c.emit("UTMACMDFLUSH", [], []);
  } else if (kind === "wait_group") waitGroup(c, list, m);
  else if (kind === "tensor") box(c, list, m, null);
  else if (kind === "prefetch") {
    if (m.flag("tensor")) prefetchBox(c, list, m);
    else prefetchBytes(c, list, m);
  } else {
    const { space, beyond } = takeDestination(c, m);
    if (space === "global") bytesToGlobal(c, list, m, null);
    else bytesToShared(c, list, m, null, beyond);
  }
}

/** `cp.reduce.async.bulk…` after these four words. */
export function reduceBulk(c: Context, operands: readonly PtxOperand[], m: Modifiers): void {
  if (!c.target.has("clusters")) throw new Refusal();
  const list = new Operands(operands);
  if (m.flag("tensor")) {
    box(c, list, m, "reduce");
    return;
  }
  const { space, beyond } = takeDestination(c, m);
  // The words of the reduction stand after those of the copy, but are taken by name.
  const reduction = takeReduction(m);
  if (space === "global") bytesToGlobal(c, list, m, reduction);
  else bytesToShared(c, list, m, reduction, beyond);
}
