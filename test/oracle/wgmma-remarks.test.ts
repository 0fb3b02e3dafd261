/** Infos about products of warp groups: waits and arrives that they lack, and why they are serialized. Text and line are ptxas's, and where it has none there is none. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile";
import { describeOracle, inScratch, tool } from "./tools";

const FIRST = "{%f0, %f1, %f2, %f3}";
const SECOND = "{%f4, %f5, %f6, %f7}";
const product = (d: string): string =>
  `wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 ${d}, %rd2, %rd3, 1, 1, 1, 0, 0;`;

const WORDS: Readonly<Record<string, string>> = {
  fence: "wgmma.fence.sync.aligned;",
  commit: "wgmma.commit_group.sync.aligned;",
  wait: "wgmma.wait_group.sync.aligned 0;",
  first: product(FIRST),
  second: product(SECOND),
  afirst:
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%a0, %a1, %a2, %a3}, %rd3, 1, 1, 1, 0;",
  asecond:
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, {%a0, %a1, %a2, %a3}, %rd3, 1, 1, 1, 0;",
  aset: "mov.b32 %a0, %r1;",
  axor: "xor.b32 %a0, %a0, %r1;",
  aload: "ld.global.b32 %a0, [%rd1+64];",
  astore: "st.global.v4.b32 [%rd1+64], {%a0, %a1, %a2, %a3};",
  store1: `st.global.v4.f32 [%rd1], ${FIRST};`,
  store2: `st.global.v4.f32 [%rd1+16], ${SECOND};`,
  sum: "add.f32 %f8, %f0, %f1; st.global.f32 [%rd1+32], %f8;",
  change: "add.f32 %f0, %f0, %f1;",
  other: "st.global.u32 [%rd1+32], %r1;",
  set: "mov.f32 %f0, 0f3F800000;",
  load: "ld.global.f32 %f0, [%rd1+64];",
  wait1: "wgmma.wait_group.sync.aligned 1;",
  if: "setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
  lanes: "setp.eq.u32 %p1, %r2, 0; @%p1 bra L;",
  end: "L:",
  loop: "LOOP:",
  extern: "{ call.uni ext, (); }",
  local: "{ call.uni loc, (); }",
  again: "add.u32 %r1, %r1, -1; setp.ne.u32 %p2, %r1, 0; @%p2 bra LOOP;",
};

const SEQUENCES = [
  "fence first commit wait store1",
  "fence first commit store1 wait",
  "fence first commit store1",
  "first commit wait store1",
  "fence first second commit store1 wait store2",
  "fence first commit second commit store1 wait store2",
  "fence first commit second commit store2 wait store1",
  "fence first commit other wait store1",
  "fence first commit wait first commit wait store1",
  "fence first commit wait store1 first commit wait store1",
  "fence first commit store1 fence first commit store1 wait",
  "fence first commit sum wait store1",
  "first commit wait first commit wait store1",
  "fence first commit wait change first commit wait store1",
  "second commit first commit wait store1 store2",
  // C7514: sums read before the last product of their group, after a wait that leaves it under way, in a loop.
  "fence first sum first commit wait store1",
  "first sum first commit wait store1",
  "fence first sum second commit wait store1 store2",
  "fence first second sum commit wait store1 store2",
  "fence first sum first commit sum wait store1",
  "fence first commit wait1 store1",
  "fence first commit wait1 sum wait store1",
  "fence first commit second commit wait1 store1 wait store2",
  "fence first commit second commit wait1 store2 wait store1",
  "fence first commit if wait end store1",
  "loop fence first commit wait again store1",
  "loop fence first commit store1 wait again",
  "loop fence first commit sum wait again store1",
  // C7515: sums written in flight, and not read before the wait.
  "fence first commit set wait store1",
  "first commit set wait store1",
  "fence first commit load wait store1",
  "fence first set commit wait store1",
  "fence first commit set store1 wait",
  "fence first commit set fence first commit wait store1",
  "fence first set first commit wait store1",
  "fence first commit second commit set wait store1 store2",
  "fence first commit wait1 set wait store1",
  "fence first commit if set end wait store1",
  "loop fence first commit set wait again store1",
  "fence first commit set wait store1 fence first commit store1 wait",
  // C7513: in a loop, factors in registers are written in flight. Elsewhere ptxas takes other registers.
  "loop fence afirst commit aset wait again store1",
  "loop fence afirst commit axor wait again store1 astore",
  "loop fence afirst commit aload wait again store1",
  "loop fence afirst commit asecond commit axor wait again store1 store2",
  "fence afirst commit wait loop fence afirst commit axor wait again store1",
  "loop fence afirst commit wait axor again store1",
  "loop fence afirst commit wait1 axor again wait store1",
  "loop aload fence afirst commit wait again store1",
  "fence afirst commit axor wait store1 astore",
  "fence afirst commit loop axor again wait store1 astore",
  // C7518, C7520: where lanes are apart.
  "lanes fence first commit wait store1 end other",
  "lanes fence first commit store1 end other",
  "lanes fence first commit end store1 wait",
  "lanes first commit wait store1 end other",
  "lanes first commit wait store1 end fence second commit wait store2",
  "fence first commit lanes store1 end wait store1",
  "if first commit wait store1 end other",
  // C7509: a function that is not in the module is called.
  "extern fence first commit wait store1",
  "fence first commit extern wait store1",
  "first commit sum extern wait store1",
  "fence first commit set extern wait store1",
  "fence first sum first commit wait store1 extern",
  "fence first commit local wait store1",
  // The wait comes in a block of its own, while loads of what it hands over are under way: no scoreboard fits into its word.
  "if fence first commit end wait store1",
  "lanes fence first commit end wait store1",
];

const kernel = (sequence: string): string => `.version 8.6
.target sm_90a
.address_size 64
${sequence.includes("extern") ? ".extern .func ext();" : ""}
${sequence.includes("local") ? ".func loc() { ret; }" : ""}
.visible .entry k(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n) {
.reg .f32 %f<29>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [b]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;
ld.global.v4.f32 ${FIRST}, [%rd1];
ld.global.v4.f32 ${SECOND}, [%rd1+16];
${sequence.includes("afirst") ? ".reg .b32 %a<4>; ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%rd1+32];" : ""}
${sequence
  .split(" ")
  .map((w) => WORDS[w]!)
  .join("\n")}
ret;
}
`;

describeOracle("infos about products of warp groups", () => {
  test.each(SEQUENCES)("%s", (sequence) => {
    const text = kernel(sequence);
    const relocatable = sequence.includes("extern");
    const said = inScratch((dir) => {
      const file = join(dir, "k.ptx");
      writeFileSync(file, text);
      return tool("ptxas", ["-arch=sm_90a", ...(relocatable ? ["-c"] : []), file, "-o", join(dir, "k.cubin")]).stderr;
    });
    const ours = compile(text, { target: "sm_90a", relocatable });
    expect(ours.cubin).not.toBeNull();
    expect(ours.diagnostics.map((d) => `ptxas ${d.severity.padEnd(8)}: ${d.message}\n`).join("")).toBe(said);
    expect(compile(text, { target: "sm_90a", opt: 0, relocatable }).diagnostics).toEqual([]);
  });
});
