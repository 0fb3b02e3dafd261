/** Kernels for knobs whose instructions the corpus does not have: pairs of independent matrix products among other work. */

const head = (target: string): string => `.version 8.0\n.target ${target}\n.address_size 64\n`;
const each = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join("\n");

/** Four products of one kind on registers that loads fill, sums of their results between them. */
function products(
  type: string,
  file: "b32" | "f64",
  counts: readonly [d: number, a: number, b: number, c: number],
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
${each(4, one)}
${each(4, (k) => `${store} [%rd1+${1024 + size * k}], ${r}${(file === "f64" ? 300 : 320) + k};`)}
${each(4, (k) => each(d, (i) => `${store} [%rd1+${2048 + 128 * k + size * i}], ${r}${200 + 10 * k + i};`))}
ret;
}
`;
}

export const kernels: Readonly<Record<string, string>> = {
  hmma1688: products("m16n8k8.row.col.f16.f16.f16.f16", "b32", [2, 2, 1, 2]),
  imma: products("m8n8k16.row.col.s32.s8.s8.s32", "b32", [2, 1, 1, 2]),
  dmma: products("m8n8k4.row.col.f64.f64.f64.f64", "f64", [2, 1, 1, 2]),
  /** A barrier between work on both of its sides. */
  barrier: `${head("sm_75")}.visible .entry k(.param .u64 p)
{
.reg .b64 %rd<4>; .reg .b32 %r<40>;
.shared .align 4 .b8 s[64];
ld.param.u64 %rd1, [p];
ld.global.u32 %r1, [%rd1];
st.shared.u32 [s], %r1;
bar.sync 0;
ld.shared.u32 %r2, [s];
mul.lo.s32 %r3, %r1, %r1; mul.lo.s32 %r4, %r3, %r3; mul.lo.s32 %r5, %r4, %r2;
st.global.u32 [%rd1], %r5;
ret;
}
`,
};
