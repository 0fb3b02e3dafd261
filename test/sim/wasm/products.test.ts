/**
 * Matrix products translated and in closures, in loops that change some of the factors' registers: what is kept of factors between products must be that of
 * their registers now. Factors of small integers, whose sums are made in integers, of all sizes, and with infinities and NaNs.
 */
import { compile } from "../../../lib/compile.js";
import { type EngineChoice, simulate } from "../../../lib/sim/index.js";
import { random } from "../../corpus/random.js";

interface Form {
  readonly text: string;
  readonly a: number;
  readonly b: number;
  /** 16-bit halves, or words, of a factor; what lies in both is for all types. */
  readonly bits: 8 | 16 | 32;
  /** Registers of an accumulator; default 4. */
  readonly d?: number;
}

const forms: readonly Form[] = [
  { text: "m16n8k16.row.col.f32.f16.f16.f32", a: 4, b: 2, bits: 16 },
  { text: "m16n8k8.row.col.f32.f16.f16.f32", a: 2, b: 1, bits: 16 },
  { text: "m16n8k16.row.col.f16.f16.f16.f16", a: 4, b: 2, bits: 16, d: 2 },
  { text: "m16n8k8.row.col.f16.f16.f16.f16", a: 2, b: 1, bits: 16, d: 2 },
  { text: "m16n8k16.row.col.f32.bf16.bf16.f32", a: 4, b: 2, bits: 16 },
  { text: "m16n8k8.row.col.f32.tf32.tf32.f32", a: 4, b: 2, bits: 32 },
  { text: "m16n8k4.row.col.f32.tf32.tf32.f32", a: 2, b: 1, bits: 32 },
  { text: "m8n8k16.row.col.s32.s8.u8.s32", a: 1, b: 1, bits: 8, d: 2 },
  { text: "m16n8k32.row.col.s32.s8.u8.s32", a: 4, b: 2, bits: 8 },
  { text: "m16n8k16.row.col.satfinite.s32.u8.s8.s32", a: 2, b: 1, bits: 8 },
];

const list = (name: string, from: number, n: number): string =>
  `{${Array.from({ length: n }, (_, i) => `%${name}${from + i}`).join(", ")}}`;

/** Two products share A, one of them in turns with another B; a register of A, and one of the second B, changes in each turn. */
function ptx({ text, a, b, d: n = 4 }: Form): string {
  const load = (name: string, n: number, from: number): string =>
    Array.from({ length: n }, (_, i) => `ld.global.b32 %${name}${i}, [%p+${128 * (from + i)}];`).join("\n");
  const mma = (d: number, from: number): string =>
    `mma.sync.aligned.${text} ${list("d", d, n)}, ${list("a", 0, a)}, ${list("b", from, b)}, ${list("d", d, n)};`;
  return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 %a<4>, %b<4>, %d<8>, %i, %t, %n<2>; .reg .b64 %p, %q; .reg .pred %more;
  ld.param.u64 %p, [in];
  ld.param.u64 %q, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %p, %t, 4, %p;
  mad.wide.u32 %q, %t, 4, %q;
  ${load("a", a, 0)}
  ${load("b", 2 * b, 4)}
  ${load("d", 8, 8)}
  mov.u32 %i, 0;
again:
  ${mma(0, 0)}
  ${mma(4, b)}
  ld.global.b32 %n0, [%p+${128 * 16}];
  and.b32 %n1, %i, 1;
  mad.lo.u32 %n0, %n0, %n1, 0;
  xor.b32 %a${a - 1}, %a${a - 1}, %n0;
  xor.b32 %b${b}, %b${b}, %n0;
  ${mma(0, 0)}
  add.u32 %i, %i, 1;
  setp.lt.u32 %more, %i, 6;
  @%more bra again;
  ${Array.from({ length: 8 }, (_, i) => `st.global.b32 [%q+${128 * i}], %d${i};`).join("\n  ")}
  ret;
}`;
}

/** Words of 17 rows of 32 lanes. */
function input(kind: string, { bits }: Form, seed: number): Uint32Array {
  const r = random(seed);
  const small16 = [0, 0x3c00, 0xbc00, 0x4000, 0x4200, 0xc500, 0x3800, 0x8000];
  const small32 = [0, 0x3f800000, 0xbf800000, 0x40000000, 0x40400000, 0xc0a00000, 0x3f000000, 0x80000000];
  const word = (): number => (r.below(0x10000) | (r.below(0x10000) << 16)) >>> 0;
  const finite = (): number => (bits === 16 ? word() & 0xbfffbfff : word() & 0xbfffffff) >>> 0;
  return Uint32Array.from({ length: 32 * 17 }, (_, i) => {
    // The last row changes a factor: nothing, or a sign.
    if (i >= 32 * 16) return kind === "small" ? 0x80000000 : word() & 0x83ff03ff;
    if (kind === "all" || bits === 8) return word();
    if (kind === "finite") return finite();
    const of = (table: readonly number[]): number => table[r.below(8)]!;
    return bits === 32 ? of(small32) : (of(small16) | (of(small16) << 16)) >>> 0;
  });
}

test.each(forms)("$text", (form) => {
  const { cubin, diagnostics } = compile(ptx(form), { target: "sm_90" });
  expect(diagnostics.filter((d) => d.severity === "error")).toEqual([]);
  for (const kind of ["small", "finite", "all"])
    for (let seed = 1; seed <= 3; seed++) {
      const run = (engine: EngineChoice): Uint32Array => {
        const out = new Uint32Array(32 * 8);
        const ran = simulate(cubin!, { block: 32, params: [input(kind, form, seed), out], engine });
        if (!ran.ok || ran.value.fault !== null) throw new Error("not run");
        return out;
      };
      expect(run("wasm")).toEqual(run("closures"));
    }
});
