/**
 * `.debug_frame` of code that has moved: where a function lies and how long it is, and the places where its unwinding
 * rules change. These are DW_CFA_advance_loc4 in all that ptxas writes (four bytes each, in units of four bytes of
 * code), so nothing changes its length.
 */

const ADVANCE4 = 0x04;

/** Where places in the code have gone, byte offsets both; −1 when gone. */
export interface Places {
  place(offset: number): number;
  after(offset: number): number;
}

/** Arguments of the other DW_CFA instructions: u a LEB128 number, b a block with its length in front. */
const others: Readonly<Record<number, string>> = {
  0: "",
  5: "uu",
  6: "u",
  7: "u",
  8: "u",
  9: "uu",
  10: "",
  11: "",
  12: "uu",
  13: "u",
  14: "u",
  15: "b",
  16: "ub",
  17: "uu",
  18: "uu",
  19: "u",
  20: "uu",
  22: "ub",
};

/**
 * Rewrites `bytes` in place; positions count `unit` bytes. `functions`: byte offset of an FDE's address field (its relocation) → the code that it is in
 * and where it began there. Returns what could not be understood, or null.
 */
export function moveFrames(
  bytes: Uint8Array,
  functions: ReadonlyMap<number, { readonly map: Places; readonly start: number }>,
  unit = 4,
): string | null {
  const v = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at + 20 <= bytes.length) {
    if (v.getUint32(at, true) !== 0xffffffff) return ".debug_frame is not in the 64-bit format";
    const body = at + 12;
    const end = body + Number(v.getBigUint64(at + 4, true));
    if (end > bytes.length) return ".debug_frame is truncated";
    const place = functions.get(body + 8);
    if (place !== undefined) {
      const problem = moveEntry(v, body, end, place.map, place.start, unit);
      if (problem !== null) return problem;
    }
    at = end;
  }
  return null;
}

function moveEntry(v: DataView, body: number, end: number, map: Places, start: number, unit: number): string | null {
  const size = Number(v.getBigUint64(body + 16, true));
  const from = map.place(start);
  const to = map.place(start + size);
  if (from < 0 || to < from) return "a function that .debug_frame names is gone";
  // ptxas writes the address both here and into the relocation; an object for the linker has 0.
  if (Number(v.getBigUint64(body + 8, true)) === start) v.setBigUint64(body + 8, BigInt(from), true);
  v.setBigUint64(body + 16, BigInt(to - from), true);
  return moveProgram(v, body + 24, end, map, start, from, unit);
}

function moveProgram(
  v: DataView,
  first: number,
  end: number,
  map: Places,
  start: number,
  from: number,
  unit: number,
): string | null {
  let old = start;
  let now = from;
  let at = first;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; at < end; shift += 7) {
      const byte = v.getUint8(at++);
      if (shift < 28) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < end) {
    const op = v.getUint8(at++);
    if (op === ADVANCE4) {
      // Steps back wrap at 32 bits of bytes.
      old += (v.getUint32(at, true) * unit) | 0;
      const place = old === start ? from : map.after(old);
      if (place < 0) return "an instruction that .debug_frame names is gone";
      v.setUint32(at, ((place - now) >>> 0) / unit, true);
      now = place;
      at += 4;
      continue;
    }
    const high = op >>> 6;
    const form = high === 0 ? others[op] : high === 2 ? "u" : high === 3 ? "" : undefined;
    if (form === undefined) return `.debug_frame has the instruction 0x${op.toString(16)}`;
    for (const kind of form) {
      const n = number();
      if (kind === "b") at += n;
    }
  }
  return null;
}
