/** Kernels over textures, samplers and surfaces that PTX names, what is bound to the names, and what must come out. */
import type { LaunchOptions, Texture } from "../../lib/sim/index";

const WIDTH = 8;
const HEIGHT = 4;
const LANES = 4;
const ROWS = 16;

const head = (target: string, mode: string): string => `.version 9.0
.target ${target}${mode}
.address_size 64
`;

/** Names two textures and a surface; the second texture in a function, and again by its address. */
export const unified = (target: string): string => `${head(target, "")}
.global .texref never; .global .surfref s; .visible .global .u32 other; .global .texref b; .global .texref a;
.func (.reg .f32 %o) of_b(.reg .f32 %x) {
  .reg .f32 %g<4>;
  tex.2d.v4.f32.f32 {%o, %g1, %g2, %g3}, [b, {%x, %x}];
  ret;
}
.visible .entry first(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<9>; .reg .pred %p;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; cvt.u64.u32 %rd2, %r2; add.u64 %rd1, %rd1, %rd2;
  sust.b.1d.b32.trap [s, {%r2}], %r1;
  cvt.rn.f32.u32 %f1, %r1; add.f32 %f1, %f1, 0f3F000000;
  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [a, {%f1, %f1}]; st.global.f32 [%rd1], %f2;
  call (%f2), of_b, (%f1); st.global.f32 [%rd1+16], %f2;
  tex.2d.v4.f32.s32 {%f2, %f3, %f4, %f5}, [a, {%r1, 1}]; st.global.f32 [%rd1+32], %f2;
  mov.u64 %rd3, b;
  tex.2d.v4.f32.s32 {%f2, %f3, %f4, %f5}, [%rd3, {%r1, 2}]; st.global.f32 [%rd1+48], %f2;
  txq.width.b32 %r3, [a]; suq.width.b32 %r4, [s]; add.u32 %r3, %r3, %r4; st.global.u32 [%rd1+64], %r3;
  txq.channel_order.b32 %r5, [a]; suq.channel_order.b32 %r6, [s]; add.u32 %r5, %r5, %r6; st.global.u32 [%rd1+80], %r5;
  istypep.texref %p, %rd3; selp.u32 %r7, 1, 0, %p; st.global.u32 [%rd1+96], %r7;
  mov.u64 %rd3, s; istypep.texref %p, %rd3; selp.u32 %r7, 1, 0, %p; st.global.u32 [%rd1+112], %r7;
  bar.sync 0;
  suld.b.1d.b32.trap {%r8}, [s, {%r2}]; st.global.u32 [%rd1+128], %r8;
  ret;
}
.visible .entry second(.param .b8 large[44], .param .u64 out) {
  .reg .f32 %f<9>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [out];
  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [b, {0f3F000000, 0f3F000000}]; st.global.f32 [%rd1], %f2;
  ret;
}
.visible .entry third() { ret; }
`;

/** Two textures through two samplers. */
export const independent = (target: string): string => `${head(target, ", texmode_independent")}
.global .samplerref edge = { addr_mode_0 = clamp_to_edge, filter_mode = nearest };
.global .texref a; .global .texref b; .global .samplerref around; .global .surfref s;
.visible .entry first(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<9>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; cvt.u64.u32 %rd2, %r2; add.u64 %rd1, %rd1, %rd2;
  cvt.rn.f32.u32 %f1, %r1; mul.f32 %f1, %f1, 0f3EC00000;
  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [b, around, {%f1, 0f00000000}]; st.global.f32 [%rd1], %f2;
  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [a, edge, {%f1, 0f00000000}]; st.global.f32 [%rd1+16], %f2;
  tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [a, around, {%f1, 0f00000000}]; st.global.f32 [%rd1+32], %f2;
  tld4.r.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [b, edge, {%f1, 0f00000000}]; st.global.f32 [%rd1+48], %f5;
  txq.height.b32 %r3, [b]; st.global.u32 [%rd1+64], %r3;
  txq.channel_data_type.b32 %r3, [a]; st.global.u32 [%rd1+80], %r3;
  txq.normalized_coords.b32 %r3, [a]; st.global.u32 [%rd1+96], %r3;
  txq.addr_mode_0.b32 %r3, [around]; st.global.u32 [%rd1+112], %r3;
  txq.filter_mode.b32 %r3, [around]; st.global.u32 [%rd1+128], %r3;
  sust.b.1d.b32.trap [s, {%r2}], %r1;
  ret;
}
`;

const texels = (factor: number): Float32Array => Float32Array.from({ length: WIDTH * HEIGHT }, (_, i) => factor * i);
const texture = (factor: number, more: Partial<Texture> = {}): Texture => ({
  data: texels(factor),
  shape: "2d",
  size: [WIDTH, HEIGHT],
  type: "f32",
  channels: 1,
  normalized: true,
  ...more,
});

/** Runs `first`; buffers are made anew. */
export function launchOf(mode: "unified" | "independent"): {
  readonly options: LaunchOptions;
  readonly out: Float32Array;
} {
  const out = new Float32Array(LANES * ROWS);
  const own = mode === "independent";
  return {
    out,
    options: {
      kernel: "first",
      block: LANES,
      params: [out],
      references: {
        a: { texture: texture(1, { normalized: own }) },
        b: { texture: texture(100, { normalized: own }) },
        s: { surface: { data: new Uint32Array(WIDTH), shape: "1d", size: [WIDTH], type: "u32", channels: 1 } },
        edge: { texture: texture(0, { address: "clamp" }) },
        around: { texture: texture(0, { address: "wrap", filter: "linear" }) },
      },
    },
  };
}

const lanes = [0, 1, 2, 3];
const wrapped = (i: number): number => ((i % WIDTH) + WIDTH) % WIDTH;
const bits = (v: number): number => new Float32Array(Uint32Array.of(v).buffer)[0]!;

/** The first row of a texture between texels, around its ends; rows above and below it are the first and the last. */
function around(factor: number, x: number): number {
  const at = x * WIDTH - 0.5;
  const left = Math.floor(at);
  const share = at - left;
  const row = (y: number): number => factor * (y * WIDTH + (1 - share) * wrapped(left) + share * wrapped(left + 1));
  return (row(0) + row(HEIGHT - 1)) / 2;
}

/** What `first` must leave, by rows of four. */
export const expected: Readonly<Record<"unified" | "independent", readonly (readonly number[])[]>> = {
  unified: [
    lanes.map((l) => l * (WIDTH + 1)),
    lanes.map((l) => 100 * l * (WIDTH + 1)),
    lanes.map((l) => WIDTH + l),
    lanes.map((l) => 100 * (2 * WIDTH + l)),
    lanes.map(() => bits(2 * WIDTH)),
    lanes.map(() => bits(2 * 0x10b0)),
    lanes.map(() => bits(1)),
    lanes.map(() => 0),
    lanes.map((l) => bits(l)),
  ],
  independent: [
    lanes.map((l) => around(100, l * 0.375)),
    lanes.map((l) => Math.min(WIDTH - 1, Math.floor(l * 0.375 * WIDTH))),
    lanes.map((l) => around(1, l * 0.375)),
    // The lower left of four texels, whose upper row is the first as well: the one above it does not exist.
    lanes.map((l) => 100 * Math.max(0, Math.min(WIDTH - 1, Math.floor(l * 0.375 * WIDTH - 0.5)))),
    lanes.map(() => bits(HEIGHT)),
    lanes.map(() => bits(0x10de)),
    lanes.map(() => bits(1)),
    lanes.map(() => 0),
    lanes.map(() => bits(1)),
  ],
};
