import { compile } from "../../lib/compile";
import { simulate } from "../../lib/sim/index";
import { CONSTANT_ADDRESSES, constantAddresses } from "./constant-kernel";

const targets = ["sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"] as const;
test.each(targets.flatMap((t) => [0, 1, 2].map((opt) => [t, opt] as const)))("%s -O%i", (target, opt) => {
  const { cubin, diagnostics } = compile(constantAddresses(target), { target, opt, verify: true });
  expect(diagnostics).toEqual([]);
  const out = new Uint32Array(5);
  const r = simulate(cubin!, { kernel: "k", grid: 1, block: 1, params: [out, { u32: 2 }] });
  expect(r.ok && r.value.fault === null ? [...out] : r).toEqual(CONSTANT_ADDRESSES);
});

/** The distance from an index is signed: beyond 32 KiB it is added to the index. */
test.each(["sm_75", "sm_90", "sm_120"].flatMap((t) => [0, 2].map((opt) => [t, opt] as const)))(
  "%s -O%i: words far from a variable index",
  (target, opt) => {
    const words = Array.from({ length: 16384 }, (_, k) => 3 * k + 1);
    const text = `.version 8.8
.target ${target}
.address_size 64
.const .u32 tab[16384] = {${words.join(", ")}};
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .b32 %r<9>; .reg .b64 %d<9>;
  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; cvt.u64.u32 %d2, %r1;
  mov.u64 %d3, tab; add.s64 %d4, %d3, %d2;
  ld.const.u32 %r2, [%d4+32764]; ld.const.u32 %r3, [%d4+65520]; ld.const.u32 %r4, [tab+65532];
  st.global.u32 [%d1], %r2; st.global.u32 [%d1+4], %r3; st.global.u32 [%d1+8], %r4;
  ret;
}
`;
    const { cubin, diagnostics } = compile(text, { target: target as "sm_90", opt, verify: true });
    expect(diagnostics).toEqual([]);
    const out = new Uint32Array(3);
    const r = simulate(cubin!, { kernel: "k", grid: 1, block: 1, params: [out, { u32: 8 }] });
    expect(r.ok && r.value.fault === null ? [...out] : r).toEqual([8193, 16382, 16383].map((k) => words[k]));
  },
);
