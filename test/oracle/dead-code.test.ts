/** ptxas removes dead code at -O0 (lib/phases/dead-code.ts relies on it being no surprise that we do). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const ptx = `
.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  add.s32 %r2, %r1, 17;
  xor.b32 %r3, %r2, 5;
  add.s32 %r4, %r1, 23;
  st.global.u32 [%rd1], %r4;
  ret;
}
`;

describeOracle("dead code at -O0", () => {
  test.each(["sm_75", "sm_90", "sm_100"] as const)(
    "%s: an unused sum and xor are gone, the used sum is there",
    (target) => {
      inScratch((dir) => {
        writeFileSync(join(dir, "k.ptx"), ptx);
        expect(tool("ptxas", ["-O0", `-arch=${target}`, "k.ptx", "-o", "k.cubin"], { cwd: dir }).status).toBe(0);
        const text = tool("nvdisasm", ["-c", "k.cubin"], { cwd: dir }).stdout;
        expect(text).toContain("0x17");
        expect(text).not.toContain("0x11,");
        expect(text).not.toContain("LOP3");
      });
      const c = compile(ptx, { target, opt: 0 });
      const ops = c.functions[0]?.func?.blocks.flatMap((b) => b.insts.map((i) => i.form.op)) ?? [];
      expect(ops).not.toContain("LOP3");
      expect(ops).toContain("STG");
    },
  );
});
