/** Random kernels of many statements (templates/): the same seed gives the same text. */
import { type Random, random } from "../../test/corpus/random.js";
import { families, special, together } from "./templates/index.js";

export interface Size {
  /** Of each kernel, 60 when left out. */
  readonly statements?: number;
  /** Number of the only family (templates/), all when left out. */
  readonly family?: number | undefined;
  /** In a module, 6 when left out. */
  readonly kernels?: number;
}

const pick = <T>(r: Random, list: readonly T[]): T => list[r.below(list.length)]!;

const CONSTANTS = "0 1 2 3 4 7 8 255 508 2147483647 -1 -5 1000 65535".split(" ");
const F32 = "0f3F800000 0f40490FDB 0f00000000 0fBF800000 0f80000000".split(" ");
const F64 =
  "0d3FF0000000000000 0d4000000000000000 0d4008000000000000 0dBFE0000000000000 0d3FB999999999999A 0d0000000000000000".split(
    " ",
  );

const hex8 = (v: number): string => (v >>> 0).toString(16).toUpperCase().padStart(8, "0");

type Make = (r: Random) => string;
const register =
  (prefix: string, count: number): Make =>
  (r) =>
    `%${prefix}${r.below(count)}`;
const R = register("r", 12);
const F = register("f", 8);
const G = register("fd", 6);

/** Longest names first. */
const makes: readonly (readonly [name: string, make: Make])[] = [
  ["lut", (r) => `${pick(r, [0xc0, 0xfc, 0x3c, 0x96, 0xe8, 0xca, 0x1e, 1 + r.below(254)])}`],
  ["sr64", (r) => pick(r, ["%clock64", "%globaltimer", "%gridid"])],
  ["o16", (r) => pick(r, ["", "+16", "+32", "+64", "+-16"])],
  ["sr", (r) => pick(r, special)],
  ["fi", (r) => (r.below(3) > 0 ? F(r) : r.below(2) > 0 ? pick(r, F32) : `0f${hex8(r.u32() >>> 2)}`)],
  ["gi", (r) => (r.below(3) > 0 ? G(r) : pick(r, F64))],
  ["o8", (r) => pick(r, ["", "+8", "+16", "+64", "+-16", "+0x2000"])],
  ["r", R],
  ["i", (r) => (r.below(3) > 0 ? R(r) : r.below(4) > 0 ? pick(r, CONSTANTS) : `${r.u32() >>> 1}`)],
  ["d", register("rd", 8)],
  ["f", F],
  ["g", G],
  ["h", register("h", 4)],
  ["p", register("p", 6)],
  ["a", register("a", 3)],
  ["s", register("s", 2)],
  ["l", () => "%l0"],
  ["c", () => "%c0"],
  ["o", (r) => pick(r, ["", "+4", "+8", "+16", "+32", "+-8", "+0x1000", "+-128"])],
  ["n", (r) => `${pick(r, [0, 0, 1, r.below(16)])}`],
  ["q", (r) => `{${[R(r), R(r), R(r), R(r)].join(",")}}`],
];

function statement(r: Random, template: string): string {
  let text = template;
  for (let m = /<([^<>]*)>/.exec(text); m !== null; m = /<([^<>]*)>/.exec(text))
    text = text.slice(0, m.index) + pick(r, m[1]!.split("|")) + text.slice(m.index + m[0].length);
  return text.replace(/\$([a-z]+\d*)/g, (_, word: string) => {
    const [name, make] = makes.find(([n]) => word.startsWith(n))!;
    return make(r) + word.slice(name.length);
  });
}

const total = families.reduce((n, f) => n + f.weight, 0);

function template(r: Random, family: number | undefined): string {
  if (family !== undefined) return pick(r, families[family]!.lines);
  let at = r.below(total);
  for (const f of families) {
    if (at < f.weight) return pick(r, f.lines);
    at -= f.weight;
  }
  throw new Error("weights");
}

const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

function body(r: Random, out: string[], name: string, { statements = 60, family }: Size): void {
  const parameters =
    ".param .u64 p,.param .u32 n0,.param .u32 n1,.param .u32 n2,.param .u8 b0,.param .u8 b1,.param .u16 hh,.param .f64 q,.param .align 16 .b8 v[16]";
  out.push(`.visible .entry ${name}(${parameters})`, "{");
  out.push(
    ".reg .b32 %r<12>;.reg .b64 %rd<8>;.reg .f32 %f<8>;.reg .f64 %fd<6>;.reg .pred %p<6>;.reg .b16 %h<4>;.reg .b64 %a<3>;.reg .b32 %s<2>;.reg .b32 %l<1>;.reg .b32 %c<1>;.reg .b64 %rs;.reg .b32 %sb;",
    ".shared .align 16 .b8 sm[1024];.local .align 16 .b8 lo[512];",
    "ld.param.u64 %a0,[p];",
    "mov.u32 %r0,%tid.x;",
    "mul.wide.u32 %rd0,%r0,64;",
    "add.s64 %a1,%a0,%rd0;",
    "add.s64 %a2,%a1,0x100000;",
    "mov.u32 %s0,sm;",
    "shl.b32 %s1,%r0,4;",
    "add.u32 %s1,%s1,%s0;",
    "mov.u32 %sb,%s1;",
    "cvt.u64.u32 %rs,%s0;",
    "ld.global.u32 %l0,[%a0+64];",
    "and.b32 %l0,%l0,240;",
    "ld.global.u32 %c0,[%a0+68];",
  );
  for (const i of count(12)) out.push(`ld.global.u32 %r${i},[%a1+${4 * i}];`);
  for (const i of count(8)) out.push(`ld.global.u64 %rd${i},[%a2+${8 * i}];`);
  for (const i of count(8)) out.push(`ld.global.f32 %f${i},[%a2+${4 * i}];`);
  for (const i of count(6)) out.push(`ld.global.f64 %fd${i},[%a2+${8 * i + 64}];`);
  for (const i of count(6)) out.push(`setp.gt.s32 %p${i},%r${i},${i};`);
  for (const i of count(4)) out.push(`cvt.u16.u32 %h${i},%r${i};`);
  const local = r.below(2) === 0;
  if (local) out.push("mov.u32 %r1,lo; add.u32 %l0,%l0,%r1;");
  let labels = 0;
  for (let i = 0; i < statements; i++) {
    const t = template(r, family);
    const s = statement(r, t);
    const guarded = r.below(8) === 0;
    const branch = r.below(20) === 0;
    if (!local && t.includes("local")) continue;
    const guard = guarded && !together.some((w) => s.startsWith(w)) ? `@${pick(r, ["", "!"])}%p${r.below(6)} ` : "";
    if (branch) out.push(`@%p${r.below(6)} bra X${labels};`);
    out.push(guard + s);
    if (branch) out.push(`X${labels++}:`);
  }
  for (const i of count(12)) out.push(`st.global.u32 [%a1+${4 * i}],%r${i};`);
  for (const i of count(8)) out.push(`st.global.u64 [%a2+${8 * i}],%rd${i};`);
  for (const i of count(8)) out.push(`st.global.f32 [%a2+${4 * i + 256}],%f${i};`);
  for (const i of count(6)) out.push(`st.global.f64 [%a2+${8 * i + 512}],%fd${i};`);
  for (const i of count(4)) out.push(`st.global.u16 [%a2+${2 * i + 640}],%h${i};`);
  for (const i of count(6)) out.push(`selp.b32 %r0,${i},${i + 9},%p${i}; st.global.u32 [%a1+${4 * i + 512}],%r0;`);
  out.push("ret;", "}");
}

/** Lines of a module of random kernels. */
export function randomKernel(seed: number, sm: string, size: Size = {}): string[] {
  const r = random(seed);
  const out = [
    ".version 9.0",
    `.target sm_${sm}`,
    ".address_size 64",
    ".global .align 8 .b8 g8[16];",
    ".const .align 16 .b8 co[512];",
  ];
  for (const k of count(size.kernels ?? 6)) body(r, out, `m${seed}_${k}`, size);
  return out;
}
