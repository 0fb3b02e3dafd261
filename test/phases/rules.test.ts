/**
 * One body of PTX per combining rule: the rule fires on it, and -O2 computes what -O0 does on edge and random operands, in the
 * simulator. What plain JavaScript says of the folded operations is compared with the simulator as well.
 */
import { compile } from "../../lib/compile.js";
import { combine, newRewrites } from "../../lib/phases/combine.js";
import { propagateCopies } from "../../lib/phases/copy-propagation.js";
import { removeDeadCode } from "../../lib/phases/dead-code.js";
import { lut3, permute } from "../../lib/rules/evaluate.js";
import { isProved, nativeRules, proofs, rules, textRules } from "../../lib/rules/index.js";
import { simulate } from "../../lib/sim/index.js";
import { random } from "../corpus/random.js";

/** Over a, b, c (u32) and e, f (u64), loaded; results in x (u32) or y (u64). */
const bodies: Readonly<Record<string, string>> = {
  fold: "mov.u32 t, 12; shl.b32 t, t, 3; or.b32 t, t, 5; mul.lo.u32 t, t, 7; add.u32 x, a, t;",
  "fold-compare": "mov.u32 t, 12; setp.lt.s32 p, t, 13; selp.u32 x, a, b, p;",
  "no-carry": "mov.u64 g, 0; cvt.u64.u32 h, a; add.u64 y, g, h; ",
  "known-carry":
    "mov.u64 g, 0x1fffffff0; add.u64 g, g, 17; add.u64 y, e, g; mov.u64 g, 0xfffffff0; add.u64 h, g, 3; xor.b64 y, y, h;",
  "fold-wide": "mov.u32 t, 100000; mul.wide.u32 g, t, 77777; mul.wide.s32 h, t, -5; add.u64 y, e, g; xor.b64 y, y, h;",
  "unread-carry": "add.u64 g, e, f; cvt.u32.u64 x, g;",
  "add-wide": "mul.wide.u32 g, a, b; add.u64 y, g, e;",
  "add-power": "mad.wide.u32 g, a, 8, e; mad.wide.s32 h, b, 1, f; xor.b64 y, g, h;",
  "upper-word": "cvt.u64.u32 h, a; mul.lo.u64 y, h, f;",
  "add-three": "add.u64 g, e, f; sub.u64 h, z, g; add.u64 y, h, e;",
  "add-to-product": "mad.lo.u64 y, e, f, z;",
  "add-shifted": "shl.b64 g, e, 5; add.s64 y, f, g;",
  "rotated-by-sum":
    "shl.b64 g, e, 16; shr.u64 h, e, 48; add.s64 y, g, h; shl.b64 g, y, 36; shr.u64 h, y, 28; add.s64 y, h, g;",
  "add-signed": "cvt.s64.s32 g, a; add.s64 y, e, g;",
  "sum-of-three": "add.u32 t, a, b; sub.u32 x, t, c;",
  "fewer-inputs": "and.b32 t, a, -1; or.b32 x, t, 0; xor.b32 x, x, b; and.b32 x, x, x;",
  "logic-of-three": "and.b32 t, a, b; xor.b32 x, t, c;",
  "known-lower-half": "and.b64 g, e, 0xffffffff00000000; setp.ne.u64 p, g, 0; selp.u32 x, a, b, p;",
  "join-compare": "setp.lt.u32 p, a, b; setp.ge.s32 q, b, c; not.pred q, q; or.pred p, p, q; selp.u32 x, a, c, p;",
  "test-of-select": "setp.lt.u32 p, a, b; selp.u32 t, 1, 0, p; setp.eq.u32 q, t, 0; selp.u32 x, a, c, q;",
  "test-of-logic": "and.b32 t, a, b; setp.ne.u32 p, t, 0; selp.u32 x, b, c, p;",
  "known-logic": "shr.u32 t, a, 16; and.b32 x, t, 0xffff; or.b32 t, b, 255; and.b32 t, t, 15; xor.b32 x, x, t;",
  "known-shift": "setp.lt.u32 p, a, b; selp.u32 t, 1, 3, p; shr.s32 t, t, 7; add.u32 x, b, t;",
  "field-without-effect-known": "bfe.s32 t, a, 16, 8; cvt.s32.s8 x, t;",
  "known-compare": "and.b32 t, a, 8; setp.ge.s32 p, t, 0; selp.u32 x, b, c, p;",
  "unseen-mask": "and.b32 t, a, 0xffff; and.b32 x, b, 0xffff; add.u32 t, t, x; and.b32 x, t, 0xff;",
  "half-of-product": "mul.wide.u32 g, a, b; cvt.u32.u64 x, g; mul.wide.s32 y, c, 4; shr.s64 y, y, 32;",
  "negated-literal": "mov.u32 t, 5; sub.u32 x, a, t;",
  "known-upper-half": "and.b64 g, e, 9; and.b64 h, f, 12; setp.lt.s64 p, g, h; selp.u32 x, a, b, p;",
  "permute-of-permute": "prmt.b32 t, a, b, 0x7210; prmt.b32 x, t, 0, 0x1b23;",
  "store-of-part": "cvt.u16.u32 s, a; st.global.u16 [r+8], s;",
  // Exact either way.
  "scaled-product":
    "and.b32 t, a, 0xff; cvt.rn.f32.u32 v, t; mul.f32 w, v, v; mul.f32 w, w, 0f3f000000; mul.rn.f32 w, w, 0f3f800000; mov.b32 x, w;",
  contraction: "and.b32 t, a, 0xff; cvt.rn.f32.u32 v, t; mul.f32 w, v, v; sub.f32 w, w, v; mov.b32 x, w;",
  "half-in-place": "mov.b32 {s, s2}, a; cvt.f32.f16 v, s; cvt.f32.f16 w, s2; add.f32 v, v, w; mov.b32 x, v;",
  "rounded-together":
    "cvt.rn.f32.u32 v, a; cvt.rn.f32.s32 w, b; cvt.rn.f16.f32 s, v; cvt.rn.f16.f32 s2, w; mov.b32 x, {s, s2};",
  "sign-of-halves-as-modifier":
    "and.b32 t, a, 0x3fff3fff; and.b32 x, b, 0xbfffbfff; neg.f16x2 t, t; abs.f16x2 x, x; fma.rn.f16x2 x, t, x, x; mov.b32 {s, s2}, x; neg.f16 s, s; mul.f16 s, s, s2; mov.b32 x, {s, s2};",
  "fold-conversion":
    "mov.b32 v, 0fC0200000; cvt.rpi.f32.f32 v, v; cvt.rni.s32.f32 t, v; add.u32 x, a, t; mov.b32 w, 0f40E80000; cvt.rni.f32.f32 w, w; mov.b32 t, w; xor.b32 x, x, t; cvt.rzi.s64.f32 g, v; mov.b64 h, 0dC1E8000000000001; cvt.rni.s64.f64 h, h; xor.b64 y, g, h; xor.b64 y, y, e; cvt.rzi.u16.f32 s, w; cvt.u32.u16 t, s; xor.b32 x, x, t;",
  "fold-float":
    "mov.b32 v, 0f3FC00000; mov.b32 w, 0fBE99999A; add.f32 v, v, w; mul.f32 w, v, w; mov.b32 t, w; xor.b32 x, a, t;",
  "fold-float-compare":
    "mov.b32 v, 0f3FC00000; mov.b32 w, 0fBE99999A; setp.lt.f32 p, v, w; selp.u32 x, a, b, p; setp.geu.f32 q, v, w; selp.u32 t, c, b, q; xor.b32 x, x, t;",
  "float-of-word":
    "ld.global.u16 s, [z+4]; cvt.rn.f32.u16 v, s; mov.b32 t, v; shr.u32 c, a, 9; cvt.rz.f32.u8 w, c; mov.b32 x, w; xor.b32 x, x, t;",
  "sign-as-modifier": "mov.b32 v, a; mov.b32 w, b; neg.f32 v, v; abs.f32 w, w; mul.f32 w, v, w; mov.b32 x, w;",
};

const kernel = (body: string, target: string): string => `.version 8.6
.target ${target}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .b32 a, b, c, t, x, i; .reg .b64 e, f, g, h, y, r, z; .reg .b16 s, s2; .reg .f32 v, w; .reg .pred p, q;
  ld.param.u64 z, [in]; ld.param.u64 r, [out]; mov.u32 i, %tid.x; mul.wide.u32 g, i, 32; add.u64 z, z, g; add.u64 r, r, g;
  ld.global.u32 a, [z]; ld.global.u32 b, [z+4]; ld.global.u32 c, [z+8]; ld.global.u64 e, [z+16]; ld.global.u64 f, [z+24];
  mov.u32 x, 0; mov.u64 y, 0;
  ${body}
  st.global.u32 [r], x; st.global.u64 [r+16], y;
  ret;
}`;

const LANES = 32;

function operands(): Uint32Array {
  const edges = [
    0, 1, 2, 31, 32, 0xff, 0x80, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xc0490fdb,
  ];
  const r = random(7);
  return Uint32Array.from({ length: LANES * 8 }, () =>
    r.below(3) > 0 ? edges[r.below(edges.length)]! : r.below(0x10000) * 0x10000 + r.below(0x10000),
  );
}

function run(text: string, target: "sm_75" | "sm_90", opt: number): Uint32Array {
  const made = compile(text, { target, opt, verify: true });
  if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  const out = new Uint32Array(LANES * 8);
  const ran = simulate(made.cubin, { kernel: "k", block: LANES, params: [operands(), out] });
  if (!ran.ok || ran.value.fault !== null) throw new Error("the kernel does not run");
  return out;
}

test("every rule that is a function has a body here", () => {
  expect(Object.keys(bodies).sort()).toEqual(nativeRules.map((r) => r.name).sort());
});

test("every rule that is a text has a proof of this text, and no other rule has one", () => {
  expect(textRules().filter((r) => !isProved(r))).toEqual([]);
  expect(Object.keys(proofs).sort()).toEqual(
    textRules()
      .map((r) => r.name)
      .sort(),
  );
  expect(rules().length).toBe(nativeRules.length + textRules().length);
});

test("a budget of rewrites is kept", () => {
  const text = kernel("mov.u32 t, 12; shl.b32 t, t, 3; or.b32 t, t, 5; mul.lo.u32 t, t, 7; add.u32 x, a, t;", "sm_90");
  const counts = [0, 2].map((rewriteBudget) => {
    let n = 0;
    const onRewrites = (hits: ReadonlyMap<string, number>): void => {
      n = Math.max(
        n,
        [...hits.values()].reduce((a, b) => a + b, 0),
      );
    };
    expect(compile(text, { target: "sm_90", opt: 2, phases: { rewriteBudget, onRewrites } }).cubin).not.toBeNull();
    return n;
  });
  expect(counts).toEqual([0, 2]);
});

test.each(Object.entries(bodies))("%s", (name, body) => {
  const rewrites = newRewrites();
  for (const target of ["sm_75", "sm_90"] as const) {
    const text = kernel(body, target);
    expect(run(text, target, 2)).toEqual(run(text, target, 0));
    const func = compile(text, { target, opt: 1, phases: { bodies: { GeneralOptimize: (f) => void counted(f) } } });
    expect(func.cubin).not.toBeNull();
  }
  function counted(func: Parameters<typeof combine>[0]): void {
    for (let round = 0; round < 3; round++) {
      propagateCopies(func);
      combine(func, rewrites);
      removeDeadCode(func);
    }
  }
  expect([...rewrites.hits.keys()]).toContain(name);
});

test("truth tables and permutations against their definition, bit by bit and byte by byte", () => {
  const r = random(3);
  const word = (): number => (r.below(0x10000) * 0x10000 + r.below(0x10000)) >>> 0;
  for (let n = 0; n < 2000; n++) {
    const [a, b, c, table] = [word(), word(), word(), r.below(256)];
    const bits = Array.from({ length: 32 }, (_, k) => {
      const at = (((a >>> k) & 1) << 2) | (((b >>> k) & 1) << 1) | ((c >>> k) & 1);
      return (table >> at) & 1;
    });
    expect(lut3(a, b, c, table)).toBe(bits.reduce((sum, bit, k) => sum + bit * 2 ** k, 0));
    const bytes = [a, c].flatMap((w) => [0, 8, 16, 24].map((s) => (w >>> s) & 255));
    const chosen = [0, 4, 8, 12].map((s) => {
      const byte = bytes[(b >>> s) & 7]!;
      return ((b >>> s) & 8) === 0 ? byte : byte >= 128 ? 255 : 0;
    });
    expect(permute(a, b, c)).toBe(chosen.reduce((sum, byte, k) => sum + byte * 256 ** k, 0));
  }
});
