/** The PTX interpreter against results that others computed: the corpus, the programs with a host twin, kernels small enough to say what comes out. */
import { interpretLaunchFile, PtxDevice } from "../../lib/sim/ptx/index.js";
import { corpus, corpusPtx, corpusTargets } from "../corpus/cases.js";
import { programs } from "../programs/programs.js";

const none = (): null => null;

describe.each(corpusTargets)("corpus for %s", (target) => {
  test.each(corpus.map((c) => [c.name, c] as const))("%s", (name, { launch }) => {
    const ran = interpretLaunchFile(corpusPtx(name, target), launch, none);
    expect(ran.lines.filter(() => ran.status !== 0)).toEqual([]);
  });
});

describe("programs in CUDA C++", () => {
  test.each(programs.map((p) => [p.name, p] as const))("%s", (_, { ptx, launch }) => {
    const ran = interpretLaunchFile(ptx, launch, none);
    expect(ran.lines.filter(() => ran.status !== 0)).toEqual([]);
  });
});

const head = ".version 9.0\n.target sm_90a\n.address_size 64\n";
const kernel = (body: string, before = ""): string =>
  `${head}${before}.visible .entry k(.param .u64 out) {
.reg .pred %p<4>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<9>;
ld.param.u64 %rd0, [out];
mov.u32 %r0, %tid.x;
mad.wide.u32 %rd0, %r0, 4, %rd0;
${body}
st.global.b32 [%rd0], %r9;
ret;
}\n`;

/** What each thread of a block leaves in %r9. */
function results(ptx: string, threads: number): number[] | string {
  const device = new PtxDevice();
  const module = device.load(ptx);
  if (!module.ok) return module.diagnostics.map((d) => `${d.span?.line}: ${d.message}`).join("; ");
  const out = new Uint32Array(threads);
  const run = device.launch(module.value, { block: threads, params: [out], maxInstructions: 1_000_000 });
  if (!run.ok) return run.diagnostics.map((d) => d.message).join("; ");
  const { fault } = run.value;
  return fault === null ? [...out] : `${fault.kind} at line ${fault.ptxLine}`;
}

test("lanes at different shuffles of one mask exchange values", () => {
  const body = `setp.lt.u32 %p1, %r0, 2;
@%p1 bra LOW;
shfl.sync.bfly.b32 %r9, %r0, 3, 31, 0xf;
bra END;
LOW:
shfl.sync.bfly.b32 %r9, %r0, 3, 31, 0xf;
END:`;
  expect(results(kernel(body), 4)).toEqual([3, 2, 1, 0]);
});

test("activemask is the lanes that come together when nobody else can run", () => {
  const body = `setp.ge.u32 %p1, %r0, 3;
mov.b32 %r9, 0;
@%p1 activemask.b32 %r9;`;
  expect(results(kernel(body), 6)).toEqual([0, 0, 0, 0x38, 0x38, 0x38]);
});

test("recursion through an address, with a frame each", () => {
  const f = `.func (.param .b32 r) f(.param .b32 n, .param .b64 self) {
.local .align 4 .b8 kept[4];
.reg .pred %p; .reg .b32 %n, %v; .reg .b64 %s;
ld.param.b32 %n, [n];
ld.param.b64 %s, [self];
st.local.b32 [kept], %n;
mov.b32 %v, 0;
setp.eq.u32 %p, %n, 0;
@%p bra END;
{
.param .b32 a; .param .b64 b; .param .b32 c;
sub.u32 %n, %n, 1;
st.param.b32 [a], %n;
st.param.b64 [b], %s;
P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
call (c), %s, (a, b), P;
ld.param.b32 %v, [c];
}
END:
ld.local.b32 %n, [kept];
add.u32 %v, %v, %n;
st.param.b32 [r], %v;
ret;
}
`;
  const body = `{ .param .b32 a; .param .b64 b; .param .b32 c;
mov.u64 %rd1, f;
st.param.b32 [a], %r0;
st.param.b64 [b], %rd1;
call (c), f, (a, b);
ld.param.b32 %r9, [c];
}`;
  expect(results(kernel(body, f), 6)).toEqual([0, 1, 3, 6, 10, 15]);
});

test("threads that wait for each other by memory come to their turns", () => {
  const body = `WAIT:
ld.volatile.shared.u32 %r1, [turn];
setp.ne.u32 %p1, %r1, %r0;
@%p1 bra WAIT;
atom.shared.add.u32 %r9, [turn], 1;`;
  expect(results(kernel(body, ".shared .u32 turn;\n"), 5)).toEqual([0, 1, 2, 3, 4]);
});

test.each([
  [
    "not known",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r0;",
    "9: not supported yet: movmatrix.sync.aligned.m8n8.trans.b16",
  ],
  ["a word that is not known", "prmt.b32.f4x %r9, %r0, %r0, 0;", "9: not supported yet: prmt.b32.f4x (.f4x)"],
  ["an access beside memory", "mov.u64 %rd0, 16; ld.global.u32 %r9, [%rd0];", "out-of-bounds at line 9"],
  ["a misaligned access", "add.u64 %rd0, %rd0, 2; ld.global.u32 %r9, [%rd0];", "misaligned at line 9"],
  ["a barrier that nobody else reaches", "setp.eq.u32 %p1, %r0, 0; @%p1 bar.sync 0, 64;", "deadlock at line 9"],
  ["a lane outside of its mask", "shfl.sync.idx.b32 %r9, %r0, 0, 31, 0x1;", "illegal-instruction at line 9"],
  ["no end", "L: bra L;", "budget at line 9"],
  ["trap", "trap;", "trap at line 9"],
])("%s", (_, body, message) => {
  expect(results(kernel(body), 2)).toBe(message);
});
