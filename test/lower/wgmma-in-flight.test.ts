/** Products of warp groups that stay in flight until PTX waits for them, and what makes them wait at once. */
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim/index";
import { verifyCubin } from "../../lib/verify";

/** All of shared memory holds 1 (binary16): a product of depth 16 adds 16 to each sum. */
const kernel = (body: string): string => `.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 d, .param .u32 n)
{
  .shared .align 1024 .b8 s[4096];
  .reg .b32 %t, %u, %n, %a<4>; .reg .f32 %f<4>, %g<4>, %h; .reg .b64 %q, %d, %w; .reg .pred %p;
  ld.param.u64 %q, [p]; ld.param.u64 %d, [d]; ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x; mov.u32 %u, s; mad.lo.u32 %u, %t, 32, %u;
  mov.b32 %t, 0x3c003c00; st.shared.v4.b32 [%u], {%t, %t, %t, %t}; st.shared.v4.b32 [%u+16], {%t, %t, %t, %t};
  fence.proxy.async.shared::cta; bar.sync 0;
  mov.u32 %u, s; and.b32 %u, %u, 0x3ffff; shr.u32 %u, %u, 4; cvt.u64.u32 %w, %u; add.u64 %d, %d, %w;
  ${[0, 1, 2, 3].map((i) => `mov.f32 %f${i}, 0f00000000; mov.f32 %g${i}, 0f00000000; mov.b32 %a${i}, %t;`).join(" ")}
L:
${body}
  sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra L;
  wgmma.wait_group.sync.aligned 0;
  mov.u32 %t, %tid.x; mad.wide.u32 %q, %t, 32, %q;
  st.global.v4.f32 [%q], {%f0, %f1, %f2, %f3}; st.global.v4.f32 [%q+16], {%g0, %g1, %g2, %g3};
}
`;

const product = (d: string, a: string): string => {
  const sums = [0, 1, 2, 3].map((i) => `%${d}${i}`).join(", ");
  const from =
    a === "%d" ? "%d, %d, 1, 1, 1, 0, 0" : `{${[0, 1, 2, 3].map((i) => `%a${i}`).join(", ")}}, %d, 1, 1, 1, 0`;
  return `  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {${sums}}, ${from};`;
};
const fence = "  wgmma.fence.sync.aligned;";
const commit = "  wgmma.commit_group.sync.aligned;";
const wait = (n: number): string => `  wgmma.wait_group.sync.aligned ${n};`;

/** Body | whether products stay in flight | what one round adds to the sums of both. */
const cases: readonly (readonly [name: string, body: readonly string[], under: boolean, f: number, g: number])[] = [
  ["two sums in turn", [fence, product("f", "%d"), commit, product("g", "%d"), commit, wait(1)], true, 16, 16],
  ["one group of two", [fence, product("f", "%d"), product("g", "%d"), commit, wait(0)], true, 16, 16],
  ["sums waited for a round later", [wait(0), fence, product("f", "%d"), commit], true, 16, 0],
  ["a factor in registers", [fence, product("f", "%a"), commit, product("g", "%a"), commit, wait(0)], true, 16, 16],
  [
    "sums read meanwhile",
    [fence, product("f", "%d"), commit, wait(1), "  add.f32 %h, %f0, 0f3f800000; mov.f32 %f0, %h;", wait(0)],
    false,
    16,
    0,
  ],
  [
    "a factor written meanwhile",
    [fence, product("f", "%a"), commit, "  mov.b32 %a0, %t; xor.b32 %a0, %a0, %n; xor.b32 %a0, %a0, %n;", wait(0)],
    false,
    16,
    0,
  ],
  ["a group without products", [fence, product("f", "%d"), commit, commit, wait(1)], false, 16, 0],
  ["no commit", [fence, product("f", "%d"), wait(0)], false, 16, 0],
];

describe.each([0, 1, 2])("-O%i", (opt) => {
  test.each(cases)("%s", (name, body, under, f, g) => {
    const made = compile(kernel(body.join("\n")), { target: "sm_90a", opt, verify: true });
    expect(made.diagnostics.filter((d) => d.severity === "error")).toEqual([]);
    expect(verifyCubin(unwrap(readCubin(made.cubin!)))).toEqual([]);
    const out = new Float32Array(1024);
    const params = [out, { u64: 1n << 16n }, { u32: 5 }];
    expect(unwrap(simulate(made.cubin!, { kernel: "k", grid: 1, block: 128, params })).fault).toBeNull();
    // One element is raised by one in each round where sums are read.
    const first = name.startsWith("sums read") ? 85 : 5 * f;
    expect([out[0], out[1], out[4], out[1023]]).toEqual([first, 5 * f, 5 * g, 5 * g]);
    if (opt !== 0) return;
    const insts = made.functions[0]!.func!.blocks.flatMap((b) => b.insts);
    const at = insts.findLastIndex((i) => i.form.op === "HGMMA");
    const next = insts.slice(at + 1).find((i) => i.form.name !== "NOP");
    const waits = insts.filter((i) => i.form.name.startsWith("WARPGROUP.DEPBAR")).map((i) => i.srcs.at(-1)!.value);
    // Serialized: one wait for each row, right after it, and none at the end.
    const products = insts.filter((i) => i.form.op === "HGMMA").length;
    expect(waits.length).toBe(under ? 2 : products);
    if (!under) expect(next!.form.name).toBe("WARPGROUP.DEPBAR.LE");
  });
});
