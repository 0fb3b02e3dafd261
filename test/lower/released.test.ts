/** `st.async` and `red.async` with `.release` in global memory: every lane's store and sum, by what machine instructions. */
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim/index";
import type { TargetName } from "../../lib/target/index";
import { verifyCubin } from "../../lib/verify";

const text = (target: string): string => `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .b32 %t, %r; .reg .b16 %h; .reg .b64 %q, %w, %a, %d;
  ld.param.u64 %q, [p]; mov.u32 %t, %tid.x; mad.lo.u32 %r, %t, 3, 5; cvt.u16.u32 %h, %r; cvt.u64.u32 %d, %r; shl.b64 %d, %d, 33;
  mul.wide.u32 %w, %t, 8; add.s64 %a, %q, %w;
  st.async.release.gpu.global.b32 [%a], %r;
  st.async.release.sys.b16 [%a+4], %h;
  st.async.mmio.release.sys.global.s16 [%a+6], %h;
  st.async.release.gpu.global.b64 [%a+512], %d;
  red.async.release.gpu.global.add.u32 [%q+1024], %t;
  red.async.mmio.release.sys.global.add.s32 [%q+1028], %t;
  red.async.release.sys.add.u64 [%q+1032], %d;
  ret;
}
`;

/** 64-bit sums of 33 bits and more take both halves. */
const expected = (): Uint32Array => {
  const data = new Uint32Array(260);
  for (let t = 0; t < 64; t++) {
    const r = 3 * t + 5;
    data[2 * t] = r;
    data[2 * t + 1] = r | (r << 16);
    data[129 + 2 * t] = 2 * r;
    data[256] = (data[256] as number) + t;
    data[257] = (data[257] as number) + t;
    data[259] = (data[259] as number) + 2 * r;
  }
  return data;
};

test.each([
  ["sm_100a", "USTGR.E.NA.64.STRONG.GPU", "UREDGR.E.ADD.NA.S32.MMIO.SYS"],
  ["sm_103a", "USTGR.E.NA.S16.MMIO.SYS", "UREDGR.E.ADD.NA.64.STRONG.SYS"],
  ["sm_120a", "STG.E.U16.STRONG.SYS", "REDG.E.ADD.S32.MMIO.SYS"],
] as const)("%s: %s, %s", (target, store, sum) => {
  for (const opt of [0, 3]) {
    const made = compile(text(target), { target: target as TargetName, opt, verify: true });
    expect(made.diagnostics).toEqual([]);
    const cubin = made.cubin as Uint8Array;
    expect(verifyCubin(unwrap(readCubin(cubin)))).toEqual([]);
    const names = made.functions[0]!.func!.blocks.flatMap((b) => b.insts.map((i) => i.form.name));
    expect(names).toEqual(expect.arrayContaining([store, sum]));
    const data = new Uint32Array(260);
    expect(unwrap(simulate(cubin, { kernel: "k", block: 64, params: [data] })).fault).toBeNull();
    expect(data).toEqual(expected());
  }
});

test("operations that PTX ISA does not have are refused", () => {
  const other = text("sm_100a").replace("release.gpu.global.add.u32", "release.gpu.global.min.u32");
  expect(compile(other, { target: "sm_100a" }).diagnostics[0]?.message).toMatch(/not supported yet: red\.async/);
});
