/** Instructions in which lanes see each other: shuffles, votes, matches, reductions. Only active lanes take part. */
import { lowest } from "../groups.js";
import { f32OfBits } from "../number/f32.js";
import type { Maker, Makers, Site } from "../site.js";
import { type Exec, LANES, Step } from "../state.js";

type Choice = (lane: number, b: number, top: number, bottom: number, segment: number) => number;

/** The source lane; in range when it does not pass the end of the segment (PTX ISA, shfl.sync). */
const shuffles: Readonly<Record<string, Choice>> = {
  UP: (lane, b) => lane - b,
  DOWN: (lane, b) => lane + b,
  BFLY: (lane, b) => lane ^ b,
  IDX: (_lane, b, _top, bottom, segment) => bottom | (b & ~segment),
};

function shfl(s: Site): Exec {
  const up = s.has("UP");
  const choice = s.choose<Choice>(shuffles, shuffles.IDX!);
  const a = s.row(s.operand("a"));
  const ob = s.operand("b");
  const oc = s.operand("c");
  const b = s.scalar(ob);
  const c = s.scalar(oc);
  const rb = s.row(ob);
  const rc = s.row(oc);
  const d = s.dstRow(s.operand("d"));
  const pout = s.pred("pout");
  const taken = new Int32Array(LANES);
  return (w, m) => {
    let valid = 0;
    for (let lane = 0; lane < LANES; lane++) {
      if (((m >>> lane) & 1) === 0) continue;
      const cv = c === null ? w.I[rc + lane]! : c(w);
      const bv = (b === null ? w.I[rb + lane]! : b(w)) & 31;
      const segment = (cv >>> 8) & 31;
      const bottom = lane & segment;
      const top = bottom | (cv & 31 & ~segment);
      const j = choice(lane, bv, top, bottom, segment);
      const inRange = up ? j >= top : j <= top;
      if (inRange) valid |= 1 << lane;
      taken[lane] = w.I[a + (inRange ? j & 31 : lane)]!;
    }
    for (let lane = 0; lane < LANES; lane++) if ((m >>> lane) & 1) w.I[d + lane] = taken[lane]!;
    if (pout !== 7) w.P[pout] = (w.P[pout]! & ~m) | valid;
    return Step.Next;
  };
}

function vote(s: Site): Exec {
  const mode = s.choose({ ALL: "ALL", ANY: "ANY", EQ: "EQ" }, "ANY");
  const pin = s.predMask("pin");
  const uniform = s.uniform;
  const d = s.dstRow(s.find("d"));
  const u = s.uniformDst("d");
  const pout = s.pred("pout");
  return (w, m) => {
    const ballot = pin(w) & m;
    const r = mode === "ALL" ? ballot === m : mode === "ANY" ? ballot !== 0 : ballot === m || ballot === 0;
    if (uniform) w.U[u] = ballot;
    else for (let l = 0; l < LANES; l++) if ((m >>> l) & 1) w.I[d + l] = ballot;
    if (pout >= 8 && pout !== 15) w.P[pout] = r ? -1 : 0;
    else if (pout < 7) w.P[pout] = r ? w.P[pout]! | m : w.P[pout]! & ~m;
    return Step.Next;
  };
}

function match(s: Site): Exec {
  const all = s.has("ALL");
  s.has("ANY");
  const wide = s.has("U64");
  const o = s.operand("a");
  const lo = s.row(o);
  const hi = wide ? s.row(o, 1) : lo;
  const d = s.dstRow(s.operand("d"));
  const pout = s.pred("pout");
  const masks = new Int32Array(LANES);
  return (w, m) => {
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      let same = 0;
      for (let k = 0; k < LANES; k++)
        if ((m >>> k) & 1 && w.I[lo + k] === w.I[lo + l] && w.I[hi + k] === w.I[hi + l]) same |= 1 << k;
      masks[l] = same;
    }
    const equal = masks[lowest(m)] === m;
    for (let l = 0; l < LANES; l++) if ((m >>> l) & 1) w.I[d + l] = all ? (equal ? m : 0) : masks[l]!;
    if (pout < 7) w.P[pout] = equal ? w.P[pout]! | m : w.P[pout]! & ~m;
    return Step.Next;
  };
}

type Fold = (a: number, b: number) => number;
const folds: Readonly<Record<string, readonly [unsigned: Fold, signed: Fold]>> = {
  AND: [(a, b) => a & b, (a, b) => a & b],
  OR: [(a, b) => a | b, (a, b) => a | b],
  XOR: [(a, b) => a ^ b, (a, b) => a ^ b],
  SUM: [(a, b) => (a + b) | 0, (a, b) => (a + b) | 0],
  MIN: [(a, b) => (a >>> 0 < b >>> 0 ? a : b), Math.min],
  MAX: [(a, b) => (a >>> 0 > b >>> 0 ? a : b), Math.max],
};

function floatFold(s: Site, max: boolean): Fold {
  const nan = s.has("NAN");
  return (a, b) => {
    const x = f32OfBits(a);
    const y = f32OfBits(b);
    if (Number.isNaN(x)) return nan ? 0x7fffffff : b;
    if (Number.isNaN(y)) return nan ? 0x7fffffff : a;
    return (max ? Math.max(x, y) : Math.min(x, y)) === x ? a : b;
  };
}

function redux(s: Site): Exec {
  const signed = s.has("S32");
  const isFloat = s.has("F32");
  const pair = s.choose(folds, folds.AND!);
  const fold = isFloat ? floatFold(s, pair === folds.MAX) : pair[signed ? 1 : 0];
  const a = s.row(s.operand("a"));
  const u = s.uniformDst("d");
  return (w, m) => {
    let value = w.I[a + lowest(m)]!;
    for (let l = lowest(m) + 1; l < LANES; l++) if ((m >>> l) & 1) value = fold(value, w.I[a + l]!);
    w.U[u] = value;
    return Step.Next;
  };
}

const elect: Maker = (s) => {
  s.has("IGNOREKILL");
  const pin = s.predMask("pin");
  const pout = s.pred("pout");
  const u = s.uniformDst("d");
  return (w, m) => {
    const lane = lowest(pin(w) & m);
    const chosen = lane < 32 ? 1 << lane : 0;
    if (pout < 7) w.P[pout] = (w.P[pout]! & ~m) | chosen;
    w.U[u] = lane;
    return Step.Next;
  };
};

export const warp: Makers = {
  SHFL: shfl,
  VOTE: vote,
  VOTEU: vote,
  MATCH: match,
  REDUX: redux,
  CREDUX: redux,
  ELECT: elect,
};
