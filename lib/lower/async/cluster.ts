/**
 * Clusters of CTAs: their barrier, addresses of shared memory in other CTAs, stores and reductions that such memory's barriers count.
 * Forms as ptxas -O0 has them on sm_90a, 100a, 120a (measured).
 */
import { constBank, hi, imm, lo, PT, part, RZ, sreg, URZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Instruction, Operand as PtxOperand } from "../../ptx/ast.js";
import { CLUSTER_ADDRESS, memoryAddress } from "../address.js";
import type { Context } from "../context.js";
import { convergeWarp } from "../converge.js";
import { at, type Family, type Lowering, operands } from "../family.js";
import { acquired, membar } from "../fence.js";
import { together } from "../gather.js";
import { readFragment } from "../matrix/fragment.js";
import type { Modifiers } from "../modifiers.js";
import { skip } from "../place.js";
import { Refusal } from "../refusal.js";
import { SHARED_WINDOW_HIGH } from "../special.js";
import { PRED, registersOf, U32, U64 } from "../types.js";
import { addressIn, sharedAddress, wideAddress } from "./operands.js";
import { addReleased, storeReleased } from "./release.js";
import { acquireMap } from "./tensor-map.js";
import { eachLane, toUniform } from "./uniform.js";

const needClusters = (c: Context): void => {
  if (!c.target.has("clusters")) throw new Refusal();
};

// ------------------------------------------------------------------------------------------------ barrier

/** Both ways: in a launch with clusters, and without, where the cluster is the CTA. `.explicitcluster` leaves the first alone (as ptxas). */
function inCluster(c: Context, there: () => void, alone: () => void): void {
  if (c.func.limits.explicitcluster) {
    there();
    return;
  }
  const [yes, no, done] = [c.newBlock(), c.newBlock(), c.newBlock()];
  const explicit = c.op("LDC", [constBank(0, c.target.constants.explicitCluster as number)]);
  const p = c.predicate();
  c.emit("ISETP.EQ.U32.AND", [p], [explicit, imm(1)]);
  c.branch(no, c.when(p, true));
  c.start(yes);
  there();
  c.branch(done);
  c.start(no);
  alone();
  c.start(done);
}

/** Straight code for all lanes of the warp: aligned ones come to the same place, others are gathered. */
function byWarp(c: Context, kind: string, aligned: boolean, body: () => void): void {
  if (!aligned) {
    together(c, kind, imm(0xffffffff), true, body);
    return;
  }
  convergeWarp(c);
  body();
}

export function clusterBarrier(c: Context, i: Instruction, m: Modifiers): void {
  needClusters(c);
  operands(i, 0);
  const kind = m.need(["arrive", "wait"]);
  const sem = m.oneOf(kind === "arrive" ? ["release", "relaxed"] : ["acquire"]);
  const aligned = m.flag("aligned");
  const name = `barrier.cluster.${kind}.${sem ?? ""}`;
  if (kind === "arrive") {
    // Without clusters the wait alone is the barrier of the CTA.
    const arrive = (): void => {
      if (sem !== "relaxed") membar(c, "ALL", "gpu");
      byWarp(c, name, aligned, () => c.emit("UCGABAR_ARV", [], []));
    };
    inCluster(c, arrive, () => {});
    return;
  }
  const wait = (): void => {
    byWarp(c, name, aligned, () => c.emit("UCGABAR_WAIT", [], []));
    c.emit("CCTL.IVALL", [], []);
  };
  inCluster(c, wait, () => {
    c.func.barriers = Math.max(c.func.barriers, 1);
    byWarp(c, `${name}.alone`, aligned, () => c.emit("BAR.SYNC.DEFER_BLOCKING", [], [imm(0)]));
  });
}

// ------------------------------------------------------------------------------------------------ addresses

/** Bits 31:24 of a shared address are the rank of its CTA. */
const mapa: Lowering = (c, i, m) => {
  needClusters(c);
  const ops = operands(i, 3);
  m.oneOf(["shared::cluster"]);
  const type = m.need(["u32", "u64"]) === "u32" ? U32 : U64;
  const rank = c.materialize(c.read(at(ops, 2), U32));
  const source = addressValue(c, at(ops, 1), type.bits === 64);
  const d = c.out(at(ops, 0), type);
  c.emit("PRMT", [lo(d)], [rank, imm(0x654), part(source, 0)]);
  if (type.bits === 64) c.move(hi(d), part(source, 1));
};

const getctarank: Lowering = (c, i, m) => {
  needClusters(c);
  const ops = operands(i, 2);
  m.oneOf(["shared::cluster"]);
  const wide = m.need(["u32", "u64"]) === "u64";
  const source = addressValue(c, at(ops, 1), wide);
  c.emit("SHF.R.U32.HI", [c.out(at(ops, 0), U32)], [RZ(), imm(24), part(source, 0)]);
};

/** A register, or the address of a shared variable. */
function addressValue(c: Context, o: PtxOperand, wide: boolean): Operand {
  if (o.kind === "name" && c.registerOf(o) !== null) return c.materialize(c.read(o, wide ? U64 : U32), wide ? 2 : 1);
  if (o.kind !== "name" || o.component !== null || o.index !== null || wide) throw new Refusal();
  return sharedAddress(c, { kind: "address", base: o.name, offset: o.offset, rest: [] } as PtxOperand);
}

const isspacep: Lowering = (c, i, m) => {
  needClusters(c);
  const ops = operands(i, 2);
  const space = m.need(["shared::cluster", "shared::cta"]);
  const a = c.read(at(ops, 1), U64);
  c.emit(`QSPC.E.${space === "shared::cta" ? "S" : "D"}`, [c.inPlace(at(ops, 0), PRED), RZ()], [c.materialize(a, 2)]);
};

// ------------------------------------------------------------------------------------------------ access

/** An access of `.shared::cluster` is a generic one: the window's upper half stands above the address. */
export function asGeneric(c: Context, i: Instruction): Instruction {
  needClusters(c);
  const list = i.operands.map((o) => {
    if (o.kind !== "address") return o;
    const { base, offset } = memoryAddress(c, o, "shared");
    const high = c.op("S2R", [sreg(SHARED_WINDOW_HIGH)]);
    // ptxas keeps the two copies (facts/ptx-to-sass).
    c.scope.declare(CLUSTER_ADDRESS, { kind: "register", type: U64, operand: c.pair(base, high, "kept"), lanes: [] });
    return { ...o, base: CLUSTER_ADDRESS, offset };
  });
  return {
    kind: "instruction",
    span: i.span,
    guard: i.guard,
    opcode: i.opcode,
    modifiers: i.modifiers,
    operands: list,
  };
}

const sizes: Readonly<Record<number, string>> = { 1: "", 2: ".64", 4: ".128" };

/** `st.async`: address, data, barrier. */
const stAsync = (c: Context, i: Instruction, m: Modifiers): void => {
  if (i.modifiers.includes("release")) {
    storeReleased(c, i, m);
    return;
  }
  needClusters(c);
  const ops = operands(i, 3);
  m.flag("weak");
  m.flag("shared::cluster");
  m.need(["mbarrier::complete_tx::bytes"]);
  const count = Number((m.oneOf(["v2", "v4"]) ?? "v1").slice(1));
  const type = m.type();
  const words = count * registersOf(type);
  const size = sizes[words];
  if (type.bits < 32 || type.lanes !== 1 || size === undefined) throw new Refusal();
  const value = at(ops, 1);
  const data = count === 1 ? c.materialize(c.read(value, type), words) : readFragment(c, value, count, type);
  const where = c.pair(sharedAddress(c, at(ops, 0)), sharedAddress(c, at(ops, 2)));
  c.emit(`STAS${size}`, [], [where, URZ(2), imm(0), c.materialize(data, words)]);
};

/** `st.bulk`: zeros in shared memory of the CTA; a generic address is taken for one there (as ptxas). */
const stBulk = (c: Context, i: Instruction, m: Modifiers): void => {
  if (!c.target.has("sharedFill")) throw new Refusal();
  const [to, size, value] = operands(i, 3) as [PtxOperand, PtxOperand, PtxOperand];
  m.flag("weak");
  const where = m.flag("shared::cta") ? sharedAddress(c, to) : c.word(wideAddress(c, addressIn(to), "generic"), 0);
  if (value.kind !== "int" || value.lo !== 0 || value.hi !== 0) throw new Refusal();
  const low = c.materialize(where);
  // At most 2^24 bytes: the lower word says all.
  const bytes = c.word(c.materialize(c.read(size, U64), 2), 0);
  const count = c.op("SHF.R.U32.HI", [RZ(), imm(3), c.materialize(bytes)]);
  eachLane(c, () => {
    const [address, n] = [toUniform(c, [low]), toUniform(c, [count])];
    c.emit("UMEMSETS.64", [], [address, imm(0), skip(), n]);
  });
};

const redAsync = (c: Context, i: Instruction, m: Modifiers): void => {
  if (i.modifiers.includes("release")) {
    addReleased(c, i, m);
    return;
  }
  needClusters(c);
  const ops = operands(i, 3);
  m.need(["relaxed"]);
  m.need(["cluster"]);
  m.flag("shared::cluster");
  m.need(["mbarrier::complete_tx::bytes"]);
  const op = m.need(["add", "min", "max", "inc", "dec", "and", "or", "xor"]);
  const type = m.type();
  if (type.bits < 32 || type.lanes !== 1 || type.cls === "f" || type.cls === "bf") throw new Refusal();
  if (type.bits === 64 && op !== "add") throw new Refusal();
  const data = c.materialize(c.read(at(ops, 1), type), registersOf(type));
  const where = c.pair(sharedAddress(c, at(ops, 0)), sharedAddress(c, at(ops, 2)));
  const suffix = type.bits === 64 ? ".64" : type.cls === "s" ? ".S32" : "";
  c.emit(`REDAS.${op.toUpperCase()}${suffix}`, [], [where, URZ(2), imm(0), data]);
};

// ------------------------------------------------------------------------------------------------ one lane, fences

const elect: Lowering = (c, i, m) => {
  needClusters(c);
  const ops = operands(i, 2);
  m.need(["sync"]);
  const [target] = ops as [PtxOperand];
  const mask = c.read(at(ops, 1), U32);
  const p = target.kind === "pair" ? c.inPlace(target.second, PRED) : PT();
  const leader = target.kind === "pair" ? target.first : target;
  const d = leader.kind === "sink" ? null : c.inPlace(leader, U32);
  const lane = c.builder.ur(1);
  together(c, "elect", mask, true, () => {
    c.emit("ELECT", [p, lane], []);
    if (d !== null) c.emit("MOV", [d], [lane]);
  });
};

/** `fence.proxy.…`, `fence.mbarrier_init`, `fence.….sync_restrict`; false for the plain fences. */
export function fenceOfProxies(c: Context, i: Instruction, m: Modifiers): boolean {
  const has = (w: string): boolean => i.modifiers.includes(w);
  if (has("mbarrier_init")) {
    needClusters(c);
    operands(i, 0);
    for (const w of ["mbarrier_init", "release", "cluster"]) m.need([w]);
    // The barrier's own words are in order with what follows; nothing else is asked for.
    return true;
  }
  if (has("proxy")) {
    m.need(["proxy"]);
    proxyFence(c, i, m);
    return true;
  }
  const restricted = m.oneOf(["sync_restrict::shared::cta", "sync_restrict::shared::cluster"]);
  if (restricted === null && (has("acq_rel") || has("sc") || (!has("acquire") && !has("release")))) return false;
  operands(i, 0);
  const sem = m.need(["acquire", "release"]);
  if (restricted === null) halfFence(c, sem, m);
  else restrictedFence(c, sem, m);
  return true;
}

/** One half of an acquire-release fence. */
function halfFence(c: Context, sem: "acquire" | "release", m: Modifiers): void {
  const scope = m.need(["cta", "cluster", "gpu", "sys"] as const);
  if (sem === "release") membar(c, "ALL", scope);
  else acquired(c, scope);
}

function restrictedFence(c: Context, sem: "acquire" | "release", m: Modifiers): void {
  needClusters(c);
  m.need(["cluster"]);
  if (sem === "acquire") return;
  c.emit("MEMBAR.ALL.CTA", [], []);
  c.emit("FENCE.VIEW.ASYNC.S", [], []);
}

function proxyFence(c: Context, i: Instruction, m: Modifiers): void {
  needClusters(c);
  if (m.flag("async::generic")) {
    operands(i, 0);
    const sem = m.need(["acquire", "release"]);
    m.need(["sync_restrict::shared::cta", "sync_restrict::shared::cluster"]);
    restrictedFence(c, sem, m);
    return;
  }
  if (m.flag("tensormap::generic")) {
    const sem = m.need(["acquire", "release"]);
    const scope = m.need(["cta", "cluster", "gpu", "sys"] as const);
    if (sem === "acquire") {
      acquireMap(c, i.operands);
      return;
    }
    operands(i, 0);
    membar(c, "ALL", scope === "sys" ? "sys" : "gpu");
    return;
  }
  m.need(["async"]);
  operands(i, 0);
  const space = m.oneOf(["global", "shared::cta", "shared::cluster"]);
  if (space === "global") {
    c.emit("FENCE.VIEW.ASYNC.G", [], []);
    return;
  }
  c.emit(`MEMBAR.ALL.${space === "shared::cta" ? "CTA" : "GPU"}`, [], []);
  c.emit("FENCE.VIEW.ASYNC.S", [], []);
}

/** Opcodes that only clusters have. */
export const clusterFamily: Family = { mapa, getctarank, elect };

const inOtherCtas = (i: Instruction): boolean => i.modifiers.includes("shared::cluster");

/** Lowerings of opcodes that mean something more for clusters; `base` takes the rest. */
export function withClusters(base: Family): Family {
  const rest = (opcode: string): Lowering => {
    const known = base[opcode];
    return (c, i, m) => {
      if (known === undefined) throw new Refusal();
      known(c, i, m);
    };
  };
  const access = (opcode: string, async: typeof stAsync | null): Lowering => {
    const plain = rest(opcode);
    return (c, i, m) => {
      if (async !== null && m.flag("async")) async(c, i, m);
      else if (opcode === "st" && m.flag("bulk")) stBulk(c, i, m);
      else if (inOtherCtas(i)) {
        m.need(["shared::cluster"]);
        plain(c, asGeneric(c, i), m);
      } else plain(c, i, m);
    };
  };
  const [fence, barrier, space] = [rest("fence"), rest("barrier"), rest("isspacep")];
  return {
    ...base,
    ld: access("ld", null),
    st: access("st", stAsync),
    atom: access("atom", null),
    red: access("red", redAsync),
    fence: (c, i, m) => {
      if (!fenceOfProxies(c, i, m)) fence(c, i, m);
    },
    barrier: (c, i, m) => {
      if (m.flag("cluster")) clusterBarrier(c, i, m);
      else barrier(c, i, m);
    },
    isspacep: (c, i, m) => {
      const word = i.modifiers.some((w) => w === "shared::cluster" || w === "shared::cta");
      (word && c.target.has("clusters") ? isspacep : space)(c, i, m);
    },
  };
}
