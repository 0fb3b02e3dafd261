/**
 * Sparse and block-scaled `mma`: the machine instruction is ptxas's, with its selectors of lanes and bytes. What they compute, in test/corpus/matrix.
 */
import { compile } from "../../lib/compile";
import { disassemble } from "../../lib/disassemble";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import type { TargetName } from "../../lib/target/index";
import { verifyCubin } from "../../lib/verify";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

/** Instruction | words of D, A, B, C | what follows C. */
const forms = (order: string): string[] => [
  ...["f16.f16", "bf16.bf16"].flatMap((t) => [
    `mma.${order}.sync.aligned.m16n8k16.row.col.f32.${t}.f32 | 4 2 2 4 | %e, 3`,
    `mma.${order}.sync.aligned.m16n8k32.row.col.f32.${t}.f32 | 4 4 4 4 | %e, 1`,
  ]),
  `mma.${order}.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 | 2 2 2 2 | %e, 2`,
  `mma.${order}.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 | 2 4 4 2 | %e, 0`,
  `mma.${order}.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 | 4 2 2 4 | %e, 1`,
  `mma.${order}.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 | 4 4 4 4 | %e, 0`,
  ...["u8.s8", "s8.u8"].flatMap((t) => [
    `mma.${order}.sync.aligned.m16n8k32.row.col.s32.${t}.s32 | 4 2 2 4 | %e, 1`,
    `mma.${order}.sync.aligned.m16n8k64.row.col.satfinite.s32.${t}.s32 | 4 4 4 4 | %e, 0`,
  ]),
];

const nibbles = [
  "mma.sp.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32 | 4 2 2 4 | %e, 1",
  "mma.sp.sync.aligned.m16n8k128.row.col.satfinite.s32.s4.u4.s32 | 4 4 4 4 | %e, 0",
];
const byteFloats = ["mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32 | 4 4 4 4 | %e, 0"];
const scaled = [
  "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e2m1.e3m2.f32 | 4 4 4 4 | %e, 0",
  "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e2m1.f32.ue8m0 | 4 4 2 4 | %s, {1,0}, %u, {2,3}",
  "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e2m3.e5m2.f32.ue8m0 | 4 4 2 4 | %s, {3,1}, %u, {1,1}",
  "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e2m1.f32.ue8m0 | 4 4 4 4 | %e, 0, %s, {1,1}, %u, {2,3}",
  "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 | 4 4 2 4 | %s, {2,1}, %u, {0,3}",
  "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 | 4 4 2 4 | %s, {0,0}, %u, {2,2}",
  "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 | 4 4 2 4 | %s, {0,1}, %u, {0,3}",
  "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 | 4 4 4 4 | %e, 0, %s, {0,1}, %u, {0,2}",
  "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 | 4 4 4 4 | %e, 0, %s, {0,1}, %u, {2,2}",
];

const targets: readonly (readonly [TargetName, readonly string[]])[] = [
  ["sm_80", [...forms("sp"), ...forms("sp::ordered_metadata"), ...nibbles]],
  ["sm_89", [...forms("sp"), ...nibbles, ...byteFloats]],
  ["sm_90", [...forms("sp"), ...forms("sp::ordered_metadata")]],
  ["sm_100", forms("sp::ordered_metadata")],
  ["sm_120a", [...forms("sp::ordered_metadata"), ...byteFloats, ...scaled]],
];

function kernel(name: string, form: string): string {
  const [op, counts, rest] = form.split(" | ") as [string, string, string];
  const [d, a, b, c] = counts.split(" ").map(Number) as [number, number, number, number];
  const list = (p: string, n: number): string[] => Array.from({ length: n }, (_, i) => `%${p}${i}`);
  const loads = [...list("a", a), ...list("b", b), ...list("c", c), "%e", "%s", "%u"];
  const float = op.includes(".f32.");
  return `.visible .entry ${name}(.param .u64 p)
{ .reg .b64 %p; .reg .b32 %e, %s, %u, %a<4>, %b<4>; .reg .${float ? "f32" : "b32"} %c<4>, %d<4>;
  ld.param.u64 %p, [p];
${loads.map((r, i) => `  ld.global.b32 ${r}, [%p+${4 * i}];`).join("\n")}
  ${op} {${list("d", d)}}, {${list("a", a)}}, {${list("b", b)}}, {${list("c", c)}}, ${rest};
${list("d", d)
  .map((r, i) => `  st.global.b32 [%p+${256 + 4 * i}], ${r};`)
  .join("\n")}
  ret; }
`;
}

/** Where the words of each operand came from: offsets of the loads, and what a uniform register was set to. */
function product(cubin: Uint8Array, name: string): string {
  const f = disassemble(unwrap(readCubin(cubin))).find((x) => x.name === name);
  const from = new Map<string, string>();
  for (const { text } of f?.instructions ?? []) {
    const load = /^LDG\.E (R\d+), .*?\[R\d+\.64(?:\+(0x[0-9a-f]+))?\]/.exec(text);
    if (load !== null) from.set(load[1]!, load[2] ?? "0");
    const move = /^UMOV (UR\d+), (0x[0-9a-f]+)/.exec(text);
    if (move !== null) from.set(move[1]!, move[2]!);
    const copy = /^(?:MOV (R\d+), (R\d+)|IMAD\.MOV\.U32 (R\d+), RZ, RZ, (R\d+))/.exec(text.replaceAll(".reuse", ""));
    if (copy !== null) from.set((copy[1] ?? copy[3])!, from.get((copy[2] ?? copy[4])!) ?? "?");
    if (!/^[HIQO]MMA/.test(text)) continue;
    const [op, , ...rest] = text.replaceAll(".reuse", "").split(/,? /);
    return [op, ...rest.map((o) => o.replace(/^(U?R\d+)/, (r) => `<${from.get(r)}>`))].join(" ");
  }
  return "none";
}

describeOracle("sparse and block-scaled products", () => {
  test.each(targets)("%s", (target, list) => {
    const head = `.version 9.0\n.target ${target}\n.address_size 64\n`;
    const text = head + list.map((form, i) => kernel(`k${i}`, form)).join("");
    const made = compile(text, { target, opt: 2, verify: true });
    expect(made.diagnostics.filter((d) => d.severity === "error")).toEqual([]);
    expect(verifyCubin(unwrap(readCubin(made.cubin!)))).toEqual([]);
    const theirs = ptxas(text, target, 3);
    const told = (cubin: Uint8Array): string[] => list.map((_, i) => product(cubin, `k${i}`));
    expect(told(made.cubin!)).toEqual(told(theirs));
  });
});
