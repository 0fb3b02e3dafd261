/** Products of warp groups whose sums do not all fit in registers: they end one by one, and between them their sums are in memory. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim/index";
import { verifyCubin } from "../../lib/verify";
import { describeOracle, inScratch, tool } from "../oracle/tools";

const list = (n: number, line: (k: number) => string): string => Array.from({ length: n }, (_, k) => line(k)).join(" ");

/** `sums` products of 64 × n × 16 in flight at once, in a loop; all factors are 1, so that each pass adds 16 to each element. */
function kernel(sums: number, n: number): string {
  const each = n / 2;
  const all = sums * each;
  return `.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .shared .align 1024 .b8 s[16384];
  .reg .b32 %t, %u, %n; .reg .f32 %f<${all}>; .reg .b64 %q, %d, %w; .reg .pred %p;
  ld.param.u64 %q, [p]; ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mad.wide.u32 %q, %t, 4, %q;
  mov.u32 %u, s; mad.lo.u32 %u, %t, 128, %u; mov.b32 %t, 0x3c003c00;
  ${list(8, (k) => `st.shared.v4.b32 [%u+${16 * k}], {%t, %t, %t, %t};`)}
  fence.proxy.async.shared::cta; bar.sync 0;
  mov.u32 %u, s; and.b32 %u, %u, 0x3ffff; shr.u32 %u, %u, 4; cvt.u64.u32 %w, %u; mov.b64 %d, 0x800010000; add.u64 %d, %d, %w;
  ${list(all, (k) => `ld.global.f32 %f${k}, [%q+${512 * k}];`)}
L: wgmma.fence.sync.aligned;
${list(
  sums,
  (s) =>
    `wgmma.mma_async.sync.aligned.m64n${n}k16.f32.f16.f16 {${list(each, (k) => `%f${s * each + k}`).replaceAll(" ", ",")}}, %d, %d, 1, 1, 1, 0, 0;\n`,
)}
  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
  sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra L;
  ${list(all, (k) => `st.global.f32 [%q+${512 * k}], %f${k};`)}
  ret;
}
`;
}

const codes = (messages: string): string[] => [...messages.matchAll(/\((C7[56]\d\d)\)/g)].map((m) => m[1] as string);

const told = [
  { sums: 4, n: 16, limit: 40, says: ["C7512"] },
  { sums: 4, n: 16, limit: 72, says: [] },
  { sums: 3, n: 32, limit: 48, says: ["C7511"] },
  { sums: 2, n: 96, limit: 96, says: ["C7511"] },
  { sums: 2, n: 96, limit: 100, says: ["C7512"] },
  { sums: 2, n: 96, limit: 48, says: ["C7602"] },
] as const;

test.each(told)("$sums sums of $n columns in $limit registers: $says", ({ sums, n, limit, says }) => {
  const trips = 3;
  for (const opt of [0, 3]) {
    const made = compile(kernel(sums, n), { target: "sm_90a", opt, maxRegisters: limit, verify: true });
    expect(codes(made.diagnostics.map((d) => d.message).join("\n"))).toEqual(says);
    if (made.cubin === null) continue;
    expect(verifyCubin(unwrap(readCubin(made.cubin)))).toEqual([]);
    const data = Float32Array.from({ length: (128 * sums * n) / 2 }, (_, i) => (i * 7) % 1000);
    const expected = data.map((x) => x + 16 * trips);
    const run = unwrap(simulate(made.cubin, { kernel: "k", block: 128, params: [data, { u32: trips }] }));
    expect(run.fault).toBeNull();
    expect(data).toEqual(expected);
  }
});

describeOracle("what ptxas says", () => {
  test.each(told)("$sums sums of $n columns in $limit registers: $says", ({ sums, n, limit, says }) => {
    inScratch((dir) => {
      writeFileSync(join(dir, "k.ptx"), kernel(sums, n));
      const args = ["-arch=sm_90a", "-maxrregcount", `${limit}`, "-o", join(dir, "k.cubin"), join(dir, "k.ptx")];
      expect(codes(tool("ptxas", args).stderr)).toEqual(says);
    });
  });
});
