/** Small bodies of which ptxas 13.0.88 keeps apart what could go together, or puts together what could stay: the same mnemonics, beside the frame. */
import { compile } from "../../lib/compile";
import type { TargetName } from "../../lib/target/index";
import { bodyKernel, frameBody } from "../../tools/bodies/generate";
import { listings } from "../../tools/flow/decisions";
import { moduleText } from "../../tools/flow/kernels";
import { beyond, mnemonicsOf } from "../../tools/mnemonics";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

const word = (body: string, result = "%t2"): string => `${body} st.global.u32 [%o], ${result};`;
const long = (body: string, result = "%u2"): string => `${body} st.global.u64 [%o], ${result};`;

const bodies: readonly string[] = [
  long("mul.wide.s32 %u1,%a,%b; add.s64 %u2,%u1,%e;"),
  long("mad.wide.u32 %u2,%a,%b,%e;"),
  long("mad.wide.s32 %u1,%a,%b,%e; xor.b64 %u2,%u1,%f;"),
  long("add.s64 %u1,%e,%f; sub.s64 %u2,%i,%u1;"),
  long("mul.lo.s64 %u2,%e,%f;"),
  long("mad.lo.s64 %u2,%e,%f,%i;"),
  long("and.b64 %u1,%e,0xffffffff; mul.lo.s64 %u2,%u1,%f;"),
  word("and.b32 %t1,%a,%b; not.b32 %t2,%t1;"),
  word("and.b32 %t1,%a,%b; lop3.b32 %t2,%t1,%a,%b,0x96;"),
  word("and.b32 %t1,%a,%b; xor.b32 %t2,%b,%c; or.b32 %t2,%t1,%t2;"),
  word("lop3.b32 %t1,%a,%b,%c,0x96; and.b32 %t2,%t1,%a;"),
  word("xor.b32 %t1,%a,8; and.b32 %t2,%t1,1;"),
  word("lop3.b32 %t2,%a,%a,%b,0x96;"),
  word("min.s32 %t1,%a,7; min.s32 %t2,%t1,5;"),
  word("neg.s32 %t1,%a; max.u32 %t2,%t1,%c;"),
  word("sub.s32 %t1,5,%b; max.u32 %t2,%t1,%c;"),
  word("sub.s32 %t2,%a,%a;"),
  word("popc.b32 %t1,%a; and.b32 %t2,%t1,127;"),
  ...["add.s32 %t1,%a,5; setp.eq.s32 %x1,%t1,7;", "xor.b32 %t1,%a,%c; setp.eq.s32 %x1,%t1,0;"].map((test) =>
    word(`${test} selp.u32 %t2,%a,%b,%x1;`),
  ),
  ...["setp.lt.u32 %x1,%a,0;", "setp.ge.s64 %x1,%e,0;"].map((test) => word(`${test} selp.u32 %t2,%a,%b,%x1;`)),
  word("mul.f32 %v1,%fa,%fb; mul.rn.f32 %v2,%v1,0f3F000000;", "%v2").replace("u32", "f32"),
  word("mul.rn.f32 %v1,%fa,%fb; mul.f32 %v2,%v1,0f3F000000;", "%v2").replace("u32", "f32"),
  word("mul.rn.f32 %v2,%fa,0f3F800000;", "%v2").replace("u32", "f32"),
  word("mul.sat.f32 %v1,%fa,%fb; max.f32 %v2,%v1,0f3F800000;", "%v2").replace("u32", "f32"),
  word("add.f32 %v1,%fa,0f3F000000; setp.ge.f32 %x3,%v1,0f00000000; selp.u32 %t2,1,0,%x3;"),
];

describeOracle("small bodies", () => {
  test.each<TargetName>(["sm_75", "sm_90", "sm_100", "sm_120"])("%s", (target) => {
    const text = moduleText(
      Number(target.slice(3)),
      [frameBody, ...bodies].map((body, k) => bodyKernel(`k${k}`, body)),
    );
    const made = compile(text, { target });
    expect(made.diagnostics).toEqual([]);
    const [ours, theirs] = [made.cubin!, ptxas(text, target, 3)].map((cubin) => {
      const code = new Map(listings(cubin));
      const frame = mnemonicsOf(code.get("k0")!);
      return bodies.map((body, k) => [body, beyond(mnemonicsOf(code.get(`k${k + 1}`)!), frame)]);
    });
    expect(ours).toEqual(theirs);
  });
});
