/** Accesses of random modules: which places there are, and how they are read, written and exchanged. */
import { counts, type File } from "./operations.js";

/** Bytes of a thread's cells: 32 of integers, four f32, two f64. */
export const ROW = 64;
export const INTEGERS = 32;
/** Bytes of a thread's own shared memory, and of its part of the exchange between threads. */
export const OWN = 32;
export const PART = 16;

interface Kind {
  readonly type: string;
  readonly bytes: number;
  readonly files: readonly File[];
}
const kinds: readonly Kind[] = [
  ...["u8", "s8", "b8"].map((type): Kind => ({ type, bytes: 1, files: ["r", "h", "d"] })),
  ...["u16", "s16", "b16"].map((type): Kind => ({ type, bytes: 2, files: ["h", "h", "r", "d"] })),
  ...["u32", "s32", "b32", "b32"].map((type): Kind => ({ type, bytes: 4, files: ["r", "r", "r", "d"] })),
  ...["u64", "s64", "b64"].map((type): Kind => ({ type, bytes: 8, files: ["d"] })),
];

/** What each accumulator does, 8 bytes apart: the order of the threads does not matter. */
export const accumulators: readonly { readonly op: string; readonly file: File; readonly start: bigint }[] = [
  { op: "add.u32", file: "r", start: 5n },
  { op: "min.s32", file: "r", start: 0x7fffffffn },
  { op: "max.u32", file: "r", start: 0n },
  { op: "and.b32", file: "r", start: 0xffffffffn },
  { op: "or.b32", file: "r", start: 0n },
  { op: "xor.b32", file: "r", start: 0x55n },
  { op: "add.u64", file: "d", start: 1n << 40n },
  { op: "max.s64", file: "d", start: 1n << 63n },
  { op: "min.u64", file: "d", start: (1n << 64n) - 1n },
  { op: "xor.b64", file: "d", start: 0n },
  { op: "or.b64", file: "d", start: 0n },
  { op: "and.b64", file: "d", start: (1n << 64n) - 1n },
];

type Register = (file: File) => string;

interface Space {
  /** Word of the instruction, "" for generic. */
  readonly word: string;
  readonly base: string;
  /** Bytes that may be written. */
  readonly bytes: number;
  readonly loadOnly: boolean;
}
const spaces: readonly Space[] = [
  { word: ".global", base: "%mine", bytes: INTEGERS, loadOnly: false },
  { word: ".global", base: "%mine", bytes: INTEGERS, loadOnly: false },
  { word: "", base: "%mine", bytes: INTEGERS, loadOnly: false },
  { word: ".local", base: "%loc", bytes: 64, loadOnly: false },
  { word: ".local", base: "%loc", bytes: 64, loadOnly: false },
  { word: "", base: "%locg", bytes: 64, loadOnly: false },
  { word: ".shared", base: "%own", bytes: OWN, loadOnly: false },
  { word: "", base: "%owng", bytes: OWN, loadOnly: false },
  { word: ".const", base: "TABLE", bytes: 64, loadOnly: true },
];

export class Places {
  constructor(private readonly below: (n: number) => number) {}

  private pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** The text that makes an aligned address of so many bytes within a place, and its operand. */
  private place(
    base: string,
    bytes: number,
    size: number,
    index: string,
  ): { readonly before: string; readonly at: string } {
    if (this.below(2) === 0) {
      const offset = this.below(bytes / size) * size;
      return { before: "", at: `[${base}${offset === 0 ? "" : `+${offset}`}]` };
    }
    const start = base.startsWith("%") ? "" : `mov.u64 %a2, ${base};\n`;
    const from = base.startsWith("%") ? base : "%a2";
    // The whole place, or its upper half by an offset.
    const half = this.below(3) === 0 && bytes / 2 >= size ? bytes / 2 : 0;
    const mask = (half === 0 ? bytes : half) - size;
    return {
      before: `${start}and.b32 %t, ${index}, ${mask};\ncvt.u64.u32 %a, %t;\nadd.u64 %a, %a, ${from};\n`,
      at: `[%a${half === 0 ? "" : `+${half}`}]`,
    };
  }

  access(guard: string, register: Register): string {
    if (this.below(5) === 0) return this.floats(guard, register);
    const space = this.pick(spaces);
    const store = !space.loadOnly && this.below(2) === 0;
    const kind = this.pick(kinds);
    const most = Math.min(4, 16 / kind.bytes);
    const file = this.pick(kind.files);
    const lanes = this.below(3) > 0 ? 1 : this.pick([2, 4].filter((n) => n <= most && n <= counts[file]).concat(1));
    const { before, at } = this.place(space.base, space.bytes, kind.bytes * lanes, register("r"));
    const word = lanes === 1 ? "" : `.v${lanes}`;
    const list = distinct(lanes, () => register(file), !store);
    const data = lanes === 1 ? list[0]! : `{${list.join(", ")}}`;
    const how = space.loadOnly ? "" : this.order(space.word, store);
    return store
      ? `${before}${guard}st${how}${space.word}${word}.${kind.type} ${at}, ${data};`
      : `${before}${guard}ld${how}${space.word}${word}.${kind.type} ${data}, ${at};`;
  }

  /** Volatile, relaxed or acquire and release, or a hint to caches. */
  private order(space: string, store: boolean): string {
    const n = this.below(10);
    if (space === ".local") return "";
    if (n === 0) return ".volatile";
    if (n === 1) return `.relaxed.${this.pick(["cta", "gpu", "sys"])}`;
    return n === 2 ? (store ? ".release.gpu" : ".acquire.gpu") : "";
  }

  private floats(guard: string, register: Register): string {
    const store = this.below(2) === 0;
    const double = this.below(3) === 0;
    const file: File = double ? "g" : "f";
    const lanes = this.below(2) === 0 ? 1 : double ? 2 : this.pick([2, 4]);
    const size = double ? 8 : 4;
    const offset = double ? 48 + this.below(2 / lanes) * 8 : 32 + this.below(4 / lanes) * lanes * size;
    const list = distinct(lanes, () => register(file), !store);
    const data = lanes === 1 ? list[0]! : `{${list.join(", ")}}`;
    const word = `${this.pick([".global", ""])}${lanes === 1 ? "" : `.v${lanes}`}.f${8 * size}`;
    return store ? `${guard}st${word} [%mine+${offset}], ${data};` : `${guard}ld${word} ${data}, [%mine+${offset}];`;
  }

  /** An atomic on what is the thread's own: its result is known. */
  atomic(guard: string, register: Register, sm: number): string {
    const space = this.pick(spaces.filter((s) => !s.loadOnly && s.word !== ".local" && s.base !== "%locg"));
    const kind = this.below(12);
    if (kind === 0 && space.base === "%mine")
      return `${guard}atom${space.word}.add.f32 ${register("f")}, [%mine+${32 + 4 * this.below(4)}], ${register("f")};`;
    if (kind === 1 && space.base === "%mine")
      return `${guard}atom${space.word}.add.f64 ${register("g")}, [%mine+${48 + 8 * this.below(2)}], ${register("g")};`;
    if (kind === 2 && sm >= 70) {
      const { before, at } = this.place(space.base, space.bytes, 2, register("r"));
      return `${before}${guard}atom${space.word}.cas.b16 ${register("h")}, ${at}, ${register("h")}, ${register("h")};`;
    }
    const wide = this.below(3) === 0;
    const file: File = wide ? "d" : "r";
    const [s, u, b] = wide ? ["s64", "u64", "b64"] : ["s32", "u32", "b32"];
    const { before, at } = this.place(space.base, space.bytes, wide ? 8 : 4, register("r"));
    const order = this.pick(["", "", ".relaxed.gpu", ".acq_rel.cta", ".acquire.gpu", ".release.sys"]);
    const op = this.pick([
      `add.${u}`,
      `min.${s}`,
      `max.${s}`,
      `min.${u}`,
      `max.${u}`,
      `and.${b}`,
      `or.${b}`,
      `xor.${b}`,
      `exch.${b}`,
      `cas.${b}`,
      ...(wide ? [] : ["inc.u32", "dec.u32", "add.s32"]),
    ]);
    const third = op.startsWith("cas") ? `, ${register(file)}` : "";
    if (third === "" && !op.startsWith("exch") && this.below(4) === 0)
      return `${before}${guard}red${order.includes("ac") ? "" : order}${space.word}.${op} ${at}, ${register(file)};`;
    return `${before}${guard}atom${order}${space.word}.${op} ${register(file)}, ${at}, ${register(file)}${third};`;
  }

  /** All threads on one place, in whatever order. */
  accumulate(guard: string, register: Register): string {
    const k = this.below(accumulators.length);
    const { op, file } = accumulators[k]!;
    const [word, base] = this.pick([
      [".global", "%acc"],
      ["", "%acc"],
      [".shared", "sacc"],
      [".shared", "sacc"],
    ] as const);
    const value = this.below(8) === 0 ? `${this.below(100)}` : register(file);
    const at = `[${base}+${8 * k}]`;
    return this.below(3) === 0
      ? `${guard}atom${word}.${op} ${file === "d" ? "%a" : "%t"}, ${at}, ${value};`
      : `${guard}red${word}.${op} ${at}, ${value};`;
  }

  /** What a thread writes another one reads, between two barriers; what it read before is read before the first. */
  exchange(register: Register, barrier: string, block: boolean): string {
    const [mine, all] = block ? ["%part", "exchange"] : ["%wpart", "wexchange"];
    const how = this.pick(["", "", "", ".volatile"]);
    const kind = this.pick([
      { word: ".b32", file: "r", lanes: 1 },
      { word: ".b64", file: "d", lanes: 1 },
      { word: ".u8", file: "r", lanes: 1 },
      { word: ".u16", file: "h", lanes: 1 },
      { word: ".v2.b32", file: "r", lanes: 2 },
      { word: ".v4.b32", file: "r", lanes: 4 },
      { word: ".v2.b64", file: "d", lanes: 2 },
    ] as const);
    const data = (result: boolean): string => {
      const list = distinct(kind.lanes, () => register(kind.file), result);
      return kind.lanes === 1 ? list[0]! : `{${list.join(", ")}}`;
    };
    // In a half of a warp only the lanes of the half have written: each reads the next one of those that its mask names.
    const other = block
      ? this.pick([
          `xor.b32 %t, %me, ${1 + this.below(63)};`,
          `add.u32 %t, %me, ${1 + this.below(63)}; and.b32 %t, %t, 63;`,
          `add.u32 %t, %me, ${register("r")}; and.b32 %t, %t, 63;`,
        ])
      : `not.b32 %t, 0; shl.b32 %t, %t, %ln; shl.b32 %t, %t, 1; and.b32 %t, %t, MASK; brev.b32 %t, %t; bfind.shiftamt.u32 %t, %t; min.u32 %t, %t, 31; shr.u32 %t2, MASK, %t; and.b32 %t2, %t2, 1; setp.eq.u32 %z1, %t2, 1; selp.b32 %t, %t, %ln, %z1; and.b32 %t2, %me, 32; or.b32 %t, %t, %t2;`;
    return `${barrier}\nst${how}.shared${kind.word} [${mine}], ${data(false)};\n${barrier}\n${other}\nmul.wide.u32 %a, %t, ${PART};\nmov.u64 %a2, ${all};\nadd.u64 %a, %a, %a2;\nld${how}.shared${kind.word} ${data(true)}, [%a];`;
  }
}

/** So many registers; as results each only once. */
function distinct(n: number, next: () => string, once: boolean): string[] {
  const list: string[] = [];
  while (list.length < n) {
    const r = next();
    if (!once || !list.includes(r)) list.push(r);
  }
  return list;
}
