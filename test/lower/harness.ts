/**
 * Runs one PTX instruction over rows of inputs: a kernel with one thread per row loads the sources, executes the instruction and stores
 * its result; compiled for a target and run in the simulator. Values are bit patterns.
 */
import { compile } from "../../lib/compile";
import { simulate } from "../../lib/sim/index";
import type { TargetName } from "../../lib/target/index";

export const targets = ["sm_75", "sm_90", "sm_100"] as const;

export interface Snippet {
  /** PTX statements that read `%a`, `%b`, `%c`, `%e` and write `%d`. */
  readonly code: string;
  /** Register types of the sources in the order a, b, c, e. */
  readonly sources: readonly string[];
  /** Register type of `%d`. */
  readonly result: string;
}

const names = ["a", "b", "c", "e"] as const;

const bitsOf = (type: string): number => (type === "pred" ? 1 : Number(/\d+/.exec(type)![0]));

/** Loads a value of `type` from 64-bit cell `%address` into `reg`. */
function load(type: string, reg: string): string {
  const bits = bitsOf(type);
  if (type === "pred") return `ld.global.u32 %t, [%p];\n  setp.ne.u32 ${reg}, %t, 0;`;
  return `ld.global.b${bits} ${reg}, [%p];`;
}

function store(type: string): string {
  if (type === "pred") return "selp.u32 %t, 1, 0, %d;\n  st.global.u32 [%p], %t;";
  return `st.global.b${bitsOf(type)} [%p], %d;`;
}

export function moduleHeader(target: string): string {
  return `.version 9.0\n.target ${target}\n.address_size 64\n`;
}

/** The kernel `name` around a snippet. */
export function kernelText(s: Snippet, name: string): string {
  const params = ["pd", ...s.sources.map((_, k) => `p${names[k]}`)];
  const address = (p: string): string => `ld.param.u64 %p, [${p}];\n  add.u64 %p, %p, %o;`;
  return `.visible .entry ${name}(${params.map((p) => `.param .u64 ${p}`).join(", ")})
{
  .reg .u64 %p, %o;
  .reg .u32 %i, %t, %n;
  ${s.sources.map((t, k) => `.reg .${t} %${names[k]};`).join("\n  ")}
  .reg .${s.result} %d;
  .reg .b32 %x<8>;
  .reg .b64 %y<8>;
  .reg .pred %q<8>;
  mov.u32 %i, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mov.u32 %t, %tid.x;
  mad.lo.u32 %i, %i, %n, %t;
  mul.wide.u32 %o, %i, 8;
  ${s.sources.map((t, k) => `${address(`p${names[k]}`)}\n  ${load(t, `%${names[k]}`)}`).join("\n  ")}
  ${s.code}
  ${address("pd")}
  ${store(s.result)}
  ret;
}
`;
}

/** Results of the snippet for each row of source values (unsigned bit patterns). */
export function evaluate(target: TargetName, s: Snippet, rows: readonly (readonly bigint[])[]): bigint[] {
  const made = compile(moduleHeader(target) + kernelText(s, "k"), { target, opt: 0, verify: true });
  if (made.cubin === null) {
    const why = [...made.diagnostics.map((d) => d.message), ...made.internalErrors.map((e) => String(e.stack))];
    throw new Error(`${target}: ${s.code}\n${why.join("\n")}`);
  }
  const block = 64;
  const grid = Math.ceil(rows.length / block);
  const cells = grid * block;
  const out = new BigUint64Array(cells);
  const inputs = s.sources.map((_, k) => {
    const list = new BigUint64Array(cells);
    rows.forEach((row, i) => {
      list[i] = row[k]!;
    });
    return list;
  });
  const run = simulate(made.cubin, { kernel: "k", grid, block, params: [out, ...inputs] });
  if (!run.ok) throw new Error(run.diagnostics.map((d) => d.message).join("\n"));
  if (run.value.fault !== null)
    throw new Error(`${target}: ${s.code}\n${JSON.stringify({ ...run.value.fault, memoryAddress: 0 })}`);
  const mask = (1n << BigInt(bitsOf(s.result))) - 1n;
  return rows.map((_, i) => out[i]! & mask);
}

/** A deterministic stream of random bits (xorshift64*). */
export function randomBits(seed: number): (bits: number) => bigint {
  let x = (BigInt(seed) * 0x9e3779b97f4a7c15n) | 1n;
  const all = (1n << 64n) - 1n;
  return (bits) => {
    x ^= (x << 13n) & all;
    x ^= x >> 7n;
    x ^= (x << 17n) & all;
    return ((x * 0x2545f4914f6cdd1dn) & all) >> BigInt(64 - bits);
  };
}

const corners: Readonly<Record<number, readonly bigint[]>> = {
  1: [0n, 1n],
  16: [0n, 1n, 2n, 0x7fn, 0x80n, 0xffn, 0x100n, 0x7fffn, 0x8000n, 0xfffen, 0xffffn],
  32: [
    0n,
    1n,
    2n,
    3n,
    7n,
    31n,
    32n,
    33n,
    0xffn,
    0x7fffn,
    0x8000n,
    0xffffn,
    0x10000n,
    0x7fffffffn,
    0x80000000n,
    0x80000001n,
    0xfffffffen,
    0xffffffffn,
  ],
  64: [
    0n,
    1n,
    2n,
    31n,
    63n,
    64n,
    65n,
    0x7fffffffn,
    0x80000000n,
    0xffffffffn,
    0x100000000n,
    0x100000001n,
    0x7fffffffffffffffn,
    0x8000000000000000n,
    0x8000000000000001n,
    0xffffffff00000000n,
    0xfffffffffffffffen,
    0xffffffffffffffffn,
  ],
};

/** Rows for sources of these widths: corner values against each other, then `random` random rows. */
export function integerRows(widths: readonly number[], random: number, seed: number): bigint[][] {
  const next = randomBits(seed);
  const rows: bigint[][] = [];
  const first = corners[widths[0]!]!;
  const second = widths.length > 1 ? corners[widths[1]!]! : [0n];
  for (const a of first)
    for (const b of second) {
      rows.push(widths.map((w, k) => (k === 0 ? a : k === 1 ? b : pick(corners[w]!, next))));
    }
  for (let n = 0; n < random; n++) {
    // Random lengths of significant bits, so that small numbers are as likely as large ones.
    rows.push(widths.map((w) => next(w) >> BigInt(Number(next(6)) % w)));
  }
  return rows;
}

export function pick<T>(list: readonly T[], next: (bits: number) => bigint): T {
  return list[Number(next(24)) % list.length]!;
}

export const hex = (v: bigint): string => `0x${v.toString(16)}`;

/** Compares all rows and reports the first few that differ, with their inputs. */
export function expectRows(
  target: TargetName,
  s: Snippet,
  rows: readonly (readonly bigint[])[],
  reference: (...values: bigint[]) => bigint,
  equal: (actual: bigint, wanted: bigint) => boolean = (x, y) => x === y,
): void {
  const got = evaluate(target, s, rows);
  const mask = (1n << BigInt(bitsOf(s.result))) - 1n;
  const wrong: string[] = [];
  rows.forEach((row, i) => {
    const masked = row.map((v, k) => v & ((1n << BigInt(bitsOf(s.sources[k]!))) - 1n));
    const wanted = reference(...masked) & mask;
    if (!equal(got[i]!, wanted)) wrong.push(`${row.map(hex).join(", ")}: ${hex(got[i]!)}, not ${hex(wanted)}`);
  });
  expect(wrong.slice(0, 8)).toEqual([]);
}
