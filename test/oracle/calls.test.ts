/**
 * Objects with functions, ours and ptxas's, linked by nvlink in every combination: calls and addresses across units, weak functions,
 * variables of the other unit, structures by value, recursion through both units. What comes out is worked out in plain code.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile";
import { passing } from "../../lib/isa/abi";
import { simulate } from "../../lib/sim/index";
import { describeOracle, inScratch, tool } from "./tools";

const SMS = [75, 80, 90, 100] as const;
const LANES = 32;
const head = ".version 9.0\n.target sm_75\n.address_size 64\n";

const first = `.extern .func (.param .b32 r) ext(.param .b32 a, .param .b64 b);
.extern .func (.param .align 4 .b8 r[16]) ext2(.param .align 4 .b8 s[16], .param .b32 n);
.extern .global .align 8 .u64 table[2];
.extern .global .align 4 .u32 ge;
.visible .global .align 4 .u32 gv = 5;
.weak .func (.param .b32 r) wk(.param .b32 a) { .reg .b32 %r<9>; ld.param.u32 %r1,[a]; add.s32 %r1,%r1,7; st.param.b32 [r],%r1; ret; }
.visible .func (.param .b32 r) back(.param .b32 a) { .reg .b32 %r<9>; .reg .pred %p; ld.param.u32 %r1,[a]; setp.eq.u32 %p,%r1,0; @%p bra L;
 { .param .b32 x; .param .b64 y; .param .b32 z; .reg .b64 %rd; mov.b64 %rd,3; sub.u32 %r2,%r1,1;
 st.param.b32 [x],%r2; st.param.b64 [y],%rd; call.uni (z), ext, (x,y); ld.param.b32 %r2,[z]; } add.s32 %r1,%r1,%r2;
L: st.param.b32 [r],%r1; ret; }
.visible .entry k(.param .u64 p)
{
 .reg .b32 %r<19>; .reg .b64 %rd<9>;
 ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; and.b32 %r1,%r1,7;
 { .param .b32 x; .param .b32 z;
 st.param.b32 [x],%r1; call (z), wk, (x); ld.param.b32 %r2,[z]; }
 { .param .b32 x; .param .b32 z;
 st.param.b32 [x],%r1; call (z), back, (x); ld.param.b32 %r3,[z]; }
 add.s32 %r2,%r2,%r3;
 mov.u64 %rd4,table; and.b32 %r4,%r1,1; mul.wide.u32 %rd5,%r4,8; add.u64 %rd4,%rd4,%rd5; ld.global.u64 %rd6,[%rd4];
 { .param .b32 x; .param .b32 z;
 st.param.b32 [x],%r1; 
 P: .callprototype (.param .b32 _) _ (.param .b32 _);
 call (z), %rd6, (x), P; ld.param.b32 %r3,[z]; }
 add.s32 %r2,%r2,%r3;
 { .param .align 4 .b8 x[16]; .param .b32 n; .param .align 4 .b8 z[16];
 st.param.b32 [x],%r1; st.param.b32 [x+4],%r2; st.param.b32 [x+8],%r1; st.param.b32 [x+12],%r3; st.param.b32 [n],%r4;
 call (z), ext2, (x,n); ld.param.b32 %r5,[z]; ld.param.b32 %r6,[z+12]; }
 add.s32 %r2,%r2,%r5; mad.lo.s32 %r2,%r6,3,%r2;
 mov.u64 %rd5,ge; ld.global.u32 %r7,[%rd5]; add.s32 %r2,%r2,%r7;
 mov.u64 %rd5,gv; ld.global.u32 %r7,[%rd5]; add.s32 %r2,%r2,%r7;
 mov.u32 %r1,%tid.x; mul.wide.u32 %rd2,%r1,4; add.u64 %rd2,%rd1,%rd2;
 st.global.u32 [%rd2],%r2;
 ret;
}
`;

const second = `.extern .func (.param .b32 r) back(.param .b32 a);
.extern .global .align 4 .u32 gv;
.visible .global .align 4 .u32 ge = 50;
.weak .func (.param .b32 r) wk(.param .b32 a) { .reg .b32 %r<9>; ld.param.u32 %r1,[a]; add.s32 %r1,%r1,7; st.param.b32 [r],%r1; ret; }
.func (.param .b32 r) loc(.param .b32 a) { .reg .b32 %r<9>; ld.param.u32 %r1,[a]; mul.lo.s32 %r1,%r1,11; st.param.b32 [r],%r1; ret; }
.visible .global .align 8 .u64 table[2] = {loc, back};
.visible .func (.param .b32 r) ext(.param .b32 a, .param .b64 b) { .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u32 %r1,[a]; ld.param.u64 %rd1,[b]; cvt.u32.u64 %r2,%rd1;
 { .param .b32 x; .param .b32 z; st.param.b32 [x],%r1; call.uni (z), back, (x); ld.param.b32 %r3,[z]; }
 { .param .b32 x; .param .b32 z; st.param.b32 [x],%r3; call.uni (z), wk, (x); ld.param.b32 %r3,[z]; }
 mad.lo.s32 %r3,%r3,%r2,%r1; mov.u64 %rd5,gv; ld.global.u32 %r7,[%rd5]; add.s32 %r3,%r3,%r7; st.param.b32 [r],%r3; ret; }
.visible .func (.param .align 4 .b8 r[16]) ext2(.param .align 4 .b8 s[16], .param .b32 n) { .reg .b32 %r<9>; ld.param.u32 %r1,[s]; ld.param.u32 %r2,[s+4]; ld.param.u32 %r3,[s+8]; ld.param.u32 %r4,[s+12]; ld.param.u32 %r5,[n]; add.u32 %r1,%r1,%r5; xor.b32 %r4,%r4,%r2; st.param.b32 [r],%r1; st.param.b32 [r+4],%r2; st.param.b32 [r+8],%r3;  st.param.b32 [r+12],%r4; ret; }
`;

/** A function whose shared memory the linker has to place for the kernel that calls it. */
const shared = `.shared .align 4 .b8 gsh[256];
.const .align 4 .u32 cc[4] = {1,2,3,4};
.global .align 4 .u32 gg = 7;
.func (.param .b32 r) f(.param .b32 n)
{
 .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; .shared .align 4 .b8 own[256];
 ld.param.u32 %r1,[n]; mov.u32 %r7,%tid.x; shl.b32 %r2,%r7,2; mov.u32 %r3,own; add.u32 %r3,%r3,%r2; mov.u32 %r4,gsh; add.u32 %r4,%r4,%r2;
 st.shared.u32 [%r3],%r1; ld.shared.u32 %r5,[%r4]; ld.const.u32 %r6,[cc+8]; mad.lo.u32 %r5,%r5,%r6,%r1; ld.global.u32 %r6,[gg]; add.u32 %r5,%r5,%r6;
 setp.eq.u32 %p1,%r1,0; @%p1 bra L;
 { .param .b32 a; .param .b32 z; sub.u32 %r1,%r1,1; st.param.b32 [a],%r1; call (z), f, (a); ld.param.b32 %r2,[z]; add.u32 %r5,%r5,%r2; }
L: ld.shared.u32 %r2,[%r3]; add.u32 %r5,%r5,%r2; bar.sync 2;
 st.param.b32 [r],%r5; ret;
}
.visible .entry k(.param .u64 p)
{
 .reg .b32 %r<9>; .reg .b64 %rd<4>;
 ld.param.u64 %rd1,[p]; mov.u32 %r1,%tid.x; shl.b32 %r2,%r1,2; mov.u32 %r3,gsh; add.u32 %r3,%r3,%r2; st.shared.u32 [%r3],%r1;
 { .param .b32 a; .param .b32 z; st.param.b32 [a],3; call (z), f, (a); ld.param.b32 %r2,[z]; }
 mul.wide.u32 %rd2,%r1,4; add.u64 %rd2,%rd1,%rd2; st.global.u32 [%rd2],%r2; ret;
}
`;

const wk = (a: number): number => a + 7;
const back = (a: number): number => (a === 0 ? 0 : (a + ext(a - 1, 3)) | 0);
const ext = (a: number, b: number): number => (Math.imul(wk(back(a)), b) + a + 5) | 0;

function expected(lane: number): number {
  const a = lane & 7;
  let v = wk(a) + back(a);
  const w = (a & 1) === 0 ? a * 11 : back(a);
  v += w;
  v += a + (a & 1) + Math.imul(w ^ v, 3);
  return (v + 50 + 5) >>> 0;
}

function object(dir: string, name: string, text: string, sm: number, opt: number, ours: boolean): string {
  const out = join(dir, `${name}.cubin`);
  if (ours) {
    const c = compile(head + text, { target: `sm_${sm}` as "sm_90", opt, relocatable: true, verify: true });
    if (c.cubin === null) throw new Error(c.diagnostics.map((d) => d.message).join("\n"));
    writeFileSync(out, c.cubin);
    return out;
  }
  const source = join(dir, `${name}.ptx`);
  writeFileSync(source, head + text);
  const made = tool("ptxas", [`-arch=sm_${sm}`, `-O${opt}`, "-c", "-o", out, source]);
  if (made.status !== 0) throw new Error(made.stderr);
  return out;
}

function linked(units: readonly string[], sm: number, opt: number, ours: readonly boolean[]): number[] {
  return inScratch((dir) => {
    const objects = units.map((text, i) => object(dir, `u${i}`, text, sm, opt, ours[i]!));
    const out = join(dir, "linked.cubin");
    const made = tool("nvlink", [`-arch=sm_${sm}`, "-o", out, ...objects]);
    if (made.status !== 0) throw new Error(made.stderr + made.stdout);
    const buffer = new Uint32Array(LANES);
    const cubin = new Uint8Array(readFileSync(out));
    const r = simulate(cubin, { kernel: "k", grid: 1, block: LANES, params: [buffer] });
    if (!r.ok) throw new Error(r.diagnostics.map((d) => d.message).join("\n"));
    expect(r.value.fault).toBeNull();
    return [...buffer];
  });
}

describeOracle("calls across objects", () => {
  const lanes = Array.from({ length: LANES }, (_, lane) => lane);

  test.each(SMS)("two units in every combination, sm_%d", (sm) => {
    for (const opt of [0, 2])
      for (const ours of [
        [false, false],
        [true, false],
        [false, true],
        [true, true],
      ])
        expect([opt, ours, linked([first, second], sm, opt, ours)]).toEqual([opt, ours, lanes.map(expected)]);
  });

  test.each(SMS)("shared memory of a function, sm_%d", (sm) => {
    for (const ours of [false, true])
      expect([ours, linked([shared], sm, 0, [ours])]).toEqual([ours, lanes.map(sharedOf)]);
  });
});

/** Every level of the recursion reads what the innermost call stored last. */
function sharedOf(lane: number): number {
  let v = 0;
  for (let n = 3; n >= 0; n--) v += lane * 3 + n + 7;
  return v;
}

describeOracle("where ptxas has parameters", () => {
  const cases: readonly (readonly [readonly (readonly [size: number, align: number])[], result: number])[] = [
    [
      [
        [4, 4],
        [8, 8],
        [1, 1],
        [8, 8],
        [4, 4],
      ],
      4,
    ],
    [
      [
        [4, 4],
        [32, 16],
        [4, 4],
        [8, 8],
      ],
      0,
    ],
    [
      [
        [4, 4],
        [16, 16],
        [24, 8],
        [16, 16],
        [4, 4],
        [8, 8],
      ],
      0,
    ],
    [
      [
        [60, 1],
        [4, 4],
        [4, 4],
      ],
      0,
    ],
    [
      [
        [61, 1],
        [8, 4],
        [32, 16],
        [24, 8],
        [8, 8],
      ],
      0,
    ],
    [[...Array.from({ length: 14 }, () => [4, 4] as const)], 64],
  ];

  test.each(cases)("%j, result of %d bytes", (params, result) => {
    const list = params.map(([size, align], k) => `.param .align ${align} .b8 a${k}[${size}]`).join(", ");
    const returns = result > 0 ? `(.param .align 4 .b8 r[${result}]) ` : "";
    // Each parameter's first byte goes to a shared address of its own.
    const reads = params.map((_, k) => `ld.param.b8 %h, [a${k}]; st.volatile.shared.b8 [%s+${1000 * (k + 1)}], %h;`);
    const text = `${head}.visible .func ${returns}f(${list}) { .reg .b16 %h; .reg .b32 %s; mov.u32 %s, 0; ${reads.join(" ")} ret; }`;
    const sass = inScratch((dir) => {
      const source = join(dir, "f.ptx");
      writeFileSync(source, text);
      const out = join(dir, "f.cubin");
      const made = tool("ptxas", ["-arch=sm_90", "-O3", "-c", "-o", out, source]);
      if (made.status !== 0) throw new Error(made.stderr);
      return tool("nvdisasm", ["-c", out]).stdout;
    });
    const holds = new Map<string, string>();
    const seen: string[] = [];
    for (const line of sass.split("\n")) {
      const load = /LDL\.U8 (R\d+), \[R1(?:\+(0x[0-9a-f]+))?\]/.exec(line);
      if (load !== null) holds.set(load[1]!, `stack ${Number(load[2] ?? 0)}`);
      const byte = /PRMT (R\d+), (R\d+)(?:\.reuse)?, 0x7770/.exec(line);
      if (byte !== null) holds.set(byte[1]!, byte[2]!);
      const store = /STS\.U8 \[\w+\+(0x[0-9a-f]+)\], (R\d+)/.exec(line);
      if (store !== null) seen[Number(store[1]) / 1000 - 1] = holds.get(store[2]!) ?? store[2]!;
    }
    const { places } = passing(
      params.map(([size, align]) => ({ size, align })),
      result,
    );
    expect(places.map((p) => (p.register >= 0 ? `R${p.register}` : `stack ${p.offset}`))).toEqual(seen);
  });
});
