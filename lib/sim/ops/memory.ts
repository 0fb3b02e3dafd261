/** Loads, stores, constant loads, fences. Atomics are in atomic.ts. */
import { File, Kind, NO_INDEX, type Operand } from "../../isa/operand.js";
import { type AccessSpace, type Address, addressOf, locate, place, shortAddress, wideAddress } from "../access.js";
import { GLOBAL_BASE } from "../memory.js";
import type { Maker, Makers, Site } from "../site.js";
import { type Exec, LANES, Step, TRASH_UNIFORM, type Warp, ZERO_ROW } from "../state.js";
import { atomic } from "./atomic.js";
import { load256, store256 } from "./wide-memory.js";

/** Width of the data and how a narrow value is extended. */
interface Size {
  readonly bytes: number;
  readonly signed: boolean;
}

const sizes: Readonly<Record<string, Size>> = {
  U8: { bytes: 1, signed: false },
  S8: { bytes: 1, signed: true },
  U16: { bytes: 2, signed: false },
  S16: { bytes: 2, signed: true },
  "64": { bytes: 8, signed: false },
  "128": { bytes: 16, signed: false },
};
const WORD: Size = { bytes: 4, signed: false };

/** Makers for one space. */
function spaceMakers(space: AccessSpace): { load: Maker; store: Maker } {
  return {
    load: (s) => {
      s.has("U"); // LDS.U: uniform hint
      if (space === "global" && s.has("256")) return load256(s);
      const size = s.choose(sizes, WORD);
      if ((s.pred("pout") & 7) !== 7 || (s.pred("pin") & 7) !== 7) s.unsupported("predicated load result");
      const d = s.operand("d");
      const rows = [0, 1, 2, 3].map((i) => s.dstRow(d, i));
      return load(space, addressOf(s), size, rows);
    },
    store: (s) => {
      s.has("U");
      if (space === "global" && s.has("256")) return store256(s);
      const size = s.choose(sizes, WORD);
      const data = s.operand("data");
      if (data.kind !== Kind.Reg || data.file !== File.R) s.unsupported("data operand");
      const rows = [0, 1, 2, 3].map((i) => s.row(data, i));
      return store(space, addressOf(s), size, rows);
    },
  };
}

function isWide(space: AccessSpace): boolean {
  return space === "global" || space === "generic";
}

function load(space: AccessSpace, a: Address, size: Size, rows: readonly number[]): Exec {
  if (size.bytes >= 4 && space === "global") return loadGlobalWords(a, size.bytes, rows);
  if (size.bytes >= 4 && space === "shared") return loadSharedWords(a, size.bytes, rows);
  return loadAny(space, a, size, rows);
}

function loadAny(space: AccessSpace, a: Address, size: Size, rows: readonly number[]): Exec {
  const wide = isWide(space);
  const n = size.bytes >> 2;
  return (w, m) => {
    const add = a.add(w);
    const I = w.I;
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      const address = wide ? wideAddress(w, a, add, l) : shortAddress(w, a, add, l);
      if (!locate(w, space, address, size.bytes, l)) return Step.Fault;
      if (n > 0) {
        const at = place.at >> 2;
        for (let i = 0; i < n; i++) I[rows[i]! + l] = place.words[at + i * place.stride]!;
      } else I[rows[0]! + l] = narrow(size);
    }
    return Step.Next;
  };
}

/** The byte or half at `place`, extended. */
function narrow(size: Size): number {
  if (size.bytes === 1) {
    const v = place.bytes[place.at]!;
    return size.signed ? (v << 24) >> 24 : v;
  }
  const v = place.half[place.at >> 1]!;
  return size.signed ? (v << 16) >> 16 : v;
}

/** The common case without `locate` for every lane. */
function loadGlobalWords(a: Address, bytes: number, rows: readonly number[]): Exec {
  const n = bytes >> 2;
  const [r0, r1, r2, r3] = rows as [number, number, number, number];
  const watched = loadAny("global", a, { bytes, signed: false }, rows);
  return (w, m) => {
    if (w.machine.watch !== null) return watched(w, m);
    const add = a.add(w);
    const I = w.I;
    const global = w.machine.global;
    const words = global.words;
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      const at = wideAddress(w, a, add, l) - GLOBAL_BASE;
      if (!(at >= global.start && at + bytes <= global.end && at % bytes === 0)) {
        if (!locate(w, "global", at + GLOBAL_BASE, bytes, l)) return Step.Fault;
      }
      const i = at >>> 2;
      I[r0 + l] = words[i]!;
      if (n > 1) {
        I[r1 + l] = words[i + 1]!;
        if (n > 2) {
          I[r2 + l] = words[i + 2]!;
          I[r3 + l] = words[i + 3]!;
        }
      }
    }
    return Step.Next;
  };
}

function loadSharedWords(a: Address, bytes: number, rows: readonly number[]): Exec {
  const n = bytes >> 2;
  const [r0, r1, r2, r3] = rows as [number, number, number, number];
  const watched = loadAny("shared", a, { bytes, signed: false }, rows);
  return (w, m) => {
    if (w.machine.watch !== null || w.machine.inFlight !== null) return watched(w, m);
    const add = a.add(w);
    const I = w.I;
    const own = w.cta.shared;
    const words = own.words;
    const mine = w.cta.rank * 0x1000000;
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      const address = shortAddress(w, a, add, l);
      const at = address - mine;
      if (at >= 0 && at + bytes <= own.size && (at & (bytes - 1)) === 0) {
        const i = at >>> 2;
        I[r0 + l] = words[i]!;
        if (n > 1) {
          I[r1 + l] = words[i + 1]!;
          if (n > 2) {
            I[r2 + l] = words[i + 2]!;
            I[r3 + l] = words[i + 3]!;
          }
        }
      } else {
        if (!locate(w, "shared", address, bytes, l)) return Step.Fault;
        for (let i = 0; i < n; i++) I[rows[i]! + l] = place.words[(place.at >> 2) + i]!;
      }
    }
    return Step.Next;
  };
}

function store(space: AccessSpace, a: Address, size: Size, rows: readonly number[]): Exec {
  const wide = isWide(space);
  const n = size.bytes >> 2;
  return (w, m) => {
    const add = a.add(w);
    const I = w.I;
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      const address = wide ? wideAddress(w, a, add, l) : shortAddress(w, a, add, l);
      if (!locate(w, space, address, size.bytes, l)) return Step.Fault;
      if (n > 0) {
        const at = place.at >> 2;
        for (let i = 0; i < n; i++) place.words[at + i * place.stride] = I[rows[i]! + l]!;
      } else if (size.bytes === 1) place.bytes[place.at] = I[rows[0]! + l]!;
      else place.half[place.at >> 1] = I[rows[0]! + l]!;
    }
    return Step.Next;
  };
}

// ------------------------------------------------------------------------------------------------ constants

/** A value of a constant bank; null: outside the bank. */
function constant(w: Warp, bank: number, at: number, size: Size, word: number): number | null {
  const words = w.machine.banks[bank];
  if (words === undefined || at < 0 || at + size.bytes > words.byteLength) return null;
  if (size.bytes >= 4) return words[(at >> 2) + word]!;
  const view = new DataView(words.buffer, words.byteOffset);
  if (size.bytes === 1) return size.signed ? view.getInt8(at) : view.getUint8(at);
  return size.signed ? view.getInt16(at, true) : view.getUint16(at, true);
}

function constantFault(w: Warp, m: number, bank: number, at: number): Step {
  return w.fault("out-of-bounds", m, `constant bank ${bank} has no byte ${at}`, BigInt(at));
}

function ldc(s: Site): Exec {
  const size = s.choose(sizes, WORD);
  const o = s.operand("b");
  const d = s.operand("d");
  if (o.kind !== Kind.Const) s.unsupported("operand kind");
  if (o.index >= 0 && o.file !== File.R && d.file !== File.UR) s.unsupported("uniform index");
  const n = Math.max(1, size.bytes >> 2);
  if (d.file === File.UR) return ldcu(o, d, size, n);
  const index = o.index === NO_INDEX || o.index < 0 ? ZERO_ROW * LANES : o.index * LANES;
  const rows = [0, 1, 2, 3].map((i) => s.dstRow(d, i));
  return (w, m) => {
    for (let l = 0; l < LANES; l++) {
      if (((m >>> l) & 1) === 0) continue;
      const at = (w.I[index + l]! + o.value) | 0;
      if (at % Math.min(size.bytes, 8) !== 0)
        return w.fault("misaligned", 1 << l, `constant address ${at} is not a multiple of ${size.bytes}`, BigInt(at));
      for (let i = 0; i < n; i++) {
        const value = constant(w, o.id, at, size, i);
        if (value === null) return constantFault(w, 1 << l, o.id, at);
        w.I[rows[i]! + l] = value;
      }
    }
    return Step.Next;
  };
}

function ldcu(o: Operand, d: Operand, size: Size, n: number): Exec {
  const u = d.id < 0 ? TRASH_UNIFORM : d.id;
  return (w, m) => {
    const at = ((o.index >= 0 ? w.U[o.index]! : 0) + o.value) | 0;
    for (let i = 0; i < n; i++) {
      const value = constant(w, o.id, at, size, i);
      if (value === null) return constantFault(w, m, o.id, at);
      w.U[u + i] = value;
    }
    return Step.Next;
  };
}

/** An address of a multicast object has one copy for each of its devices (PTX ISA 9.7.9.14, multimem.ld_reduce): here one, and any operation over one is its value. */
function ldgmc(s: Site): Exec {
  s.ignoreModifiers();
  const d = s.operand("d");
  const rows = Array.from({ length: d.width }, (_, i) => s.dstRow(d, i));
  return load("global", addressOf(s), { bytes: 4 * d.width, signed: false }, rows);
}

// ------------------------------------------------------------------------------------------------ tables

const nothing: Maker = (s) => {
  s.ignoreModifiers();
  return () => Step.Next;
};

const global = spaceMakers("global");
const shared = spaceMakers("shared");
const local = spaceMakers("local");
const generic = spaceMakers("generic");

export const memory: Makers = {
  LDG: global.load,
  STG: global.store,
  LDGMC: ldgmc,
  LDS: shared.load,
  STS: shared.store,
  LDL: local.load,
  STL: local.store,
  LD: generic.load,
  ST: generic.store,
  LDC: ldc,
  ULDC: ldc,
  LDCU: ldc,
  ...atomic,
  MEMBAR: nothing,
  ERRBAR: nothing,
  CGAERRBAR: nothing,
  CCTL: nothing,
  CCTLL: nothing,
  CCTLT: nothing,
};
