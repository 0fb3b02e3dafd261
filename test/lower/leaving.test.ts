/**
 * Lanes that leave a region past its end (BREAK) while the others meet: loops left from an arm, conditions of two parts, jumps out of arms, ends of the
 * kernel in arms. Results are held against the PTX interpreter; that lanes meet is seen in how often the warp issues what comes after.
 */
import { compile } from "../../lib/compile";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim/index";
import { PtxDevice } from "../../lib/sim/ptx/index.js";
import type { TargetName } from "../../lib/target/index";

/** The body: %i is the lane, %x what is stored. `WORK`: rounds that differ from lane to lane. */
interface Kernel {
  readonly name: string;
  readonly code: string;
  /** BREAKs at -O0, as ptxas 13.0.88 has them at -O3. */
  readonly breaks: number;
  /** Warp-instructions that are not reached on sm_90; where lanes do not meet it is several times as many. */
  readonly most: number;
}

let labels = 0;
/** A loop of %i & 3 rounds and one more. */
const work = (): string => {
  const label = `W${labels++}`;
  return `and.b32 %k, %i, 3; ${label}: mad.lo.u32 %x, %x, 5, 1; add.u32 %k, %k, -1; setp.ge.s32 %p, %k, 0; @%p bra ${label};`;
};
const odd = "and.b32 %t, %x, 1; setp.ne.u32 %p, %t, 0;";
const third = "and.b32 %t, %x, 28; setp.eq.u32 %q, %t, 8;";

const kernels: readonly Kernel[] = [
  {
    name: "either",
    code: `${odd} @%p bra YES; ${third} @!%q bra NO;
YES: ${work()}
NO: add.u32 %x, %x, 7;`,
    breaks: 1,
    most: 55,
  },
  {
    name: "left_from_an_arm",
    code: `mov.u32 %n, 0;
H: ${odd} @%p bra ODD; ${work()} bra L;
ODD: ${third} @%q bra OUT; ${work()}
L: mad.lo.u32 %x, %x, 3, %n; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 20; @%p bra H;
OUT: add.u32 %x, %x, 7;`,
    breaks: 1,
    most: 1500,
  },
  {
    name: "several_back_edges",
    code: `mov.u32 %n, 0; bra.uni H;
A: ${work()} bra H;
H: add.u32 %n, %n, 1; mad.lo.u32 %x, %x, 3, %n; ${odd} @%p bra A; ${third} @%q bra OUT;
setp.gt.u32 %p, %n, 20; @%p bra OUT; ${work()} bra H;
OUT: add.u32 %x, %x, 7;`,
    breaks: 1,
    most: 1500,
  },
  {
    name: "past_the_join",
    code: `${odd} @%p bra ODD; ${work()} bra J;
ODD: ${third} @%q bra OUT; ${work()}
J: ${work()}
OUT: add.u32 %x, %x, 7;`,
    breaks: 1,
    most: 106,
  },
  {
    name: "out_of_two_loops",
    code: `mov.u32 %m, 0;
O: mov.u32 %n, 0;
H: ${odd} @%p bra ODD; ${work()} bra L;
ODD: ${third} @%q bra OUT; setp.eq.u32 %q, %t, 4; @%q bra AFTER; ${work()}
L: mad.lo.u32 %x, %x, 3, %n; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 5; @%p bra H;
AFTER: ${work()} add.u32 %m, %m, 1; setp.lt.u32 %p, %m, 5; @%p bra O;
OUT: add.u32 %x, %x, 7;`,
    breaks: 3,
    most: 2200,
  },
  {
    name: "ends_in_an_arm",
    code: `mov.u32 %n, 0;
H: ${odd} @%p bra ODD; ${work()} bra L;
ODD: ${third} @%q bra END; ${work()}
L: mad.lo.u32 %x, %x, 3, %n; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 20; @%p bra H;
add.u32 %x, %x, 7; st.global.u32 [%a], %x;
END: ret;`,
    breaks: 0,
    most: 1500,
  },
];

const text = ({ name, code }: Kernel): string => `.version 7.8
.target sm_75
.address_size 64
.visible .entry ${name}(.param .u64 out) {
  .reg .b64 %a, %o; .reg .b32 %i, %x, %k, %t, %n, %m; .reg .pred %p, %q;
  mov.u32 %i, %tid.x; ld.param.u64 %a, [out]; mul.wide.u32 %o, %i, 4; add.u64 %a, %a, %o;
  mad.lo.u32 %x, %i, 1664525, 1013904223; shr.u32 %x, %x, 9;
${code}
  st.global.u32 [%a], %x;
  ret;
}
`;

function onMachine(k: Kernel, target: TargetName, opt: number): { out: Uint32Array; issued: number; breaks: number } {
  const made = compile(text(k), { target, opt, verify: true });
  if (!made.ok) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  const out = new Uint32Array(32);
  const ran = unwrap(simulate(made.cubin, { kernel: k.name, block: 32, params: [out], maxInstructions: 1_000_000 }));
  expect(ran.fault).toBeNull();
  const insts = made.functions[0]!.func.blocks.flatMap((b) => b.insts);
  return { out, issued: ran.warpInstructions, breaks: insts.filter((i) => i.form.op === "BREAK").length };
}

function byPtx(k: Kernel): Uint32Array {
  const device = new PtxDevice();
  const out = new Uint32Array(32);
  const ran = unwrap(device.launch(unwrap(device.load(text(k))), { block: 32, params: [out] }));
  expect(ran.fault).toBeNull();
  return out;
}

describe.each(kernels)("$name", (k) => {
  const wanted = byPtx(k);
  test.each(["sm_75", "sm_90", "sm_100"] as const)("%s", (target) => {
    const plain = onMachine(k, target, 0);
    expect(plain.out).toEqual(wanted);
    expect(plain.breaks).toBe(k.breaks);
    for (const opt of [1, 3]) expect(onMachine(k, target, opt).out).toEqual(wanted);
  });
  test("lanes meet", () => expect(onMachine(k, "sm_90", 3).issued).toBeLessThan(k.most));
});
