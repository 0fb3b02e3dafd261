/** Kernels of textures and surfaces. */
import { bitsOfLetter, expand, type Kernels } from "./template.js";

const TEXTURE = {
  before:
    [1, 2, 3, 4].map((i) => `ld.global.b32 %r${i},[%y2+${4 * (i - 1)}];`).join(" ") +
    [1, 2, 3, 4, 5, 6].map((i) => ` ld.global.f32 %f${i},[%y2+${4 * (i - 1)}];`).join("") +
    " ld.param.b64 %y12,[th];",
  parameters: ", .param .b64 th",
};

const store = (letter: string, n: number): string =>
  Array.from({ length: n }, (_, i) => `st.global.${bitsOfLetter(letter)} [%y3+${8 * i}],%${letter}${20 + i};`).join(
    " ",
  );
const vector = (letter: string, from: number, n: number): string =>
  `{${Array.from({ length: n }, (_, i) => `%${letter}${from + i}`).join(",")}}`;

const GEOMETRIES: readonly (readonly [string, number])[] = [
  ["1d", 1],
  ["2d", 2],
  ["3d", 4],
  ["a1d", 2],
  ["a2d", 4],
  ["cube", 4],
  ["acube", 4],
];

export function addTextures(k: Kernels): void {
  for (const [g, n] of GEOMETRIES)
    for (const type of ["f32", "s32"] as const) {
      if (type === "s32" && g.endsWith("cube")) continue;
      const c = Array.from({ length: n }, (_, i) => `%${type === "f32" ? "f" : "r"}${1 + i}`);
      if (g[0] === "a") c[0] = "%r1";
      const at = n > 1 ? `{${c.join(",")}}` : c[0]!;
      for (const result of ["v4.f32", "v4.s32", "v4.u32", "v2.f16x2", "v4.f16"]) {
        const size = Number(result[1]);
        const letter = result.endsWith("f32") ? "f" : result.endsWith(".f16") ? "h" : "r";
        const d = vector(letter, 20, size);
        const add = (op: string, before: string, rest: string, more = ""): void =>
          k.add(`${op}.${g}.${result}.${type} ${d}${before},[%y12,${at}]${rest};`, {
            ...TEXTURE,
            after: store(letter, size) + more,
          });
        for (const level of ["", ".base", ".level", ".grad"]) {
          if (type === "s32" && level === ".grad") continue;
          add(`tex${level}`, "", lodOf(level, g, n, type));
        }
        if (g === "2d" || g === "a2d") {
          add("tex", "", ",{%r1,%r2}");
          add("tex", "|%p1", "", " selp.b32 %r70,1,2,%p1; st.global.b32 [%y3+64],%r70;");
          add("tex", "", ",%f6");
        }
        if (type === "f32" && ["2d", "a2d", "cube", "acube"].includes(g))
          for (const q of "rgba") add(`tld4.${q}`, "", "");
      }
    }
  for (const g of ["2dms", "a2dms"])
    k.add(`tex.base.${g}.v4.f32.s32 {%f20,%f21,%f22,%f23},[%y12,{%r1,%r2,%r1,%r2}];`, {
      ...TEXTURE,
      after: store("f", 4),
    });
  const queries =
    "<width|height|depth|channel_data_type|channel_order|normalized_coords|array_size|num_mipmap_levels|num_samples>.b32";
  for (const op of expand(
    `<txq.${queries} %r20,[%y12]|suq.${queries} %r20,[%y12]|txq.level.${queries} %r20,[%y12],%x3>`,
  ))
    k.add(`${op};`, { ...TEXTURE, after: store("r", 1) });
  addSurfaces(k);
}

function lodOf(level: string, g: string, n: number, type: string): string {
  if (level === ".level") return type === "s32" ? ",%r4" : ",%f5";
  if (level !== ".grad") return "";
  if (g === "3d" || g.endsWith("cube")) return ",{%f1,%f2,%f3,%f4},{%f3,%f4,%f5,%f6}";
  return n > 1 && g !== "a1d" ? ",{%f1,%f2},{%f3,%f4}" : ",%f1,%f2";
}

function addSurfaces(k: Kernels): void {
  for (const [g, n] of GEOMETRIES.slice(0, 5)) {
    const at = n === 1 ? "%r1" : vector("r", 1, n);
    for (const clamp of ["trap", "clamp", "zero"]) {
      for (const [type, letter] of [
        ["b8", "h"],
        ["b16", "h"],
        ["b32", "r"],
        ["b64", "l"],
      ] as const)
        for (const v of [1, 2, 4]) {
          const d = v === 1 ? `%${letter}20` : vector(letter, 20, v);
          const full = `${v === 1 ? "" : `v${v}.`}${type}.${clamp}`;
          k.add(`suld.b.${g}.${full} ${d},[%y12,${at}];`, { ...TEXTURE, after: store(letter, v) });
          const loads = Array.from(
            { length: v },
            (_, i) => ` ld.global.${bitsOfLetter(letter)} %${letter}${20 + i},[%y2];`,
          );
          k.add(`sust.b.${g}.${full} [%y12,${at}],${d};`, { ...TEXTURE, before: TEXTURE.before + loads.join("") });
          if (v === 1 && type === "b32" && clamp === "trap")
            for (const q of ["cg", "cs", "ca", "cv"])
              k.add(`suld.b.${g}.${q}.${full} ${d},[%y12,${at}];`, { ...TEXTURE, after: store(letter, v) });
        }
      k.add(`sust.p.${g}.v4.b32.${clamp} [%y12,${at}],{%r1,%r2,%r3,%r4};`, TEXTURE);
      k.add(`sust.p.${g}.b32.${clamp} [%y12,${at}],%r3;`, TEXTURE);
      for (const o of expand("<add.<u32|s32|u64>|<min|max>.<u32|s32|u64|s64>|<and|or>.b32>")) {
        const [verb, type] = o.split(".") as [string, string];
        k.add(`sured.b.${verb}.${g}.${type}.${clamp} [%y12,${at}],${type.includes("64") ? "%y2" : "%r3"};`, TEXTURE);
        if (type.includes("32")) k.add(`sured.p.${verb}.${g}.b32.${clamp} [%y12,${at}],%r3;`, TEXTURE);
      }
    }
  }
}
