/**
 * Every form of `tex`, `tld4`, `txq`, `suq`, `suld`, `sust` and `sured` as a kernel of one instruction, with objects, random operands for 32 threads and what must come out by
 * the reference (texture-reference.ts).
 */
import type { Surface, Texture } from "../../lib/sim/texture/object";
import { bits, bytesOf, half, looks, Random, real, SHAPE, SIZE, texels, textureOf } from "./texture-objects";
import { Canvas, Picture } from "./texture-reference";

export const THREADS = 32;
/** Words that a thread reads, and writes. */
const IN = 16;
const OUT = 4;

/** Words 0 to 3 are coordinates. */
const LOD = 4;
const REFERENCE = 5;
const OFFSETS = 6;
const DX = 9;
const DY = 12;
const DATA = 4;

export interface Form {
  readonly line: string;
  readonly after: string;
  readonly object: { readonly texture: Texture } | { readonly surface: Surface };
  /** Texels before. */
  readonly bytes: Uint8Array;
  readonly input: Uint32Array;
  /** What threads store, and the texels after. */
  readonly output: Uint32Array;
  readonly texels: Uint8Array;
}

// ------------------------------------------------------------------------------------------------ textures

/** Geometry and how many coordinates PTX names. */
const GEOMETRIES: readonly (readonly [string, number])[] = [
  ["1d", 1],
  ["2d", 2],
  ["3d", 4],
  ["a1d", 2],
  ["a2d", 4],
  ["cube", 4],
  ["acube", 4],
];
const withinOf: Readonly<Record<string, number>> = {
  "1d": 1,
  "2d": 2,
  "3d": 3,
  a1d: 1,
  a2d: 2,
  cube: 3,
  acube: 3,
  "2dms": 2,
  a2dms: 2,
};

interface Kind {
  readonly op: string;
  readonly g: string;
  readonly named: number;
  readonly result: string;
  readonly type: string;
  readonly level: string;
  readonly offsets: boolean;
  readonly reference: boolean;
  readonly predicate: boolean;
}

function texKinds(): Kind[] {
  const out: Kind[] = [];
  const plain = { offsets: false, reference: false, predicate: false };
  for (const [g, named] of GEOMETRIES)
    for (const type of ["f32", "s32"]) {
      const cube = g.endsWith("cube");
      if (type === "s32" && cube) continue;
      for (const result of ["v4.f32", "v4.s32", "v4.u32", "v2.f16x2", "v4.f16"])
        for (const level of ["", "base", "level", "grad"]) {
          if (level === "grad" && (type === "s32" || cube || g === "3d")) continue;
          const k = { op: "tex", g, named, result, type, level, ...plain };
          out.push(k);
          if (result !== "v4.f32" || level === "base") continue;
          out.push({ ...k, predicate: true });
          if (!cube) out.push({ ...k, offsets: true });
          if (type === "f32" && level !== "grad" && g !== "3d") {
            out.push({ ...k, reference: true });
            if (!cube) out.push({ ...k, reference: true, offsets: true });
          }
        }
      if (type === "f32" && ["2d", "a2d", "cube", "acube"].includes(g))
        for (const result of ["v4.f32", "v4.s32", "v4.u32"])
          for (const component of ["r", "g", "b", "a"]) {
            const k = { op: `tld4.${component}`, g, named, result, type, level: "", ...plain };
            out.push(k);
            if (result === "v4.f32" && component === "g" && !cube) out.push({ ...k, offsets: true });
            if (result === "v4.f32" && component === "r") out.push({ ...k, reference: true });
          }
    }
  for (const g of ["2dms", "a2dms"])
    for (const result of ["v4.f32", "v4.s32", "v4.u32"])
      out.push({ op: "tex", g, named: 4, result, type: "s32", level: "base", ...plain });
  return out;
}

/** Coordinates, level and offsets of one thread. */
function operands(k: Kind, t: Texture, random: Random): number[] {
  const w = new Array<number>(IN).fill(0);
  let at = 0;
  if (k.g.endsWith("2dms")) {
    w[0] = random.below(4);
    at = 1;
    if (k.g === "a2dms") w[at++] = random.below(3);
  } else if (k.g.startsWith("a")) w[at++] = random.below(4);
  for (let i = 0; i < withinOf[k.g]!; i++) {
    const n = t.size[i] ?? 8;
    if (k.type === "s32") w[at + i] = (random.below(n + 4) - 2) >>> 0;
    else if (k.g.endsWith("cube")) w[at + i] = bits((random.below(4001) - 2000) / 1024 + (i + 1) / 4096);
    else w[at + i] = bits(t.normalized ? (random.below(2048) - 768) / 512 : (random.below((n + 4) * 64) - 128) / 64);
  }
  w[LOD] = k.type === "s32" ? random.below(t.levels ?? 1) : bits((random.below(1024) - 200) / 256);
  w[REFERENCE] = bits((random.below(64) - 32) / 4);
  for (let i = 0; i < 3; i++) {
    w[OFFSETS + i] = (random.below(16) - 8) >>> 0;
    w[DX + i] = bits((random.below(256) - 128) / 1024);
    w[DY + i] = bits((random.below(256) - 128) / 1024);
  }
  return w;
}

function expected(k: Kind, p: Picture, w: readonly number[]): readonly number[] {
  const samples = k.g.endsWith("2dms");
  const array = k.g.startsWith("a");
  let at = samples ? 1 : 0;
  const layer = array ? w[at++]! : 0;
  const rest = w.slice(at, at + withinOf[k.g]!);
  const offsets = k.offsets ? w.slice(OFFSETS, OFFSETS + 3).map((x) => x | 0) : [0, 0, 0];
  if (k.type === "s32") {
    const level = k.level === "level" ? w[LOD]! | 0 : 0;
    return p.fetch(
      rest.map((x, i) => (x | 0) + offsets[i]!),
      layer,
      level,
      samples ? w[0]! : 0,
    );
  }
  const place = rest.map(real);
  const reference = k.reference ? real(w[REFERENCE]!) : null;
  if (k.op !== "tex") return p.gather(place, layer, "rgba".indexOf(k.op.at(-1)!), offsets, reference);
  if (k.level === "grad")
    return p.gradient(place, layer, w.slice(DX, DX + 3).map(real), w.slice(DY, DY + 3).map(real), offsets);
  return p.sample(place, layer, k.level === "level" ? real(w[LOD]!) : 0, offsets, reference);
}

function outWords(k: Kind, t: Texture, colour: readonly number[]): number[] {
  const float = t.type.startsWith("f") || t.read === "normalized";
  if (k.result.includes("f16")) {
    const h = colour.map(half);
    return k.result === "v4.f16" ? h : [h[0]! | (h[1]! << 16), h[2]! | (h[3]! << 16), 0, 0].map((x) => x >>> 0);
  }
  return colour.map((c) => (float ? bits(c) : c >>> 0));
}

const names = (list: readonly (string | number)[], braces = true): string =>
  braces ? `{${list.join(",")}}` : String(list[0]);

function texForm(k: Kind, n: number): Form {
  const random = new Random(n + 1);
  const choice = k.result.includes("f16") ? looks.halves! : /[su]32/.test(k.result) ? looks.integers! : looks.filtered!;
  const only = k.reference ? choice.filter((l) => l.type === "f32" || l.type === "f16") : choice;
  const t = textureOf(k.g, only[n % only.length]!, k.g.endsWith("2dms") ? 4 : 1);
  const bytes = texels(bytesOf(t), t.type, random);
  const picture = new Picture(t, bytes);
  const input = new Uint32Array(THREADS * IN);
  const output = new Uint32Array(THREADS * OUT);
  for (let i = 0; i < THREADS; i++) {
    const w = operands(k, t, random);
    input.set(w, i * IN);
    const out = outWords(k, t, expected(k, picture, w));
    if (k.predicate) out[3] = 1;
    output.set(out, i * OUT);
  }
  const within = withinOf[k.g]!;
  const vector = (from: number): string =>
    names(Array.from({ length: within === 3 ? 4 : within }, (_, i) => `%w${from + Math.min(i, 2)}`));
  const size = k.result.startsWith("v2") ? 2 : 4;
  const letter = k.result === "v4.f16" ? "h" : "d";
  const level = k.level === "level" ? `,%w${LOD}` : k.level === "grad" ? `,${vector(DX)},${vector(DY)}` : "";
  const more = (k.offsets ? `,${vector(OFFSETS)}` : "") + (k.reference ? `,%w${REFERENCE}` : "");
  const d = names(Array.from({ length: size }, (_, i) => `%${letter}${i}`)) + (k.predicate ? "|%q" : "");
  const op = [k.op, ...(k.level ? [k.level] : []), k.g, k.result, k.type].join(".");
  const at = names(Array.from({ length: k.named }, (_, i) => `%w${i}`));
  return {
    line: `${op} ${d},[%o,${at}]${level}${more};`,
    after:
      (letter === "h" ? [0, 1, 2, 3].map((i) => `cvt.u32.u16 %d${i},%h${i};`).join(" ") : "") +
      (k.predicate ? " selp.b32 %d3,1,0,%q;" : ""),
    object: { texture: t },
    bytes,
    input,
    output,
    texels: bytes,
  };
}

// ------------------------------------------------------------------------------------------------ surfaces

interface SurfaceKind {
  readonly op: string;
  readonly g: string;
  readonly named: number;
  /** `v2.b16`, `v4.b32`, type of a reduction. */
  readonly type: string;
  readonly clamp: string;
}

function surfaceKinds(): SurfaceKind[] {
  const out: SurfaceKind[] = [];
  for (const [g, named] of GEOMETRIES.slice(0, 5))
    for (const clamp of ["trap", "clamp", "zero"]) {
      const add = (op: string, type: string): void => {
        out.push({ op, g, named, type, clamp });
      };
      for (const type of ["b8", "b16", "b32", "b64"])
        for (const v of ["", "v2.", "v4."]) {
          if (type === "b64" && v === "v4.") continue;
          add("suld.b", v + type);
          add("sust.b", v + type);
        }
      if (clamp === "trap") for (const cache of ["cg", "cs", "ca", "cv"]) add("suld.b", `${cache}.b32`);
      for (const type of ["b32", "v2.b32", "v4.b32"]) add("sust.p", type);
      if (g.startsWith("a")) continue;
      for (const [op, types] of [
        ["add", ["u32", "s32", "u64"]],
        ["min", ["u32", "s32", "u64", "s64"]],
        ["max", ["u32", "s32", "u64", "s64"]],
        ["and", ["b32"]],
        ["or", ["b32"]],
      ] as const) {
        for (const type of types) add(`sured.b.${op}`, type);
        add(`sured.p.${op}`, "b32");
      }
    }
  return out;
}

function bytesOfType(type: string): { readonly count: number; readonly each: number } {
  return { count: Number(/v(\d)/.exec(type)?.[1] ?? 1), each: Number(/\d+$/.exec(type)![0]) / 8 };
}

function surfaceForm(k: SurfaceKind, n: number): Form {
  const random = new Random(7 * n + 5);
  const formatted = k.op.includes(".p");
  const { count, each } = bytesOfType(k.type);
  const total = count * each;
  const s: Surface = {
    data: { address: 0, bytes: 0 },
    shape: SHAPE[k.g]!,
    size: SIZE[k.g]!.map((x) => x + 3),
    ...(k.g.startsWith("a") ? { layers: 3 } : {}),
    type: n % 2 ? "u32" : "s32",
    channels: formatted ? (count as 1 | 2 | 4) : 4,
  };
  const bytes = texels(s.size.reduce((a, b) => a * b, 4 * s.channels) * (s.layers ?? 1), s.type, random);
  const canvas = new Canvas(s, bytes.slice());
  const input = new Uint32Array(THREADS * IN);
  const output = new Uint32Array(THREADS * OUT);
  const [op, , verb] = k.op.split(".");
  const slack = k.clamp === "trap" ? 0 : 2;
  const row = formatted ? s.size[0]! : (s.size[0]! * 4 * s.channels) / total;
  for (let i = 0; i < THREADS; i++) {
    const w = Array.from({ length: IN }, () => random.below(2 ** 32));
    const inside = (limit: number): number => random.below(limit + 2 * slack) - slack;
    const place = [
      inside(row) * (formatted ? 1 : total),
      ...s.size.slice(1).map(inside),
      ...(s.layers ? [inside(3)] : []),
    ];
    const ordered = s.layers ? [place.at(-1)!, ...place.slice(0, -1)] : place;
    ordered.forEach((x, c) => {
      w[c] = x >>> 0;
    });
    input.set(w, i * IN);
    // Elements below a register have one each; words of 64-bit ones stand in pairs.
    const data = new Uint8Array(new Uint32Array(w.slice(DATA, DATA + 8)).buffer);
    const packed = new Uint8Array(total);
    for (let e = 0; e < count; e++)
      packed.set(data.subarray(e * Math.max(4, each), e * Math.max(4, each) + each), e * each);
    if (op === "suld") {
      const got = canvas.load(place, total, k.clamp);
      const out = new Uint8Array(4 * OUT);
      for (let e = 0; e < count; e++) out.set(got.subarray(e * each, e * each + each), e * Math.max(4, each));
      output.set(new Uint32Array(out.buffer), i * OUT);
    } else if (op === "sust" && formatted) canvas.storeTexel(place, w.slice(DATA, DATA + count), k.clamp);
    else if (op === "sust") canvas.store(place, packed, k.clamp);
    else {
      const value = each === 8 ? BigInt(w[DATA]!) | (BigInt(w[DATA + 1]!) << 32n) : BigInt(w[DATA]!);
      const type = formatted && (verb === "min" || verb === "max") ? s.type : k.type;
      const at = formatted ? [place[0]! * 4, ...place.slice(1)] : place;
      canvas.reduce(at, verb!, type, value, k.clamp);
    }
  }
  const letter = each < 4 ? "h" : each === 8 ? "l" : "d";
  const list = Array.from({ length: count }, (_, i) => `%${letter}${i}`);
  const at = `[%o,${names(Array.from({ length: k.named }, (_, i) => `%w${i}`))}]`;
  const [family, kind] = k.op.split(".") as [string, string];
  const name =
    verb === undefined
      ? `${family}.${kind}.${k.g}.${k.type}.${k.clamp}`
      : `${family}.${kind}.${verb}.${k.g}.${k.type}.${k.clamp}`;
  const value = names(list, count > 1);
  const loads = list.map((r, i) =>
    letter === "l"
      ? `mov.b64 ${r},{%w${DATA + 2 * i},%w${DATA + 2 * i + 1}};`
      : letter === "h"
        ? `cvt.u16.u32 ${r},%w${DATA + i};`
        : `mov.b32 ${r},%w${DATA + i};`,
  );
  const reads = op === "suld";
  const unpack = list.map((r, i) =>
    letter === "l" ? `mov.b64 {%d${2 * i},%d${2 * i + 1}},${r};` : letter === "h" ? `cvt.u32.u16 %d${i},${r};` : "",
  );
  const clean = reads ? "" : [0, 1, 2, 3].map((i) => `mov.b32 %d${i},0;`).join(" ");
  return {
    line: reads ? `${name} ${value},${at};` : `${loads.join(" ")} ${name} ${at},${value}; ${clean}`,
    after: reads ? unpack.join(" ") : "",
    object: { surface: s },
    bytes,
    input,
    output,
    texels: canvas.bytes,
  };
}

// ------------------------------------------------------------------------------------------------ queries

function queryForm(op: string, query: string, level: boolean, n: number): Form {
  const texture: Texture = {
    data: { address: 0, bytes: 0 },
    shape: "3d",
    size: [9, 6, 5],
    type: "f32",
    channels: 2,
    levels: 3,
    normalized: true,
  };
  const surface: Surface = { data: { address: 0, bytes: 0 }, shape: "3d", size: [9, 6, 5], type: "f32", channels: 2 };
  const bytes = new Uint8Array(bytesOf(op === "txq" ? texture : (surface as Texture)));
  const input = new Uint32Array(THREADS * IN);
  const output = new Uint32Array(THREADS * OUT);
  const random = new Random(n);
  const k = ["width", "height", "depth"].indexOf(query);
  for (let i = 0; i < THREADS; i++) {
    input[i * IN + LOD] = random.below(3);
    output[i * OUT] = texture.size[k]! >> (level ? input[i * IN + LOD]! : 0);
  }
  return {
    line: `${op}${level ? ".level" : ""}.${query}.b32 %d0,[%o]${level ? `,%w${LOD}` : ""};`,
    after: "",
    object: op === "txq" ? { texture } : { surface },
    bytes,
    input,
    output,
    texels: bytes,
  };
}

/** Properties that the driver's records have, by the enumerations of the PTX ISA (txq; 5.3.3), and what kind a handle is of. */
function propertyForms(): Form[] {
  const base = {
    data: { address: 0, bytes: 0 },
    shape: "2d-layered",
    size: [5, 4],
    layers: 3,
    type: "s16",
    channels: 2,
  } as const;
  const texture: Texture = {
    ...base,
    filter: "linear",
    read: "normalized",
    normalized: true,
    levels: 2,
    address: ["wrap", "border"],
  };
  const surface: Surface = base;
  const bytes = new Uint8Array(bytesOf(texture));
  const constant = (line: string, value: number, object: Form["object"]): Form => {
    const output = new Uint32Array(THREADS * OUT);
    for (let i = 0; i < THREADS; i++) output[i * OUT] = value;
    return { line, after: "", object, bytes, input: new Uint32Array(THREADS * IN), output, texels: bytes };
  };
  const ofTexture: Readonly<Record<string, number>> = {
    channel_data_type: 0x10d1,
    channel_order: 0x10b2,
    normalized_coords: 1,
    array_size: 3,
    num_mipmap_levels: 2,
    num_samples: 0,
    filter_mode: 1,
    addr_mode_0: 0,
    addr_mode_1: 4,
    force_unnormalized_coords: 0,
  };
  const ofSurface: Readonly<Record<string, number>> = {
    channel_data_type: 0x10d8,
    channel_order: 0x10b2,
    array_size: 3,
    memory_layout: 0,
  };
  const kind = (name: string, object: Form["object"], value: number): Form =>
    constant(`istypep.${name} %q,%o; selp.b32 %d0,1,0,%q;`, value, object);
  return [
    ...Object.entries(ofTexture).map(([name, value]) => constant(`txq.${name}.b32 %d0,[%o];`, value, { texture })),
    ...Object.entries(ofSurface).map(([name, value]) => constant(`suq.${name}.b32 %d0,[%o];`, value, { surface })),
    kind("texref", { texture }, 1),
    kind("surfref", { texture }, 0),
    kind("samplerref", { texture }, 0),
    kind("surfref", { surface }, 1),
  ];
}

export function forms(): Form[] {
  const queries: Form[] = propertyForms();
  for (const query of ["width", "height", "depth"]) {
    queries.push(
      queryForm("txq", query, false, 1),
      queryForm("txq", query, true, 2),
      queryForm("suq", query, false, 3),
    );
  }
  return [...texKinds().map(texForm), ...surfaceKinds().map(surfaceForm), ...queries];
}

/** The kernel of a form; `held`: its handle is in a register as far as ptxas can tell. */
export function kernelOf(name: string, f: Form, held: boolean): string {
  const words = Array.from({ length: IN }, (_, i) => `ld.global.b32 %w${i},[%a+${4 * i}];`).join(" ");
  const stores = [0, 1, 2, 3].map((i) => `st.global.b32 [%b+${4 * i}],%d${i};`).join(" ");
  return `.visible .entry ${name}(.param .u64 pi, .param .u64 po, .param .u64 ph, .param .u64 pz)
{ .reg .b64 %a, %b, %o, %z, %i, %l<4>; .reg .b32 %w<${IN}>, %d<4>, %t; .reg .b16 %h<4>; .reg .pred %q;
  ld.param.u64 %a, [pi]; ld.param.u64 %b, [po]; ld.param.u64 %o, [ph]; ld.param.u64 %z, [pz];
  mov.u32 %t, %tid.x; mul.wide.u32 %i, %t, ${4 * IN}; add.u64 %a, %a, %i; mul.wide.u32 %i, %t, ${4 * OUT}; add.u64 %b, %b, %i;
  ${held ? "ld.global.u64 %z, [%z]; add.u64 %o, %o, %z;" : ""}
  ${words}
  mov.b32 %d0, 0; mov.b32 %d1, 0; mov.b32 %d2, 0; mov.b32 %d3, 0;
  ${f.line}
  ${f.after}
  ${stores}
  ret; }
`;
}
