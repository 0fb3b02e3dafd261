/**
 * Matrix products translated and in closures, in loops that change some of the factors' registers: what is kept of factors between products must be that of
 * their registers now. Factors of small integers, whose sums are made in integers, of all sizes, and with infinities and NaNs; of f64 with factors of few bits and of all.
 */
import { compile } from "../../../lib/compile.js";
import { readCubin } from "../../../lib/elf/cubin/read.js";
import { Device, type EngineChoice } from "../../../lib/sim/index.js";
import { load } from "../../../lib/sim/load.js";
import { GlobalMemory } from "../../../lib/sim/memory.js";
import type { Program } from "../../../lib/sim/program.js";
import { productOf } from "../../../lib/sim/wasm/products.js";
import { siteOf } from "../../../lib/sim/wasm/segments.js";
import type { TargetName } from "../../../lib/target/index.js";
import { random } from "../../corpus/random.js";

interface Form {
  readonly text: string;
  readonly a: number;
  readonly b: number;
  /** What a factor is made of: bytes and less, 8-bit floats, 16-bit halves, words, f64. */
  readonly of: "bits" | "float8" | "half" | "word" | "double";
  /** Registers of an accumulator; default 4. */
  readonly d?: number;
  readonly target?: TargetName;
  /** Has metadata. */
  readonly sparse?: true;
  /** Bytes and threads of the scales of A and B. */
  readonly scaled?: string;
}

const ada = "sm_89";
const ampere = "sm_80";
const consumer = "sm_120a";

/** A block-scaled product. */
function block(kind: string, rest: string, scaled: string, sparse?: true): Form[] {
  const text = `${kind}.block_scale.scale_vec::${rest}`;
  return [{ text, a: 4, b: sparse ? 4 : 2, of: "float8", target: consumer, scaled, ...(sparse ? { sparse } : {}) }];
}

const forms: readonly Form[] = [
  { text: "m16n8k16.row.col.f32.f16.f16.f32", a: 4, b: 2, of: "half" },
  { text: "m16n8k8.row.col.f32.f16.f16.f32", a: 2, b: 1, of: "half" },
  { text: "m16n8k16.row.col.f16.f16.f16.f16", a: 4, b: 2, of: "half", d: 2 },
  { text: "m16n8k8.row.col.f16.f16.f16.f16", a: 2, b: 1, of: "half", d: 2 },
  { text: "m16n8k16.row.col.f32.bf16.bf16.f32", a: 4, b: 2, of: "half" },
  { text: "m16n8k8.row.col.f32.tf32.tf32.f32", a: 4, b: 2, of: "word" },
  { text: "m16n8k4.row.col.f32.tf32.tf32.f32", a: 2, b: 1, of: "word" },
  { text: "m8n8k16.row.col.s32.s8.u8.s32", a: 1, b: 1, of: "bits", d: 2 },
  { text: "m16n8k32.row.col.s32.s8.u8.s32", a: 4, b: 2, of: "bits" },
  { text: "m16n8k16.row.col.satfinite.s32.u8.s8.s32", a: 2, b: 1, of: "bits" },
  { text: "m8n8k32.row.col.s32.s4.u4.s32", a: 1, b: 1, of: "bits", d: 2, target: ampere },
  { text: "m16n8k32.row.col.satfinite.s32.u4.s4.s32", a: 2, b: 1, of: "bits", target: ampere },
  { text: "m16n8k64.row.col.s32.s4.s4.s32", a: 4, b: 2, of: "bits", target: ampere },
  { text: "m16n8k64.row.col.s32.u4.u4.s32", a: 4, b: 2, of: "bits", target: ampere },
  { text: "m8n8k128.row.col.s32.b1.b1.s32.and.popc", a: 1, b: 1, of: "bits", d: 2, target: ampere },
  { text: "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", a: 1, b: 1, of: "bits", d: 2, target: ampere },
  { text: "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", a: 2, b: 1, of: "bits", target: ampere },
  { text: "m16n8k256.row.col.s32.b1.b1.s32.and.popc", a: 4, b: 2, of: "bits", target: ampere },
  { text: "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", a: 4, b: 2, of: "bits", target: ampere },
  { text: "m16n8k32.row.col.f32.e4m3.e5m2.f32", a: 4, b: 2, of: "float8", target: ada },
  { text: "m16n8k32.row.col.f32.e5m2.e4m3.f32", a: 4, b: 2, of: "float8", target: ada },
  { text: "m16n8k16.row.col.f32.e4m3.e4m3.f32", a: 2, b: 1, of: "float8", target: ada },
  { text: "m16n8k32.row.col.f16.e5m2.e4m3.f16", a: 4, b: 2, of: "float8", d: 2, target: ada },
  { text: "m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32", a: 4, b: 2, of: "float8", target: "sm_120a" },
  { text: "m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32", a: 4, b: 2, of: "float8", target: "sm_120a" },
  { text: "m16n8k32.row.col.kind::f8f6f4.f16.e2m3.e2m1.f16", a: 4, b: 2, of: "float8", d: 2, target: "sm_120a" },
  { text: "m16n8k32.row.col.f32.f16.f16.f32", a: 4, b: 4, of: "half", sparse: true },
  { text: "m16n8k16.row.col.f32.bf16.bf16.f32", a: 2, b: 2, of: "half", sparse: true },
  { text: "m16n8k16.row.col.f16.f16.f16.f16", a: 2, b: 2, of: "half", d: 2, sparse: true },
  { text: "m16n8k16.row.col.f32.tf32.tf32.f32", a: 4, b: 4, of: "word", sparse: true },
  { text: "m16n8k8.row.col.f32.tf32.tf32.f32", a: 2, b: 2, of: "word", sparse: true },
  { text: "m16n8k64.row.col.s32.s8.u8.s32", a: 4, b: 4, of: "bits", sparse: true },
  { text: "m16n8k32.row.col.satfinite.s32.u8.s8.s32", a: 2, b: 2, of: "bits", sparse: true },
  { text: "m16n8k64.row.col.s32.s4.u4.s32", a: 2, b: 2, of: "bits", target: ampere, sparse: true },
  { text: "m16n8k128.row.col.s32.u4.s4.s32", a: 4, b: 4, of: "bits", target: ampere, sparse: true },
  { text: "m16n8k64.row.col.f32.e4m3.e5m2.f32", a: 4, b: 4, of: "float8", target: ada, sparse: true },
  { text: "m16n8k64.row.col.f32.e5m2.e5m2.f32", a: 4, b: 4, of: "float8", target: ada, sparse: true },
  { text: "m16n8k64.row.col.f16.e4m3.e4m3.f16", a: 4, b: 4, of: "float8", d: 2, target: consumer, sparse: true },
  {
    text: "m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32",
    a: 4,
    b: 4,
    of: "float8",
    target: consumer,
    sparse: true,
  },
  ...block("m16n8k32.row.col.kind::mxf8f6f4", "1X.f32.e4m3.e2m1.f32.ue8m0", "{1,0} {2,3}"),
  ...block("m16n8k32.row.col.kind::mxf8f6f4", "1X.f32.e5m2.e5m2.f32.ue8m0", "{3,1} {0,2}"),
  ...block("m16n8k32.row.col.kind::mxf8f6f4", "1X.f32.e2m3.e3m2.f32.ue8m0", "{0,0} {3,1}"),
  ...block("m16n8k64.row.col.kind::mxf8f6f4", "1X.f32.e5m2.e4m3.f32.ue8m0", "{2,0} {1,3}", true),
  ...block("m16n8k64.row.col.kind::mxf4", "2X.f32.e2m1.e2m1.f32.ue8m0", "{2,1} {0,3}"),
  ...block("m16n8k64.row.col.kind::mxf4nvf4", "2X.f32.e2m1.e2m1.f32.ue8m0", "{0,0} {2,2}"),
  ...block("m16n8k64.row.col.kind::mxf4nvf4", "4X.f32.e2m1.e2m1.f32.ue4m3", "{0,1} {0,3}"),
  ...block("m16n8k128.row.col.kind::mxf4", "2X.f32.e2m1.e2m1.f32.ue8m0", "{0,1} {2,2}", true),
  ...block("m16n8k128.row.col.kind::mxf4nvf4", "4X.f32.e2m1.e2m1.f32.ue4m3", "{0,1} {0,2}", true),
  ...["row.col", "row.row", "col.row", "col.col"].map((order, i): Form => {
    const types = ["f32.f16.f16.f32", "f32.f16.f16.f16", "f16.f16.f16.f16", "f32.f16.f16.f32"][i]!;
    return { text: `m8n8k4.${order}.${types}`, a: 2, b: 2, of: "half", d: i === 2 ? 4 : 8, target: "sm_75" };
  }),
  { text: "m8n8k4.row.col.f64.f64.f64.f64", a: 1, b: 1, of: "double", d: 2 },
  { text: "m8n8k4.row.col.f64.f64.f64.f64", a: 1, b: 1, of: "double", d: 2, target: ampere },
  { text: "m16n8k4.row.col.f64.f64.f64.f64", a: 2, b: 1, of: "double" },
  { text: "m16n8k8.row.col.f64.f64.f64.f64", a: 4, b: 2, of: "double" },
  { text: "m16n8k16.row.col.f64.f64.f64.f64", a: 8, b: 4, of: "double" },
];

const list = (name: string, from: number, n: number): string =>
  `{${Array.from({ length: n }, (_, i) => `%${name}${from + i}`).join(", ")}}`;

/** Two products share A, one of them in turns with another B; a register of A, and one of the second B, changes in each turn. */
function ptx({ text, a, b, d: n = 4, of, target = "sm_90", sparse, scaled }: Form): string {
  const bits = of === "double" ? 64 : 32;
  const row = 4 * bits;
  const load = (name: string, n: number, from: number): string =>
    Array.from({ length: n }, (_, i) => `ld.global.b${bits} %${name}${i}, [%p+${row * (from + i)}];`).join("\n");
  const order = sparse === undefined ? "" : target === consumer ? ".sp::ordered_metadata" : ".sp";
  const scales = scaled === undefined ? "" : `, %s0, ${scaled.replace(" ", ", %s1, ")}`;
  // An f32 accumulator of 8 × 8 × 4 may begin with an f16 one.
  const isMixed = text.endsWith("f32.f16.f16.f16");
  const second = Math.max(4, n);
  const mma = (d: number, from: number): string =>
    `mma${order}.sync.aligned.${text} ${list("d", d, n)}, ${list("a", 0, a)}, ${list("b", from, b)}, ${list("d", d, isMixed ? 4 : n)}${sparse ? ", %e, 0" : ""}${scales};`;
  return `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b${bits} %a<8>, %b<8>, %d<16>, %n<2>; .reg .b32 %e, %i, %t, %w, %s<2>; .reg .b64 %p, %q; .reg .pred %more, %odd;
  ld.param.u64 %p, [in];
  ld.param.u64 %q, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %p, %t, ${bits / 8}, %p;
  mad.wide.u32 %q, %t, ${bits / 8}, %q;
  ${load("a", a, 0)}
  ${load("b", 2 * b, 8)}
  ${load("d", 8, 16)}
  ${Array.from({ length: 8 }, (_, i) => `mov.b${bits} %d${8 + i}, %d${7 - i};`).join("\n  ")}
  ${sparse ? `ld.global.b32 %e, [%p+${row * 23}];` : ""}
  ${scaled ? `ld.global.b32 %s0, [%p+${row * 25}];` : ""}
  ${scaled ? `ld.global.b32 %s1, [%p+${row * 26}];` : ""}
  mov.u32 %i, 0;
again:
  ${mma(0, 0)}
  ${mma(second, b)}
  ld.global.b${bits} %n0, [%p+${row * 24}];
  and.b32 %w, %i, 1;
  setp.ne.u32 %odd, %w, 0;
  selp.b${bits} %n0, %n0, 0, %odd;
  xor.b${bits} %a${a - 1}, %a${a - 1}, %n0;
  xor.b${bits} %b${b}, %b${b}, %n0;
  ${mma(0, 0)}
  add.u32 %i, %i, 1;
  setp.lt.u32 %more, %i, 6;
  @%more bra again;
  ${Array.from({ length: n === 8 ? 16 : 8 }, (_, i) => `st.global.b${bits} [%q+${row * i}], %d${i};`).join("\n  ")}
  ret;
}`;
}

const ROWS = 27;

/** Four scales: near 1, up to 2^20 (e4m3: 2^8) away from it, of all sizes, also 0, infinite and no numbers. */
function scales(kind: string, r: ReturnType<typeof random>): number {
  const one = (): number => {
    if (kind === "small") return 126 + r.below(3);
    if (kind === "finite") return 107 + r.below(41);
    if (kind === "sizes") return r.below(255);
    return r.below(4) === 0 ? [0, 0x7f, 0x80, 255][r.below(4)]! : r.below(256);
  };
  return (one() | (one() << 8) | (one() << 16) | (one() << 24)) >>> 0;
}

/** Of f64: small numbers of few bits, the same with signs that cancel out, numbers of all lengths near 1, of all sizes, any bits, special ones. */
function doubles(kind: string, seed: number): Float64Array {
  const r = random(seed);
  const bits = new Uint32Array(2);
  const value = new Float64Array(bits.buffer);
  const any = (): number => {
    bits.set([r.below(0x10000) * 0x10000 + r.below(0x10000), r.below(0x10000) * 0x10000 + r.below(0x10000)]);
    return value[0]!;
  };
  const long = (exponent: number): number => {
    const x = any();
    return (x < 0 ? -1 : 1) * (2 ** 52 + (bits[0]! + (bits[1]! & 0xfffff) * 2 ** 32)) * 2 ** (exponent - 52);
  };
  const special = [0, -0, Infinity, -Infinity, NaN, 5e-324, -5e-324, 2 ** -1022, 2 ** 1023, 2 ** -600, 2 ** 600, 1];
  return Float64Array.from({ length: 32 * ROWS }, (_, i) => {
    if (i >= 32 * 24) {
      // The last row changes a factor: its sign, or its lower bits.
      bits.set([kind === "small" ? 0 : r.below(0x10000), 0x80000000]);
      return value[0]!;
    }
    if (kind === "small") return (r.below(4001) - 2000) / 64;
    if (kind === "finite") return i & 32 ? long(0) : -long(r.below(3));
    if (kind === "sizes") return long(r.below(1400) - 700);
    return r.below(3) === 0 ? special[r.below(special.length)]! : any();
  });
}

/** Words of the rows of 32 lanes. */
function input(kind: string, { of }: Form, seed: number): Uint32Array {
  if (of === "double") return new Uint32Array(doubles(kind, seed).buffer);
  const r = random(seed);
  const small16 = [0, 0x3c00, 0xbc00, 0x4000, 0x4200, 0xc500, 0x3800, 0x8000];
  const small32 = [0, 0x3f800000, 0xbf800000, 0x40000000, 0x40400000, 0xc0a00000, 0x3f000000, 0x80000000];
  const word = (): number => (r.below(0x10000) | (r.below(0x10000) << 16)) >>> 0;
  const masks = { bits: -1, float8: 0xbfbfbfbf, half: 0xbfffbfff, word: 0xbfffffff };
  return Uint32Array.from({ length: 32 * ROWS }, (_, i) => {
    if (i >= 32 * 25) return scales(kind, r);
    // The row before scales changes a factor: nothing, or a sign.
    if (i >= 32 * 24) return kind === "small" ? 0x80000000 : word() & 0x83ff03ff;
    if (kind === "all" || of === "bits") return word();
    if (kind !== "small") return word() & masks[of];
    const among = (table: readonly number[]): number => table[r.below(8)]!;
    if (of === "float8") return word() & 0x81838381;
    return of === "word" ? among(small32) : (among(small16) | (among(small16) << 16)) >>> 0;
  });
}

/** The program of a cubin, loaded once more. */
function programIn(cubin: Uint8Array): Program {
  const parsed = readCubin(cubin);
  const loaded = parsed.ok ? load(parsed.value, new GlobalMemory()) : parsed;
  if (!loaded.ok) throw new Error("not loaded");
  return loaded.value.program;
}

test.each(forms)("$text $target", (form) => {
  const { cubin, diagnostics } = compile(ptx(form), { target: form.target ?? "sm_90" });
  expect(diagnostics.filter((d) => d.severity === "error")).toEqual([]);
  const device = new Device();
  const module = device.load(cubin!);
  if (!module.ok) throw new Error("not loaded");
  const program = programIn(cubin!);
  const products = program.insts.flatMap((inst, i) => (inst?.form.op.endsWith("MMA") ? [siteOf(program, i)] : []));
  expect(products.map(productOf)).not.toContain(null);
  expect(products.length).toBeGreaterThan(2);
  for (const kind of ["small", "finite", "sizes", "all"])
    for (let seed = 1; seed <= 3; seed++) {
      const run = (engine: EngineChoice): Uint32Array => {
        const out = new Uint32Array(32 * 16);
        const ran = device.launch(module.value, { block: 32, params: [input(kind, form, seed), out], engine });
        if (!ran.ok || ran.value.fault !== null) throw new Error("not run");
        return out;
      };
      expect(run("wasm")).toEqual(run("closures"));
    }
});
