/**
 * What goes to the uniform datapath, beside ptxas -O3: the same uniform instructions, loads of constants and readers of block
 * indices in the same numbers. Kernels made for this; loops are kept from unrolling.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile.js";
import { readCubin } from "../../lib/elf/index.js";
import { decodeCode } from "../../lib/sass/index.js";
import { target as targetOf } from "../../lib/target/index.js";
import { available, inScratch, tool } from "./tools.js";

const frame = (body: string): string => `.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 o, .param .u64 a, .param .u64 z, .param .u32 n, .param .u32 m, .param .u32 x, .param .u32 y)
{
.reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<10>;
ld.param.u64 %rd1,[o]; ld.param.u64 %rd2,[a]; ld.param.u32 %r1,[n]; ld.param.u32 %r2,[m]; ld.param.u32 %r7,[x]; ld.param.u32 %r8,[y];
cvta.to.global.u64 %rd1,%rd1; cvta.to.global.u64 %rd2,%rd2;
mov.u32 %r4,%tid.x; mul.wide.u32 %rd6,%r4,4; add.s64 %rd4,%rd1,%rd6; add.s64 %rd5,%rd2,%rd6;
${body}
st.global.u32 [%rd4],%r9;
E: ret;
}
`;

const bodies: Readonly<Record<string, string>> = {
  "chain of integer operations":
    "mov.u32 %r3,%ctaid.x; mad.lo.s32 %r10,%r3,%r1,%r2; shl.b32 %r10,%r10,2; xor.b32 %r10,%r10,%r2; and.b32 %r10,%r10,255; add.s32 %r9,%r4,%r10;",
  "thread index": "mov.u32 %r3,%ctaid.x; mov.u32 %r5,%ntid.x; mad.lo.s32 %r9,%r3,%r5,%r4;",
  "thread index, and its factor again":
    "mov.u32 %r3,%ctaid.x; mov.u32 %r5,%ntid.x; mad.lo.s32 %r9,%r3,%r5,%r4; xor.b32 %r9,%r9,%r5;",
  // Four words from a place that 16 divides are one LDCU.128 to ptxas from sm_100 on: not built.
  "four parameters from a place that only 8 divides":
    "mad.lo.s32 %r9,%r4,%r1,%r4; add.s32 %r9,%r9,%r2; xor.b32 %r9,%r9,%r7; mad.lo.s32 %r9,%r9,%r8,%r9;",
  "a comparison that chooses": "setp.gt.s32 %p1,%r1,%r2; selp.b32 %r5,%r1,7,%p1; add.s32 %r9,%r4,%r5;",
  "a counter":
    'mov.u32 %r6,0; mov.u32 %r9,0;\nL: .pragma "nounroll";\nld.global.u32 %r10,[%rd5]; mad.lo.u32 %r9,%r9,%r10,%r6; st.global.u32 [%rd4],%r9; add.s32 %r6,%r6,1; setp.lt.s32 %p1,%r6,%r1; @%p1 bra L;',
  "a counter that wants the slot of its bound":
    'mov.u32 %r6,%r2; mov.u32 %r9,0;\nL: .pragma "nounroll";\nmad.lo.s32 %r5,%r6,%r1,%r4; mul.wide.s32 %rd6,%r5,4; add.s64 %rd7,%rd2,%rd6;\nld.global.u32 %r10,[%rd7]; add.u32 %r9,%r9,%r10; add.s32 %r6,%r6,1; setp.lt.s32 %p1,%r6,%r1; @%p1 bra L;',
  "a way out for the block": "setp.gt.s32 %p1,%r1,%r2; @%p1 bra E; mov.u32 %r9,%r4;",
};

/** Mnemonics that say where uniform values live, with their number. */
function uniform(cubin: Uint8Array, sm: string): string[] {
  const read = readCubin(cubin);
  if (!read.ok) throw new Error(read.diagnostics[0]?.message);
  const target = targetOf(sm as "sm_90");
  const counts = new Map<string, number>();
  for (const inst of decodeCode(read.value.functions[0]!.words, target)) {
    const { op, name } = inst!.form;
    if (/^U(?!NUSED)|^S2U?R$|^LDCU?$|^ULDC$/.test(op) || name === "BRA.U")
      counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, n]) => `${name} ${n}`).sort();
}

function ptxas(text: string, sm: string): Uint8Array {
  return inScratch((dir) => {
    writeFileSync(join(dir, "k.ptx"), text);
    const ran = tool("ptxas", [`-arch=${sm}`, "-O3", "k.ptx", "-o", "k.cubin"], { cwd: dir });
    if (ran.status !== 0) throw new Error(ran.stderr);
    return new Uint8Array(readFileSync(join(dir, "k.cubin")));
  });
}

/** Which way round a comparison stands, and branches by it, is the layout's affair. */
const sameRelation = (list: readonly string[]): string[] => list.map((n) => n.replace(/^UISETP\.[A-Z]+/, "UISETP.xx"));

(available ? describe : describe.skip).each(["sm_90", "sm_100", "sm_120"] as const)("%s", (sm) => {
  test.each(Object.entries(bodies))("%s", (_, body) => {
    const text = frame(body).replace(".target sm_90", `.target ${sm}`);
    const c = compile(text, { target: sm });
    expect(c.cubin).not.toBeNull();
    expect(sameRelation(uniform(c.cubin!, sm))).toEqual(sameRelation(uniform(ptxas(text, sm), sm)));
  });
});
