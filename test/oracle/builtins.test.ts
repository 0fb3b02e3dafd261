/** Calls of built-in operations: the instruction or the message that ptxas has for them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile";
import { disassemble } from "../../lib/disassemble";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import type { TargetName } from "../../lib/target/index";
import { ptxas } from "./ptxas";
import { describeOracle, inScratch, tool } from "./tools";

const kernel = (name: string, target: string, count: number): string => `.version 9.0
.target ${target}
.address_size 64
.extern .func (.reg .b32 d) __nv_ptx_builtin_ocg_${name} (${["a", "b", "c"]
  .slice(0, count)
  .map((x) => `.reg .b32 ${x}`)
  .join(", ")});
.visible .entry k(.param .u64 p) {
.reg .b64 %rd<2>; .reg .b32 %r<5>;
ld.param.u64 %rd1, [p]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; ld.global.u32 %r3, [%rd1+8];
call.uni (%r4), __nv_ptx_builtin_ocg_${name}, (${["%r1", "%r2", "%r3"].slice(0, count).join(", ")});
st.global.u32 [%rd1], %r4;
ret;
}
`;

const asked = (cubin: Uint8Array): string[] =>
  disassemble(unwrap(readCubin(cubin)))[0]!
    .instructions.map((i) => i.text.split(" ")[0]!)
    .filter((n) => /^(VI|IADD)/.test(n));

describeOracle("built-in operations", () => {
  test.each([
    ["vimax_s32", 2, "sm_90 sm_100 sm_120"],
    ["vimin_u32", 2, "sm_90 sm_100 sm_120"],
    ["vimax_s16x2_relu", 2, "sm_90 sm_100"],
    ["vimax3_s32", 3, "sm_90 sm_100 sm_103"],
    ["vimin3_u32", 3, "sm_90 sm_100"],
    ["vimax3_s16x2_relu", 3, "sm_90 sm_100"],
    ["vimin3_s32_relu", 3, "sm_100"],
    ["viaddmax_u32", 3, "sm_90 sm_100"],
    ["viaddmin_s16x2", 3, "sm_100"],
    ["viadd_32", 2, "sm_100"],
    ["add_s32", 2, "sm_75 sm_80 sm_90 sm_100"],
  ])("%s", (name, count, targets) => {
    for (const target of targets.split(" ")) {
      const text = kernel(name, target, count);
      const own = compile(text, { target: target as TargetName, opt: 2 });
      expect(own.diagnostics.filter((d) => d.severity !== "info")).toEqual([]);
      expect([target, ...asked(own.cubin!)]).toEqual([target, ...asked(ptxas(text, target, 3))]);
    }
  });

  test.each([
    ["bogus", 3],
    ["vimax3_x", 3],
    ["vimax3_u16x2_relu", 3],
    ["vimax3_s32", 2],
    ["vimax_s32", 3],
  ])("%s with %i arguments is refused", (name, count) => {
    const text = kernel(name, "sm_100", count);
    const theirs = inScratch((dir) => {
      writeFileSync(join(dir, "k.ptx"), text);
      return tool("ptxas", ["-arch=sm_100", "-o", "k.cubin", "k.ptx"], { cwd: dir }).stderr;
    });
    const own = compile(text, { target: "sm_100", opt: 2 });
    expect(own.cubin).toBeNull();
    expect(theirs).toContain(own.diagnostics[0]!.message);
  });

  test("what is not lowered is refused by its name", () => {
    const own = compile(kernel("tcmma_gdesc", "sm_100a", 3), { target: "sm_100a", opt: 2 });
    expect(own.diagnostics.map((d) => d.message)).toEqual(["not supported yet: __nv_ptx_builtin_ocg_tcmma_gdesc"]);
  });
});
