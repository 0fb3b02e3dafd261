/**
 * Kernels with one decision of control flow each: arms, nests, exits, chains, loops of known and unknown trips, switches as compares and by
 * table. Each reads four words a lane (`a b c d`) and two numbers that all lanes share (`n m`), and stores what its body made of `c`.
 */

export interface FlowKernel {
  readonly family: string;
  /** What the bodies do. */
  readonly kind: string;
  readonly uniform: boolean;
  readonly body: string;
  /** Sizes that tell kernels of a family apart. */
  readonly sizes: Readonly<Record<string, number | string | boolean>>;
}

/** Numbers in [0, 1) from a seed: the same on every machine. */
export function stream(seed: number): () => number {
  let x = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) / 0x1_0000_0000;
  };
}

type Random = () => number;

const oneOf = <T>(r: Random, list: readonly T[]): T => list[Math.floor(r() * list.length)] as T;
const within = (r: Random, from: number, to: number): number => from + Math.floor(r() * (to - from + 1));

/** `n` operations on register `v`, or on its float twin; `salt` makes constants differ. */
function operations(r: Random, kind: string, n: number, v: string, salt: number): string {
  const out: string[] = [];
  for (let i = 0; i < n; i++) {
    const k = kind === "mixed" ? oneOf(r, ["imad", "ffma", "xor", "shf"]) : kind;
    const c = 7 * i + 3 + 100 * salt;
    const at = 4 * (c % 64);
    const made: Readonly<Record<string, string>> = {
      imad: `mad.lo.s32 ${v},${v},${v},${c};`,
      xor: `add.s32 ${v},${v},${c}; xor.b32 ${v},${v},%b;`,
      shf: `shf.l.wrap.b32 ${v},${v},%b,${1 + (c % 30)};`,
      ffma: `fma.rn.f32 %fv,%fv,%fv,0f3F8${(c % 65536).toString(16).toUpperCase().padStart(5, "0")};`,
      mufu: "ex2.approx.ftz.f32 %fv,%fv;",
      ldg: `ld.global.u32 %t1,[%i+${64 + at}]; add.s32 ${v},${v},%t1;`,
      stg: `st.global.u32 [%o+${64 + at}],${v};`,
      lds: `ld.shared.u32 %t1,[%s+${at}]; add.s32 ${v},${v},%t1;`,
      sts: `st.shared.u32 [%s+${at}],${v};`,
      dfma: "fma.rn.f64 %dv,%dv,%dv,%dw;",
    };
    out.push(made[k] as string);
  }
  return out.join(" ");
}

const kinds = ["imad", "imad", "ffma", "mufu", "ldg", "stg", "lds", "sts", "dfma", "mixed", "mixed"];
const compares = ["lt.s32", "eq.s32", "ge.u32", "ne.s32"];
const trips = [
  2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 16, 20, 21, 24, 30, 32, 37, 48, 50, 64, 73, 97, 100, 128, 130, 200, 256, 265, 500,
  1000,
];

interface Asked {
  readonly kind: string;
  readonly uniform: boolean;
  /** Operands of the condition. */
  readonly x: string;
  readonly y: string;
  readonly cmp: string;
}

interface Made {
  readonly body: string;
  readonly sizes: FlowKernel["sizes"];
}

type Maker = (r: Random, a: Asked) => Made;

const condition = (uniform: boolean): readonly [string, string] => (uniform ? ["%n", "%m"] : ["%a", "%b"]);

const makers: Readonly<Record<string, Maker>> = {
  triangle: (r, a) => {
    const n = oneOf(r, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 20, 24]);
    return {
      sizes: { n },
      body: `setp.${a.cmp} %p1,${a.x},${a.y}; @%p1 bra J; ${operations(r, a.kind, n, "%v", 1)} J:`,
    };
  },
  diamond: (r, a) => {
    const n = oneOf(r, [1, 2, 3, 4, 5, 6, 7, 8, 9, 12]);
    const m = oneOf(r, [1, 2, 3, 5, 6, 7, 8, 12]);
    const [first, second] = [operations(r, a.kind, n, "%v", 1), operations(r, a.kind, m, "%v", 2)];
    return {
      sizes: { n, m },
      body: `setp.${a.cmp} %p1,${a.x},${a.y}; @%p1 bra E; ${first} bra J; E: ${second} J:`,
    };
  },
  nested: (r, a) => {
    const [n, m] = [within(r, 1, 6), within(r, 1, 6)];
    const [x] = condition(r() < 0.4);
    const [outer, inner] = [operations(r, a.kind, n, "%v", 1), operations(r, a.kind, m, "%v", 2)];
    return {
      sizes: { n, m },
      body: `setp.${a.cmp} %p1,${a.x},${a.y}; @%p1 bra J; ${outer} setp.lt.s32 %p2,${x},%c; @%p2 bra J; ${inner} J:`,
    };
  },
  exit: (r, a) => {
    const n = within(r, 1, 12);
    const [out, rest] = [operations(r, a.kind, n, "%v", 1), operations(r, a.kind, 2, "%v", 3)];
    return {
      sizes: { n },
      body: `setp.${a.cmp} %p1,${a.x},${a.y}; @%p1 bra J; ${out} st.global.u32 [%o],%v; ret; J: ${rest}`,
    };
  },
  loop: (r, a) => {
    const n = oneOf(r, [1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48, 64]);
    const [T, step] = [oneOf(r, trips), oneOf(r, [1, 1, 1, 2, 4])];
    const nounroll = r() < 0.1;
    const body = `${nounroll ? '.pragma "nounroll";' : ""} ${operations(r, a.kind, n, "%v", 1)}`;
    return {
      sizes: { n, T, step, nounroll },
      body: `mov.u32 %j,0; L: ${body} add.s32 %j,%j,${step}; setp.lt.s32 %p1,%j,${T * step}; @%p1 bra L;`,
    };
  },
  dyn: (r, a) => {
    const n = oneOf(r, [1, 2, 3, 4, 6, 8, 9, 10, 12, 14, 15, 16, 17, 18, 19, 20, 24, 32]);
    const top = r() < 0.5;
    const bound = a.uniform ? "%n" : "%b";
    const guard = top ? `setp.lt.s32 %p2,${bound},1; @%p2 bra J;` : "";
    const body = `${operations(r, a.kind, n, "%v", 1)} add.s32 %j,%j,1; setp.lt.s32 %p1,%j,${bound}; @%p1 bra L;`;
    return { sizes: { n, top }, body: `mov.u32 %j,0; ${guard} L: ${body} J:` };
  },
  inv: (r) => {
    const n = within(r, 1, 4);
    const what = oneOf(r, [
      "mad.lo.s32 %t2,%a,%b,%c;",
      "ld.global.u32 %t2,[%i+32];",
      "ld.global.nc.u32 %t2,[%i+32];",
      "ld.shared.u32 %t2,[%s];",
      "rem.s32 %t2,%c,%d;",
      "mul.hi.u32 %t2,%n,%m;",
    ]);
    const store = r() < 0.3;
    const body = `${what} add.s32 %v,%v,%t2; ${operations(r, "imad", n, "%v", 1)} ${store ? "st.global.u32 [%o+128],%v;" : ""}`;
    return {
      sizes: { n, what, store },
      body: `mov.u32 %j,0; L: .pragma "nounroll"; ${body} add.s32 %j,%j,1; setp.lt.s32 %p1,%j,%n; @%p1 bra L;`,
    };
  },
  switch: (r, a) => {
    const [N, gap, n] = [within(r, 2, 12), oneOf(r, [1, 1, 1, 2, 3, 5]), within(r, 1, 3)];
    const cases = Array.from({ length: N }, (_, q) => q);
    const tests = cases.map((q) => `setp.eq.s32 %p1,${a.x},${gap * q}; @%p1 bra C${q};`).join(" ");
    const bodies = cases.map((q) => `C${q}: ${operations(r, "imad", n, "%v", q + 1)} bra J;`).join(" ");
    return { sizes: { N, gap }, body: `${tests} bra J; ${bodies} J:` };
  },
  brx: (r, a) => {
    const N = within(r, 2, 10);
    const cases = Array.from({ length: N }, (_, q) => q);
    const bodies = cases.map((q) => `C${q}: ${operations(r, "imad", 2, "%v", q + 1)} bra J;`).join(" ");
    return {
      sizes: { N },
      body: `tab: .branchtargets ${cases.map((q) => `C${q}`)}; rem.u32 %t2,${a.x},${N}; brx.idx %t2,tab; ${bodies} J:`,
    };
  },
  chain: (r, a) => {
    const n = within(r, 1, 3);
    const second = oneOf(r, ["%p1", "!%p1"]);
    const [one, two] = [operations(r, a.kind, n, "%v", 1), operations(r, a.kind, n, "%v", 2)];
    return {
      sizes: { n, second },
      body: `setp.${a.cmp} %p1,${a.x},${a.y}; @%p1 bra J; ${one} J: @${second} bra M; ${two} M:`,
    };
  },
};

const families = [
  ..."triangle triangle diamond diamond nested exit loop loop loop dyn dyn inv switch brx chain".split(" "),
];

/** `count` kernels, no two alike. */
export function makeKernels(seed: number, count: number): FlowKernel[] {
  const r = stream(seed);
  const out = new Map<string, FlowKernel>();
  while (out.size < count) {
    const family = oneOf(r, families);
    const kind = oneOf(r, kinds);
    const uniform = r() < 0.4;
    const [x, y] = condition(uniform);
    const { body, sizes } = (makers[family] as Maker)(r, { kind, uniform, x, y, cmp: oneOf(r, compares) });
    out.set(body, { family, kind, uniform, body, sizes });
  }
  return [...out.values()];
}

/** The kernel as PTX; labels get its name, so that many stand in one module. */
export function kernelText(name: string, body: string): string {
  const before: string[] = [];
  if (body.includes("%s")) before.push("mov.u32 %s,sh; shl.b32 %t3,%ti,2; add.s32 %s,%s,%t3;");
  if (body.includes("%fv")) before.push("mov.b32 %fv,%d;");
  if (body.includes("%dv")) before.push("cvt.rn.f64.s32 %dv,%d; cvt.rn.f64.s32 %dw,%c;");
  const after = ["st.global.u32 [%o],%v;"];
  if (body.includes("%fv")) after.push("st.global.f32 [%o+4],%fv;");
  if (body.includes("%dv")) after.push("st.global.f64 [%o+8],%dv;");
  return `.visible .entry ${name}(.param .u64 i,.param .u64 o,.param .u32 n,.param .u32 m){ .reg .b32 %a,%b,%c,%d,%n,%m,%v,%j,%s,%ti,%t<9>; .reg .b64 %i,%o,%z; .reg .f32 %fv; .reg .f64 %dv,%dw; .reg .pred %p<9>; .shared .align 16 .b8 sh[8192];
ld.param.u64 %i,[i]; ld.param.u64 %o,[o]; ld.param.u32 %n,[n]; ld.param.u32 %m,[m]; mov.u32 %ti,%tid.x; mul.wide.u32 %z,%ti,16; add.s64 %i,%i,%z; add.s64 %o,%o,%z;
ld.global.v4.u32 {%a,%b,%c,%d},[%i]; mov.u32 %v,%c; ${before.join(" ")}
${body.replace(/\b(J|E|L|M|C\d+|tab)\b/g, `${name}_$1`)}
${after.join(" ")}
ret; }
`;
}

/** The PTX of a module for an SM. */
export const moduleText = (sm: number, kernels: readonly string[]): string =>
  `.version 9.0\n.target sm_${sm}\n.address_size 64\n${kernels.join("")}`;
