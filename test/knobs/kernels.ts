/** Kernels for knobs whose instructions the corpus does not have: pairs of independent matrix products among other work. */

const head = (target: string): string => `.version 8.0\n.target ${target}\n.address_size 64\n`;
const each = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join("\n");

/** Some products of one kind on registers that loads fill, sums of their results between them: short blocks keep their order whatever a knob says. */
function products(
  type: string,
  file: "b32" | "f64",
  counts: readonly [d: number, a: number, b: number, c: number],
  times = 4,
): string {
  const [d, a, b, c] = counts;
  const r = file === "f64" ? "%fd" : "%r";
  const load = file === "f64" ? "ld.global.f64" : "ld.global.u32";
  const store = file === "f64" ? "st.global.f64" : "st.global.u32";
  const size = file === "f64" ? 8 : 4;
  const group = (base: number, n: number): string =>
    n === 1
      ? `${file === "f64" ? "{" : "{"}${r}${base}}`
      : `{${Array.from({ length: n }, (_, i) => `${r}${base + i}`).join(",")}}`;
  const inputs = a + b + c;
  const one = (k: number): string => {
    const to = 200 + 10 * k;
    return `mma.sync.aligned.${type} ${group(to, d)}, ${group(0, a)}, ${group(a, b)}, ${group(a + b, c)};
${file === "f64" ? `add.f64 %fd${300 + k}, %fd${to}, %fd0;` : `xor.b32 %r${300 + k}, %r${to}, %r0;\nmul.lo.s32 %r${320 + k}, %r${300 + k}, %r1;`}`;
  };
  return `${head("sm_80")}.visible .entry k(.param .u64 p)
{
.reg .b64 %rd<4>; .reg .b32 %r<400>; .reg .f64 %fd<400>;
ld.param.u64 %rd1, [p];
${each(inputs, (i) => `${load} ${r}${i}, [%rd1+${size * i}];`)}
${each(times, one)}
${each(times, (k) => `${store} [%rd1+${1024 + size * k}], ${r}${(file === "f64" ? 300 : 320) + k};`)}
${each(times, (k) => each(d, (i) => `${store} [%rd1+${2048 + 128 * k + size * i}], ${r}${200 + 10 * k + i};`))}
ret;
}
`;
}

export const kernels: Readonly<Record<string, string>> = {
  hmma1688: products("m16n8k8.row.col.f16.f16.f16.f16", "b32", [2, 2, 1, 2]),
  imma: products("m8n8k16.row.col.s32.s8.s8.s32", "b32", [2, 1, 1, 2]),
  dmma: products("m8n8k4.row.col.f64.f64.f64.f64", "f64", [2, 1, 1, 2], 8),
};
