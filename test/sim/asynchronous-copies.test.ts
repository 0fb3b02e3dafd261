/** Copies in the background of sm_100: bytes left out by a mask, barriers in the other CTA of a pair. */
import { compile } from "../../lib/compile";
import { unwrap } from "../../lib/result";
import { type Argument, simulate } from "../../lib/sim/index";

function run(body: string, params: readonly Argument[], cluster: number): void {
  const text = `.version 9.0\n.target sm_100a\n.address_size 64\n${body}`;
  const made = compile(text, { target: "sm_100a", verify: true });
  if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  const { fault } = unwrap(simulate(made.cubin, { grid: cluster, cluster, block: 32, params }));
  expect(fault).toBeNull();
}

test("cp_mask copies the bytes of each 16 whose bit is set", () => {
  const out = new Uint8Array(64).fill(0xee);
  run(
    `.visible .entry k(.param .u64 out, .param .u16 mask) {
.shared .align 16 .b8 s[64]; .reg .b64 %o; .reg .b32 %s, %t; .reg .b16 %m; .reg .pred %p;
ld.param.u64 %o, [out]; cvta.to.global.u64 %o, %o; ld.param.u16 %m, [mask]; mov.u32 %s, s; mov.u32 %t, %tid.x;
setp.ne.u32 %p, %t, 0; @%p bra END;
st.shared.v4.b32 [%s], {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c}; st.shared.v4.b32 [%s+16], {0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c};
fence.proxy.async.shared::cta;
cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%o+16], [%s], 32, %m;
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
END: ret; }`,
    [out, { u16: 0x8421 }],
    1,
  );
  const expected = new Uint8Array(64).fill(0xee);
  for (const at of [0, 5, 10, 15, 16, 21, 26, 31]) expected[16 + at] = at;
  expect(out).toEqual(expected);
});

const COUNT = 32;
const BYTES = 4 * COUNT;

/** Both CTAs of a pair get numbers by \`load\`, whose barrier, that of CTA \`%home\`, both signal. */
const pair = (
  home: number,
  load: string,
): string => `.visible .entry k(.param .align 128 .b8 map[128], .param .u64 out) {
.shared .align 128 .b8 s[${BYTES}]; .shared .align 8 .b64 bar;
.reg .b64 %map, %o, %d; .reg .b32 %s, %b, %t, %u, %rank, %x, %home; .reg .pred %p, %q; .reg .b16 %h;
mov.b64 %map, map; cvta.param.u64 %map, %map; ld.param.u64 %o, [out]; cvta.to.global.u64 %o, %o;
mov.u32 %s, s; mov.u32 %b, bar; mov.u32 %t, %tid.x; mov.u32 %rank, %cluster_ctarank; mul.lo.u32 %x, %rank, ${COUNT}; mov.b16 %h, 3;
mapa.shared::cluster.u32 %home, %b, ${home};
setp.ne.u32 %q, %t, 0; @%q bra START;
mbarrier.init.shared.b64 [%b], 1; fence.proxy.async.shared::cta; mbarrier.arrive.expect_tx.shared.b64 _, [%b], ${2 * BYTES};
START: barrier.cluster.arrive; barrier.cluster.wait;
@%q bra WAIT;
${load}
WAIT: setp.ne.u32 %p, %rank, ${home}; @%p bra OVER;
AGAIN: mbarrier.try_wait.parity.shared.b64 %p, [%b], 0; @!%p bra AGAIN;
OVER: barrier.cluster.arrive; barrier.cluster.wait;
mad.lo.u32 %u, %rank, ${COUNT}, %t; mul.wide.u32 %d, %u, 4; add.s64 %d, %o, %d; mad.lo.u32 %u, %t, 4, %s; ld.shared.u32 %u, [%u]; st.global.u32 [%d], %u;
ret; }`;

const copy = "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
const numbers = Uint32Array.from({ length: 2 * COUNT }, (_, i) => 1000 + i);
const tensorMap = { data: numbers, elementBytes: 4, dims: [2 * COUNT], box: [COUNT] } as const;

test.each([0, 1])("cta_group::2 signals the barrier of CTA %i from both of the pair", (home) => {
  const out = new Uint32Array(2 * COUNT);
  run(pair(home, `${copy}.cta_group::2 [%s], [%map, {%x}], [%home];`), [{ tensorMap }, out], 2);
  expect(out).toEqual(numbers);
});

test.each([0, 1])("a multicast with cta_group::2 signals the barrier of CTA %i for each of the pair", (home) => {
  const out = new Uint32Array(2 * COUNT);
  const load = `setp.ne.u32 %p, %rank, 0; @%p bra WAIT; ${copy}.multicast::cluster.cta_group::2 [%s], [%map, {%x}], [%home], %h;`;
  run(pair(home, load), [{ tensorMap }, out], 2);
  const first = numbers.subarray(0, COUNT);
  expect(out).toEqual(Uint32Array.of(...first, ...first));
});
