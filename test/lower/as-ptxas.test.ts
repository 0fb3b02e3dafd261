/** Forms that an SM lacks, or that PTX does not define: instructions as in ptxas -O3's code, and what is said about them. */
import { compile } from "../../lib/compile";
import { disassemble } from "../../lib/disassemble";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";

const made = (body: string): ReturnType<typeof compile> =>
  compile(
    `.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .b64 %rd<4>; .reg .b32 %r<16>; .shared .align 128 .b8 s[1024];
ld.param.u64 %rd1, [p]; mov.u32 %r15, s;
ld.global.v4.b32 {%r0,%r1,%r2,%r3}, [%rd1]; ld.global.v4.b32 {%r4,%r5,%r6,%r7}, [%rd1+16];
ld.global.v4.b32 {%r8,%r9,%r10,%r11}, [%rd1+32];
${body}
st.global.v4.b32 [%rd1], {%r8,%r9,%r10,%r11};
ret;
}
`,
    { target: "sm_100a", opt: 2 },
  );

/** How often each of the mnemonics stands in the code. */
function counts(body: string, names: readonly string[]): Record<string, number> {
  const code = disassemble(unwrap(readCubin(made(body).cubin!)))[0]!.instructions.map((i) => i.text.split(" ")[0]!);
  return Object.fromEntries(names.map((n) => [n, code.filter((x) => x === n).length]));
}

test.each([
  ["m8n8k128", "{%r8,%r9}, {%r0}, {%r4}, {%r8,%r9}", 4, 8],
  ["m16n8k128", "{%r8,%r9,%r10,%r11}, {%r0,%r1}, {%r4}, {%r8,%r9,%r10,%r11}", 4, 12],
  ["m16n8k256", "{%r8,%r9,%r10,%r11}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%r8,%r9,%r10,%r11}", 8, 24],
])("single bits of %s on an SM without a unit for them", (shape, operands, products, moves) => {
  const body = `mma.sync.aligned.${shape}.row.col.s32.b1.b1.s32.and.popc ${operands};`;
  expect(counts(body, ["IMMA.16832.U8.U8", "MOVM.U4TO8.M832"])).toEqual({
    "IMMA.16832.U8.U8": products,
    "MOVM.U4TO8.M832": moves,
  });
});

test("a reduction that scatters rows is a store, and a warning says so", () => {
  const body =
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile::scatter4.bulk_group [%rd1, {%r0,%r1,%r2,%r3,%r4}], [%r15];";
  expect(counts(body, ["UTMASTG.2D.SCATTER4"])).toEqual({ "UTMASTG.2D.SCATTER4": 1 });
  expect(made(body).diagnostics.map((d) => [d.severity, d.span?.line, d.message])).toContainEqual([
    "warning",
    9,
    "no reduction scatters rows: '.add' is left out, as ptxas does",
  ]);
});
