/** WebAssembly modules as bytes: instructions, functions, sections. Only what the translator needs. */
import { MOST_PAGES } from "./host.js";
import { IS_SHARED } from "./layout.js";
import { ATOMIC, Op, SIMD } from "./opcodes.js";

export const Type = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;
export type Type = (typeof Type)[keyof typeof Type];

/** Block type without results. */
const EMPTY = 0x40;

function unsigned(out: number[], value: number): void {
  let x = value >>> 0;
  while (x >= 0x80) {
    out.push((x & 0x7f) | 0x80);
    x >>>= 7;
  }
  out.push(x);
}

function signed(out: number[], value: number): void {
  let x = value | 0;
  for (;;) {
    const low = x & 0x7f;
    x >>= 7;
    if ((x === 0 && (low & 0x40) === 0) || (x === -1 && (low & 0x40) !== 0)) {
      out.push(low);
      return;
    }
    out.push(low | 0x80);
  }
}

function append(out: number[], bytes: readonly number[]): void {
  for (const b of bytes) out.push(b);
}

/** Pieces from so many bytes on are not copied when they are appended. */
const LARGE = 64;

/** A run of instructions. */
export class Code {
  /** What comes before `bytes`. */
  private readonly pieces: (readonly number[])[] = [];
  /** Where instructions go. */
  private bytes: number[] = [];

  get isEmpty(): boolean {
    return this.pieces.length === 0 && this.bytes.length === 0;
  }

  /** All its bytes in their order, by pieces. */
  *all(): Generator<readonly number[], void> {
    yield* this.pieces;
    yield this.bytes;
  }

  op(code: number): this {
    if (code < SIMD) this.bytes.push(code);
    else if (code < ATOMIC) {
      this.bytes.push(0xfd);
      unsigned(this.bytes, code - SIMD);
    } else this.bytes.push(0xfe, code - ATOMIC);
    return this;
  }

  /** An instruction with an index: of a local, function, label. */
  index(code: number, n: number): this {
    this.op(code);
    unsigned(this.bytes, n);
    return this;
  }

  get(local: number): this {
    return this.index(Op.localGet, local);
  }

  set(local: number): this {
    return this.index(Op.localSet, local);
  }

  tee(local: number): this {
    return this.index(Op.localTee, local);
  }

  i32(value: number): this {
    this.op(Op.i32Const);
    signed(this.bytes, value);
    return this;
  }

  i64(value: number): this {
    this.op(Op.i64Const);
    signed(this.bytes, value);
    return this;
  }

  /** A vector of four words. */
  words(a: number, b: number, c: number, d: number): this {
    this.op(Op.const);
    for (const w of [a, b, c, d]) this.bytes.push(w & 255, (w >>> 8) & 255, (w >>> 16) & 255, w >>> 24);
    return this;
  }

  /** A load or store; the address is on the stack. `lane` where the instruction has one. */
  memory(code: number, offset: number, lane: number = -1): this {
    this.op(code);
    // An alignment of one byte is always true.
    unsigned(this.bytes, 0);
    unsigned(this.bytes, offset);
    if (lane >= 0) this.bytes.push(lane);
    return this;
  }

  /** An atomic access to `bytes` bytes, which says their alignment. */
  atomic(code: number, offset: number, bytes: 4 | 8): this {
    this.op(code);
    unsigned(this.bytes, bytes === 8 ? 3 : 2);
    unsigned(this.bytes, offset);
    return this;
  }

  lane(code: number, lane: number): this {
    this.op(code).bytes.push(lane);
    return this;
  }

  /** Bytes of two vectors by number. */
  shuffle(bytes: readonly number[]): this {
    append(this.op(Op.shuffle).bytes, bytes);
    return this;
  }

  /** block, loop, if: without a result. */
  open(code: number): this {
    this.op(code).bytes.push(EMPTY);
    return this;
  }

  end(): this {
    return this.op(Op.end);
  }

  table(targets: readonly number[], otherwise: number): this {
    this.op(Op.brTable);
    unsigned(this.bytes, targets.length);
    for (const t of targets) unsigned(this.bytes, t);
    unsigned(this.bytes, otherwise);
    return this;
  }

  /** Appends code to which nothing is added any more. */
  append(code: Code): this {
    for (const piece of code.all()) {
      if (piece.length < LARGE) append(this.bytes, piece);
      else {
        if (this.bytes.length > 0) this.pieces.push(this.bytes);
        this.pieces.push(piece);
        this.bytes = [];
      }
    }
    return this;
  }
}

/** A function in the making: its locals and its code. */
export class Fn {
  readonly code: Code = new Code();
  private readonly locals: Type[] = [];
  constructor(
    readonly params: readonly Type[],
    readonly results: readonly Type[],
  ) {}

  local(type: Type): number {
    return this.params.length + this.locals.push(type) - 1;
  }

  /** Size, locals, instructions, end: by pieces. */
  body(): (readonly number[])[] {
    const runs: [number, Type][] = [];
    for (const t of this.locals) {
      const last = runs[runs.length - 1];
      if (last !== undefined && last[1] === t) last[0]++;
      else runs.push([1, t]);
    }
    const out: number[] = [];
    unsigned(out, runs.length);
    for (const [count, type] of runs) {
      unsigned(out, count);
      out.push(type);
    }
    const pieces = [...this.code.all()];
    const sized: number[] = [];
    unsigned(sized, out.length + lengthOf(pieces) + 1);
    return [sized, out, ...pieces, [Op.end]];
  }
}

export interface Import {
  readonly name: string;
  readonly params: readonly Type[];
  readonly results: readonly Type[];
}

/** A module that imports `env.memory` and functions, and exports its last function as `run`. Imports come first in the numbering. */
export function encodeModule(imports: readonly Import[], functions: readonly Fn[]): Uint8Array {
  const types: number[] = [];
  const known = new Map<string, number>();
  const typeOf = (params: readonly Type[], results: readonly Type[]): number => {
    const key = `${params.join()}:${results.join()}`;
    let index = known.get(key);
    if (index === undefined) {
      index = known.size;
      known.set(key, index);
      types.push(0x60);
      unsigned(types, params.length);
      append(types, params);
      unsigned(types, results.length);
      append(types, results);
    }
    return index;
  };
  const text = (out: number[], name: string): void => {
    unsigned(out, name.length);
    for (const c of name) out.push(c.charCodeAt(0));
  };
  const imported: number[] = [];
  unsigned(imported, imports.length + 1);
  text(imported, "env");
  text(imported, "memory");
  imported.push(2, IS_SHARED ? 3 : 0, 1);
  if (IS_SHARED) unsigned(imported, MOST_PAGES);
  for (const i of imports) {
    text(imported, "env");
    text(imported, i.name);
    imported.push(0);
    unsigned(imported, typeOf(i.params, i.results));
  }
  const declared: number[] = [];
  unsigned(declared, functions.length);
  for (const f of functions) unsigned(declared, typeOf(f.params, f.results));
  const exported: number[] = [];
  unsigned(exported, 1);
  text(exported, "run");
  exported.push(0);
  unsigned(exported, imports.length + functions.length - 1);
  const bodies: number[] = [];
  unsigned(bodies, functions.length);
  const counted: number[] = [];
  unsigned(counted, known.size);
  append(counted, types);
  const out: (readonly number[])[] = [[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]];
  const section = (id: number, pieces: readonly (readonly number[])[]): void => {
    const head = [id];
    unsigned(head, lengthOf(pieces));
    out.push(head);
    for (const piece of pieces) out.push(piece);
  };
  section(1, [counted]);
  section(2, [imported]);
  section(3, [declared]);
  section(7, [exported]);
  section(10, [bodies, ...functions.flatMap((f) => f.body())]);
  return joined(out);
}

const lengthOf = (pieces: readonly (readonly number[])[]): number => pieces.reduce((n, piece) => n + piece.length, 0);

function joined(pieces: readonly (readonly number[])[]): Uint8Array {
  const out = new Uint8Array(lengthOf(pieces));
  let at = 0;
  // Most pieces are short: a loop is faster than to call for each.
  for (const piece of pieces) for (let i = 0; i < piece.length; i++) out[at++] = piece[i]!;
  return out;
}
