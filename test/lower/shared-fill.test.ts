/** `st.bulk`: each thread fills a part of shared memory of its own length with zeros. */
import { compile } from "../../lib/compile";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim/index";
import { moduleHeader } from "./harness";

const WORDS = 256;

/** Thread t fills 8 · (t mod 3) bytes from byte 32 · t on. */
const text = (target: string, space: string): string => `${moduleHeader(target)}
.visible .entry k(.param .u64 to)
{
  .shared .align 16 .b8 s[${4 * WORDS}];
  .reg .b64 %to, %d, %g, %w; .reg .b32 %t, %s, %a, %v; .reg .b64 %n; .reg .pred %p;
  ld.param.u64 %to, [to]; mov.u32 %s, s; mov.u32 %t, %tid.x;
LOOP:
  mad.lo.u32 %a, %t, 4, %s; st.shared.u32 [%a], %t; add.u32 %t, %t, 32; setp.lt.u32 %p, %t, ${WORDS}; @%p bra LOOP;
  bar.sync 0;
  mov.u32 %t, %tid.x; rem.u32 %v, %t, 3; shl.b32 %v, %v, 3; cvt.u64.u32 %n, %v;
  mad.lo.u32 %a, %t, 32, %s; cvt.u64.u32 %g, %a; cvta.shared.u64 %g, %g;
  st.bulk${space} ${space === "" ? "[%g]" : "[%a]"}, %n, 0;
  bar.sync 0;
COPY:
  mad.lo.u32 %a, %t, 4, %s; ld.shared.u32 %v, [%a]; mul.wide.u32 %d, %t, 4; add.u64 %d, %to, %d; st.global.u32 [%d], %v;
  add.u32 %t, %t, 32; setp.lt.u32 %p, %t, ${WORDS}; @%p bra COPY;
  ret;
}
`;

test.each([
  ["sm_100", ".weak.shared::cta"],
  ["sm_120", ".shared::cta"],
  ["sm_100", ""],
] as const)("%s st.bulk%s", (target, space) => {
  for (const opt of [0, 2]) {
    const made = compile(text(target, space), { target, opt, verify: true });
    expect(made.diagnostics).toEqual([]);
    const to = new Uint32Array(WORDS);
    const run = unwrap(simulate(made.cubin!, { block: 32, params: [to] }));
    expect(run.fault).toBeNull();
    expect([...to]).toEqual([...to].map((_, e) => (4 * (e % 8) < 8 * (Math.floor(e / 8) % 3) ? 0 : e)));
  }
});
