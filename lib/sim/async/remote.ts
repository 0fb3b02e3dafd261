/**
 * The driver's routines that copy into shared memory of the cluster where the unit reaches its own CTA alone (sm_120; lib/lower/async/remote.ts tells
 * where ptxas puts their arguments, which is all that is known of them: they do what PTX ISA says of the instruction).
 */
import { RETURN_ADDRESS } from "../../isa/abi.js";
import { locate, place } from "../access.js";
import { loadBytes } from "../ops/bulk.js";
import { codeIndex } from "../ops/control.js";
import { loadBox } from "../ops/tensor-copy.js";
import { LANES, type Warp } from "../state.js";

const NAME = /^__cuda_syscall_cp_async_bulk_(?:tensor_([1-5])d_(tile|im2col)_)?(unicast|multicast)$/;

export const isRemoteCopy = (name: string): boolean => NAME.test(name);

const STACK = 1;
const OFFSET_BYTES = 2;

const wordOf = (w: Warp, lane: number, n: number): number => w.I[n * LANES + lane]! >>> 0;
const pairOf = (w: Warp, lane: number, n: number): number => wordOf(w, lane, n + 1) * 2 ** 32 + wordOf(w, lane, n);

/** Offsets of im2col: so many 16-bit numbers on the stack. */
function offsetsOf(w: Warp, lane: number, count: number): number[] | null {
  const out: number[] = [];
  for (let i = 0; i < count; i++) {
    if (!locate(w, "local", wordOf(w, lane, STACK) + OFFSET_BYTES * i, OFFSET_BYTES, lane)) return null;
    out.push(place.bytes[place.at]! | (place.bytes[place.at + 1]! << 8));
  }
  return out;
}

/** Runs the routine for a lane; faults are told of the call. */
export function remoteCopy(name: string, w: Warp, lane: number): void {
  const [, dimensions, mode, cast] = NAME.exec(name) as unknown as [string, string?, string?, string?];
  const { pc } = w;
  w.pc = codeIndex(wordOf(w, lane, RETURN_ADDRESS)) - 1;
  const ctas = (n: number): number | null => (cast === "multicast" ? wordOf(w, lane, n) & 0xffff : null);
  if (dimensions === undefined) {
    const from = ["global", pairOf(w, lane, 6)] as const;
    const to = wordOf(w, lane, 4);
    loadBytes(w, lane, { to, from, bytes: wordOf(w, lane, 8), ctas: ctas(9), barrier: wordOf(w, lane, 10) });
  } else {
    const n = Number(dimensions);
    const offsets = offsetsOf(w, lane, mode === "im2col" ? n - 2 : 0);
    const at = Array.from({ length: n }, (_, i) => wordOf(w, lane, 8 + i) | 0);
    if (offsets !== null)
      loadBox(w, lane, {
        map: pairOf(w, lane, 6),
        dimensions: n,
        wanted: { walk: mode === "im2col" ? "im2col" : "tile", at, offsets },
        to: wordOf(w, lane, 4),
        ctas: ctas(13),
        barrier: wordOf(w, lane, 14),
        pairs: false,
      });
  }
  w.pc = pc;
}
