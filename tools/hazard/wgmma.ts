/**
 * PTX kernels with products of warp groups (wgmma, sm_90a), as small as the question allows: what stands between
 * WARPGROUP.ARRIVE, the products, their group's end and WARPGROUP.DEPBAR in ptxas's code. They need not compute anything.
 */

interface Kernel {
  readonly name: string;
  readonly ptx: string;
}

const fence = "wgmma.fence.sync.aligned;";
const commit = "wgmma.commit_group.sync.aligned;";
const wait = (n: number): string => `wgmma.wait_group.sync.aligned ${n};`;

const list = (n: number, make: (i: number) => string, between = ", "): string =>
  Array.from({ length: n }, (_, i) => make(i)).join(between);

interface Shape {
  readonly n: number;
  /** Element type; default bf16. */
  readonly type?: "bf16" | "f16" | "tf32" | "e4m3" | "s8" | "b1";
  /** Of the accumulator; default f32 (s32 for integers). */
  readonly acc?: "f32" | "f16" | "s32";
}

const depth = { bf16: 16, f16: 16, tf32: 8, e4m3: 32, s8: 32, b1: 256 } as const;

/** Accumulator registers `%<d>0 …` of a thread. */
function count({ n, type = "bf16", acc }: Shape): number {
  return acc === "f16" && type !== "s8" && type !== "b1" ? n / 4 : n / 2;
}

/** `d += a * b`, with a as descriptor (`%rd2`) or as four registers (`{%r0, …}`); `scale` 0 drops the old d. */
function product(shape: Shape, d: string, a: string, b: string, scale = "1"): string {
  const { n, type = "bf16" } = shape;
  const integer = type === "s8" || type === "b1";
  const acc = integer ? "s32" : (shape.acc ?? "f32");
  const regs = `{${list(count(shape), (i) => `%${d}${i}`)}}`;
  const name = `wgmma.mma_async.sync.aligned.m64n${n}k${depth[type]}.${acc}.${type}.${type}${type === "b1" ? ".and.popc" : ""}`;
  const signs = integer ? "" : ", 1, 1";
  const transposed = type === "f16" || type === "bf16" ? (a.startsWith("{") ? ", 0" : ", 0, 0") : "";
  return `${name} ${regs}, ${a}, ${b}, ${scale}${signs}${transposed};`;
}

const each = (n: number, make: (i: number) => string): string => list(n, make, "\n");
const clear = (d: string, n: number, type = "f32"): string =>
  each(n, (i) => `mov.${type} %${d}${i}, ${type === "f32" ? "0f00000000" : "0"};`);
const store = (d: string, n: number, type = "f32", from = 0): string =>
  each(n, (i) => `st.global.${type} [%rd5+${from + 512 * i}], %${d}${i};`);

/** `%rd2`, `%rd3`: descriptors; `%rd5`: where a thread stores; `%r1`: a number from outside. */
function kernel(name: string, registers: string, body: string): Kernel {
  return {
    name,
    ptx: `.visible .entry ${name}(.param .u64 out, .param .u64 da, .param .u64 db, .param .u32 n)
{
.reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<99>; .reg .f32 %f<9>;
${registers}
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [da]; ld.param.u64 %rd3, [db]; ld.param.u32 %r1, [n];
cvta.to.global.u64 %rd1, %rd1;
mov.u32 %r2, %tid.x; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd5, %rd1, %rd4;
${body}
ret;
}
`,
  };
}

const next = `add.u64 %rd2, %rd2, 16; add.u64 %rd3, %rd3, 16; add.u32 %r3, %r3, 1;
setp.lt.u32 %p1, %r3, %r1; @%p1 bra LOOP;`;

/** Products one after the other on one accumulator, from registers or from shared memory. */
function chain(name: string, shape: Shape, registers: boolean): Kernel {
  const n = count(shape);
  const type = shape.acc === "f16" || shape.type === "s8" || shape.type === "b1" ? "b32" : "f32";
  const a = (j: number): string => (registers ? `{${list(4, (i) => `%r${10 + 4 * j + i}`)}}` : "%rd2");
  const loads = registers ? each(8, (i) => `ld.global.b32 %r${10 + i}, [%rd5+${128 * i}];`) : "";
  const products = each(2, (j) => product(shape, "d", a(j), "%rd3"));
  return kernel(
    name,
    `.reg .${type} %d<${n}>;`,
    [loads, clear("d", n, type), fence, products, commit, wait(0), store("d", n, type)].join("\n"),
  );
}

/** Four products per turn of a loop, other work beside them; `left` groups stay in flight at the wait. */
function loop(name: string, left: number): Kernel {
  const shape: Shape = { n: 128 };
  const work = `ld.global.f32 %f2, [%rd5+65536]; fma.rn.f32 %f1, %f2, %f2, %f1; fma.rn.f32 %f1, %f1, %f2, %f1;`;
  const products = each(
    4,
    (i) =>
      `add.u64 %rd${10 + i}, %rd2, ${2 * i}; add.u64 %rd${20 + i}, %rd3, ${2 * i};\n${product(shape, "d", `%rd${10 + i}`, `%rd${20 + i}`)}`,
  );
  return kernel(
    name,
    ".reg .f32 %d<64>;",
    `${clear("d", 64)}\nmov.u32 %r3, 0; mov.f32 %f1, 0f3f800000;\nLOOP:\n${fence}\n${products}\n${commit}\n${work}\n${wait(left)}
${left > 0 ? "bar.sync 0;" : ""}\n${next}\n${wait(0)}\nst.global.f32 [%rd5+131072], %f1;\n${store("d", 64)}`,
  );
}

/** Three groups on accumulators of their own, waited for one by one. */
function groups(): Kernel {
  const shape: Shape = { n: 16 };
  const names = ["d", "e", "g"];
  const a = ["%rd2", "%rd3", "%rd5"];
  const products = names.map((d, i) => `${product(shape, d, a[i]!, "%rd3")}\n${commit}`).join("\n");
  const ends = names.map((d, i) => `${wait(2 - i)}\n${store(d, 8, "f32", 8192 * i)}`).join("\n");
  return kernel(
    "groups",
    names.map((d) => `.reg .f32 %${d}<8>;`).join(" "),
    `${names.map((d) => clear(d, 8)).join("\n")}\n${fence}\n${products}\n${ends}`,
  );
}

/** A product's result through the special-function unit into the next one's operands, with the product after that in flight. */
function attention(): Kernel {
  const scores: Shape = { n: 64 };
  const values: Shape = { n: 64, type: "f16" };
  const powers = each(32, (i) => `mul.f32 %d${i}, %d${i}, 0f3fb8aa3b; ex2.approx.ftz.f32 %x${i}, %d${i};`);
  const packed = each(16, (i) => `cvt.rn.f16x2.f32 %q${i}, %x${2 * i + 1}, %x${2 * i};`);
  const sums = each(4, (j) => product(values, "o", `{${list(4, (i) => `%q${4 * j + i}`)}}`, "%rd3"));
  return kernel(
    "attention",
    ".reg .f32 %d<32>; .reg .f32 %x<32>; .reg .f32 %o<32>; .reg .b32 %q<16>;",
    `${clear("o", 32)}\nmov.u32 %r3, 0;\n${fence}\n${product(scores, "d", "%rd2", "%rd3", "0")}\n${commit}\n${wait(0)}\nLOOP:
${powers}\n${packed}\n${fence}\n${product(scores, "d", "%rd2", "%rd3", "0")}\n${commit}\n${sums}\n${commit}\n${wait(1)}
${each(32, (i) => `fma.rn.f32 %f${(i % 4) + 1}, %d${i}, %d${i}, %f${(i % 4) + 1};`)}\n${wait(0)}\n${next}
st.global.f32 [%rd5+131072], %f1;\n${store("o", 32)}`,
  );
}

/** An accumulator that the loop begins anew under a predicate. */
function predicated(): Kernel {
  const shape: Shape = { n: 64 };
  return kernel(
    "predicated",
    ".reg .f32 %d<32>;",
    `mov.u32 %r3, 0;\nLOOP:\nsetp.ne.u32 %p2, %r3, 0;\n${fence}\n${product(shape, "d", "%rd2", "%rd3", "%p2")}
${product(shape, "d", "%rd3", "%rd3")}\n${commit}\n${wait(0)}\n${next}\n${store("d", 32)}`,
  );
}

/** Operands worked out right before the fence, by units of short and long latency. */
function producers(): readonly Kernel[] {
  const shape: Shape = { n: 32, type: "f16", acc: "f16" };
  const load = each(8, (i) => `ld.global.b32 %q${i}, [%rd5+${512 * i}];`);
  const ops: Readonly<Record<string, string>> = {
    alu: "xor.b32 %q7, %q7, %r1;",
    fma: "mad.lo.u32 %q7, %q7, %r1, %q7;",
    half: "add.f16x2 %q7, %q7, %q7;",
    wide: "mul.wide.u32 %rd50, %q6, %q7; mov.b64 {%q6, %q7}, %rd50;",
    double: "mov.b64 %rd50, {%q6, %q7}; add.f64 %rd50, %rd50, %rd50; mov.b64 {%q6, %q7}, %rd50;",
    tensor: `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%q4, %q5, %q6, %q7}, {%q0, %q1, %q2, %q3}, {%q4, %q5}, {%q4, %q5, %q6, %q7};`,
    special: "ex2.approx.ftz.f32 %q7, %q7;",
    shared: "ld.shared.u32 %q7, [%r2];",
  };
  const end = (d: string): string => [commit, wait(0), store(d, 8, "b32")].join("\n");
  return Object.entries(ops).flatMap(([name, op]) => [
    kernel(
      `sum_${name}`,
      ".reg .b32 %q<8>;",
      [load, op, fence, product(shape, "q", "%rd2", "%rd3"), end("q")].join("\n"),
    ),
    kernel(
      `factor_${name}`,
      ".reg .b32 %q<8>; .reg .b32 %d<8>;",
      [load, op, fence, product(shape, "d", "{%q4, %q5, %q6, %q7}", "%rd3", "0"), end("d")].join("\n"),
    ),
  ]);
}

const kernels: readonly Kernel[] = [
  chain("narrow", { n: 16 }, false),
  chain("broad", { n: 256 }, false),
  chain("from_registers", { n: 64, type: "f16" }, true),
  chain("halves", { n: 64, type: "f16", acc: "f16" }, false),
  chain("tf32", { n: 64, type: "tf32" }, false),
  chain("fp8", { n: 160, type: "e4m3" }, true),
  chain("integers", { n: 64, type: "s8" }, false),
  chain("bits", { n: 96, type: "b1" }, false),
  loop("turns", 0),
  loop("pipelined", 1),
  groups(),
  attention(),
  predicated(),
  ...producers(),
];

/** All of them as one module. */
export const wgmmaModule: string = `.version 8.6\n.target sm_90a\n.address_size 64\n${kernels.map((k) => k.ptx).join("")}`;
