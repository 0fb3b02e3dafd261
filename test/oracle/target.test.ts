/** Facts of lib/target, read again off ptxas's own output. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TargetName } from "../../lib/target/index.js";
import { sms, target } from "../../lib/target/index.js";
import { describeOracle, inScratch, tool } from "./tools.js";

function disassemble(ptx: string, arch: string): string {
  return inScratch((dir) => {
    writeFileSync(join(dir, "k.ptx"), ptx);
    const made = tool("ptxas", [`-arch=${arch}`, "-O1", "k.ptx", "-o", "k.cubin"], { cwd: dir });
    expect(made.stderr).toBe("");
    expect(readFileSync(join(dir, "k.cubin")).length).toBeGreaterThan(0);
    return tool("nvdisasm", ["k.cubin"], { cwd: dir }).stdout;
  });
}

const probe = `.version 9.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{
  .reg .u32 %r<4>;
  .reg .u64 %rd<6>;
  .local .align 8 .b8 frame[64];
  .shared .align 4 .b8 sm[64];
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %ntid.y;
  mov.u32 %r2, %nctaid.z;
  mov.u64 %rd2, frame;
  cvta.local.u64 %rd3, %rd2;
  mov.u32 %r3, sm;
  st.global.u32 [%rd1], %r1;
  st.global.u32 [%rd1+4], %r2;
  st.global.u64 [%rd1+8], %rd3;
  st.global.u32 [%rd1+16], %r3;
  ret;
}
`;

describeOracle("lib/target against ptxas", () => {
  test.each(sms.map((sm) => `sm_${sm}` as TargetName))("%s: bank 0 and the memory descriptor", (name) => {
    const text = disassemble(probe, name);
    const at = (offset: number): string => `c[0x0][0x${offset.toString(16)}]`;
    const { constants, limits } = target(name);
    expect(text).toContain(at(constants.stackPointer));
    expect(text).toContain(at(constants.paramBase));
    expect(text).toContain(at(constants.ntid + 4));
    expect(text).toContain(at(constants.nctaid + 8));
    expect(text).toContain(at(constants.localWindow));
    if (constants.memoryDescriptor === null) expect(text).not.toContain("desc[UR");
    else expect(text).toContain(at(constants.memoryDescriptor));
    expect(target(name).has("memoryDescriptor")).toBe(constants.memoryDescriptor !== null);
    expect(/MOV.* 0x400 ;/.test(text)).toBe(limits.reservedSharedOffset === 0x400);
  });
});
