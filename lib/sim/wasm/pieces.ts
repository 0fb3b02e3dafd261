/** Pieces of 16 bytes of shared memory (descriptor.ts, tensor-descriptor.ts) put in order as rows of words along k. */
import type { Arena } from "./arena.js";
import { encodeModule, Fn, Type } from "./encoder.js";
import { wasm } from "./host.js";
import { Op } from "./opcodes.js";
import { Vectors } from "./vectors.js";

const PIECE = 16;

/** Bytes of two vectors: halves of their lower or upper parts in turn. */
const inTurn = (upper: boolean): number[] =>
  Array.from({ length: 16 }, (_, i) => (upper ? 8 : 0) + (i >> 2) * 2 + (i & 1) + (i & 2 ? 16 : 0));

/**
 * The function: address of the pieces' offsets, how many, address of shared memory, where the rows go, whether pieces are eight rows of one k (two
 * along k of one row otherwise; rows are of so many bytes) → 0 where the rows were the same before.
 */
function gatherFunction(line: number): Fn {
  const fn = new Fn(new Array<Type>(5).fill(Type.i32), [Type.i32]);
  const { code } = fn;
  const [pieces, count, shared, to, transposed] = [0, 1, 2, 3, 4];
  const changed = fn.local(Type.v128);
  const vectors = Array.from({ length: 8 }, () => fn.local(Type.v128));
  const others = Array.from({ length: 8 }, () => fn.local(Type.v128));
  const load = (n: number, into: number): void => {
    code
      .get(shared)
      .get(pieces)
      .memory(Op.i32Load, 4 * n)
      .op(Op.i32Add)
      .memory(Op.load, 0)
      .set(into);
  };
  const store = (v: number, offset: number): void => {
    code.get(to).memory(Op.load, offset).get(v).op(Op.xor).get(changed).op(Op.or).set(changed);
    code.get(to).get(v).memory(Op.store, offset);
  };
  const next = (done: number, bytes: number): void => {
    code
      .get(pieces)
      .i32(4 * done)
      .op(Op.i32Add)
      .set(pieces);
    code.get(to).i32(bytes).op(Op.i32Add).set(to);
    code.get(count).i32(done).op(Op.i32Sub).tee(count).index(Op.brIf, 0).end();
  };
  code.get(transposed).open(Op.if).open(Op.loop);
  const pieces8 = line / PIECE;
  for (let piece = 0; piece < pieces8; piece++) {
    vectors.forEach((v, n) => {
      load(8 * piece + n, v);
    });
    // Vectors that are apart by 4 are put together three times.
    let [from, into] = [vectors, others];
    for (let step = 0; step < 3; step++) {
      into.forEach((v, i) => {
        code
          .get(from[i >> 1]!)
          .get(from[(i >> 1) + 4]!)
          .shuffle(inTurn((i & 1) === 1))
          .set(v);
      });
      [from, into] = [into, from];
    }
    from.forEach((v, row) => {
      store(v, row * line + piece * PIECE);
    });
  }
  next(8 * pieces8, 8 * line);
  code.op(Op.else).open(Op.loop);
  for (let n = 0; n < 4; n++) {
    load(n, vectors[0]!);
    store(vectors[0]!, PIECE * n);
  }
  next(4, 4 * PIECE);
  code.end().get(changed).op(Op.anyTrue);
  return fn;
}

/** Addresses of offsets of pieces, how many, addresses of their memory and of the words, whether pieces are eight rows of one k: 0 where the words were the same. */
type Gather = (pieces: number, count: number, from: number, to: number, transposed: number) => number;

/** The function that makes bytes of elements of 4 or 6 bits where they are: address of pieces that begin with sixteen of them, how many pieces. */
function expandFunction(bits: 4 | 6): Fn {
  const w = new Vectors(2);
  const { code } = w;
  const [at, count] = [0, 1] as const;
  code.open(Op.loop);
  const x = w.load(Op.load, at, 0);
  if (bits === 4) {
    // Two to a byte, in the middle of a byte of their own.
    const low = w.v(Op.and, w.shifted(Op.i16x8Shl, x, 2), w.splat(0x3c3c3c3c));
    const high = w.v(Op.and, w.shifted(Op.i16x8ShrU, x, 2), w.splat(0x3c3c3c3c));
    w.store(
      at,
      w.shuffled(
        low,
        high,
        Array.from({ length: 16 }, (_, i) => (i >> 1) + (i & 1 ? 16 : 0)),
      ),
      0,
    );
  } else {
    // Four to three bytes.
    const none = 16;
    const threes = w.shuffled(
      x,
      w.splat(0),
      Array.from({ length: 16 }, (_, i) => ((i & 3) === 3 ? none : 3 * (i >> 2) + (i & 3))),
    );
    const parts = [0, 1, 2, 3].map((i) =>
      w.v(Op.and, i === 0 ? threes : w.shifted(Op.i32x4Shl, threes, 2 * i), w.splat(0x3f << (8 * i))),
    );
    w.store(
      at,
      parts.reduce((a, b) => w.v(Op.or, a, b)),
      0,
    );
  }
  code.get(at).i32(PIECE).op(Op.i32Add).set(at);
  code.get(count).i32(1).op(Op.i32Sub).tee(count).index(Op.brIf, 0).end();
  return w.finish();
}

/** What puts pieces in order in an arena. */
export class Gathering {
  private readonly gathers = new Map<number, Gather>();
  private readonly expands = new Map<number, (at: number, pieces: number) => void>();

  constructor(private readonly arena: Arena) {}

  private instance(fn: Fn): unknown {
    const module = new wasm!.Module(encodeModule([], [fn]));
    return new wasm!.Instance(module, { env: { memory: this.arena.memory } }).exports.run;
  }

  /** Puts pieces at offsets from an address in order as rows of so many words, from which on offsets are at another; false: the words are what they were. */
  gather(offsets: number, count: number, from: number, to: number, transposed: boolean, words: number): boolean {
    let run = this.gathers.get(words);
    if (run === undefined) {
      run = this.instance(gatherFunction(4 * words)) as Gather;
      this.gathers.set(words, run);
    }
    return run(offsets, count, from, to, transposed ? 1 : 0) !== 0;
  }

  /** Makes bytes of so many pieces of sixteen elements of 4 or 6 bits, where they are. */
  expand(bits: 4 | 6, at: number, pieces: number): void {
    let run = this.expands.get(bits);
    if (run === undefined) {
      run = this.instance(expandFunction(bits)) as (at: number, pieces: number) => void;
      this.expands.set(bits, run);
    }
    run(at, pieces);
  }
}
