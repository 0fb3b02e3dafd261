/**
 * Instructions with uniform operands in code where each lane has operands of its own: once, lanes met before the instruction, and one of them was done for
 * all (the loop ended before it).
 */
import { compile } from "../../lib/compile";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim/index";
import type { TargetName } from "../../lib/target/index";
import { moduleHeader } from "./harness";

const THREADS = 64;

/** Each thread writes four words to its place of shared memory and copies them out, those of odd numbers to `to`, the others nowhere. */
const copies = (target: string): string => `${moduleHeader(target)}
.visible .entry k(.param .u64 to)
{
  .shared .align 16 .b8 s[${16 * THREADS}];
  .reg .b64 %to, %d; .reg .b32 %t, %s, %a, %v; .reg .pred %p;
  ld.param.u64 %to, [to]; mov.u32 %s, s; mov.u32 %t, %tid.x;
  mad.lo.u32 %a, %t, 16, %s; add.u32 %v, %t, 100; st.shared.v4.u32 [%a], {%v, %t, %v, %t};
  fence.proxy.async.shared::cta;
  and.b32 %v, %t, 1; setp.eq.u32 %p, %v, 0; @%p bra END;
  mul.wide.u32 %d, %t, 16; add.u64 %d, %to, %d;
  cp.async.bulk.global.shared::cta.bulk_group [%d], [%a], 16;
  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
END:
  ret;
}
`;

/** Each thread starts a barrier of its own with its number and asks how many are pending. */
const inits = (target: string): string => `${moduleHeader(target)}
.visible .entry k(.param .u64 to)
{
  .shared .align 8 .b64 b[${THREADS}];
  .reg .b64 %to, %d, %state; .reg .b32 %t, %s, %a, %v;
  ld.param.u64 %to, [to]; mov.u32 %s, b; mov.u32 %t, %tid.x;
  mad.lo.u32 %a, %t, 8, %s; add.u32 %v, %t, 2;
  mbarrier.init.shared.b64 [%a], %v;
  mbarrier.arrive.shared.b64 %state, [%a];
  mbarrier.pending_count.b64 %v, %state;
  mul.wide.u32 %d, %t, 4; add.u64 %d, %to, %d; st.global.u32 [%d], %v;
  ret;
}
`;

const run = (text: string, target: TargetName, opt: number, words: number): Uint32Array => {
  const made = compile(text, { target, opt, verify: true });
  expect(made.diagnostics).toEqual([]);
  const to = new Uint32Array(words);
  expect(unwrap(simulate(made.cubin!, { block: THREADS, params: [to] })).fault).toBeNull();
  return to;
};

describe.each(["sm_90", "sm_100", "sm_120"] as const)("%s", (target) => {
  test.each([0, 2])("a bulk copy by every second thread, -O%i", (opt) => {
    const to = run(copies(target), target, opt, 4 * THREADS);
    const expected = [...to].map((_, e) => {
      const t = e >> 2;
      return t % 2 === 0 ? 0 : e % 2 === 0 ? t + 100 : t;
    });
    expect([...to]).toEqual(expected);
  });

  test.each([0, 2])("a barrier for every thread, -O%i", (opt) => {
    const to = run(inits(target), target, opt, THREADS);
    expect([...to]).toEqual([...to].map((_, t) => t + 2));
  });
});
