/** Pieces of 16 bytes of shared memory (descriptor.ts) put in order as rows of 32 bytes, 256 bits along k. */
import { Fn, Type } from "./encoder.js";
import { Op } from "./opcodes.js";

const PIECE = 16;
const LINE = 32;

/** Bytes of two vectors: halves of their lower or upper parts in turn. */
const inTurn = (upper: boolean): number[] =>
  Array.from({ length: 16 }, (_, i) => (upper ? 8 : 0) + (i >> 2) * 2 + (i & 1) + (i & 2 ? 16 : 0));

/**
 * The function: address of the pieces' offsets, how many, address of shared memory, where the rows go, whether pieces are eight rows of one k (two
 * along k of one row otherwise) → 0 where the rows were the same before.
 */
export function gatherFunction(): Fn {
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
  for (const piece of [0, 1]) {
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
      store(v, row * LINE + piece * PIECE);
    });
  }
  next(16, 8 * LINE);
  code.op(Op.else).open(Op.loop);
  for (let n = 0; n < 4; n++) {
    load(n, vectors[0]!);
    store(vectors[0]!, PIECE * n);
  }
  next(4, 4 * PIECE);
  code.end().get(changed).op(Op.anyTrue);
  return fn;
}
