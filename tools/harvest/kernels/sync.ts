/** Kernels of barriers, fences, mbarriers, asynchronous copies, special registers, clusters and control flow. */
import { SHARED_ADDRESS, SHARED_DECLARATION } from "./memory.js";
import { expand, type Kernels } from "./template.js";

const PLAIN = `
bar.sync <0|1|%r1|1,64|%r1,64|2,%r2|%r1,%r2>
bar.arrive <1,64|%r1,64|3,%r2|%r1,%r2>
barrier<|.cta>.sync<|.aligned> <0|4|1,64|%r1,%r2>
barrier<|.cta>.arrive<|.aligned> <1,64|%r1,%r2>
bar.warp.sync <-1|%r1|0xff>
barrier.cluster.arrive<|.aligned|.release|.relaxed|.release.aligned>
barrier.cluster.wait<|.acquire|.aligned>
membar.<cta|gl|sys>
fence.<sc|acq_rel|acquire|release>.<cta|gpu|sys|cluster>
fence.mbarrier_init.release.cluster
fence.proxy.<alias|async|async.global|async.shared::cta|async.shared::cluster>
fence.proxy.tensormap::generic.release.<cta|gpu|sys>
fence.proxy.tensormap::generic.acquire.<gpu|sys> [%y2],128
fence.acquire.sync_restrict::shared::cluster.cluster
fence.release.sync_restrict::shared::cta.cluster
fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster
fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster
nanosleep.u32 <100|%r1>
brkpt
trap
exit
pmevent 3
pmevent.mask 0x11
griddepcontrol.<wait|launch_dependents>
cp.async.commit_group
cp.async.wait_group <0|2>
cp.async.wait_all
cp.async.bulk.commit_group
cp.async.bulk.wait_group<|.read> <0|3>
wgmma.fence.sync.aligned
wgmma.commit_group.sync.aligned
wgmma.wait_group.sync.aligned 1
setmaxnreg.<inc|dec>.sync.aligned.u32 <24|160>
discard.global.L2 [%y2],128
applypriority.global.L2::evict_normal [%y2],128
prefetch.<global.L1|global.L2|L1|L2|local.L1|global.L2::evict_last|global.L2::evict_normal> [%y2]
prefetch.tensormap [%y2]
prefetchu.L1 [%y2]
tensormap.replace.tile.global_address.global.b1024.b64 [%y2],%l1
tensormap.replace.tile.rank.global.b1024.b32 [%y2],%r1
tensormap.replace.tile.<swizzle_mode|elemtype|interleave_layout|fill_mode>.global.b1024.b32 [%y2],2
tensormap.replace.tile.<box_dim|global_dim>.global.b1024.b32 [%y2],1,%r1
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%y2],[%x20],128
cp.async.bulk.prefetch.L2.global [%y2],<%r1|1024>
tcgen05.fence::<before|after>_thread_sync
tcgen05.wait::<ld|st>.sync.aligned
tcgen05.relinquish_alloc_permit.cta_group::<1|2>.sync.aligned
tcgen05.dealloc.cta_group::<1|2>.sync.aligned.b32 %r1,<64|%r2>
tcgen05.alloc.cta_group::<1|2>.sync.aligned.shared::cta.b32 [%x20],<64|%r1>
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes<|.multicast::cluster::all>.b128 [%x20],[%x22]
st.bulk<.weak|>.shared::cta [%x20],%l1,0
`;

const MBARRIERS = `
init.shared.b64 [%x20],<32|%r1>
inval.shared.b64 [%x20]
arrive.shared.b64 %l20,[%x20]<|,%r1>
arrive.expect_tx.shared.b64 <%l20|_>,[%x20],<%r1|1024>
<arrive|arrive_drop>.noComplete.shared.b64 %l20,[%x20],2
arrive_drop.shared.b64 %l20,[%x20]
<test|try>_wait.shared.b64 %p1,[%x20],%l1
<test|try>_wait.parity.shared.b64 %p1,[%x20],%r1
try_wait.parity.shared.b64 %p1,[%x20],%r1,1000
try_wait.parity.acquire.cluster.shared::cta.b64 %p1,[%x20],%r1
pending_count.b64 %r2,%l1
<expect|complete>_tx.relaxed.<cta|cluster>.shared::cta.b64 [%x20],%r1
arrive.release.cluster.shared::cluster.b64 _,[%x20]<|,%r1>
arrive.expect_tx.release.cluster.shared::cluster.b64 _,[%x20],%r1
`;

const SPECIAL =
  "tid.x tid.y tid.z ntid.x ntid.y ntid.z laneid warpid nwarpid ctaid.x ctaid.y ctaid.z nctaid.x nctaid.y nctaid.z smid nsmid " +
  "clusterid.x nclusterid.x cluster_ctaid.x cluster_ctaid.y cluster_nctaid.x cluster_ctarank cluster_nctarank lanemask_eq " +
  "lanemask_le lanemask_lt lanemask_ge lanemask_gt clock clock_hi pm0 pm1 pm7 envreg0 envreg31 globaltimer_lo globaltimer_hi " +
  "total_smem_size dynamic_smem_size aggr_smem_size reserved_smem_offset_begin reserved_smem_offset_cap";
const SPECIAL_WIDE = "gridid clock64 globaltimer pm0_64 current_graph_exec";

const BULK = `
cp.async.bulk.shared::<cluster|cta>.global.mbarrier::complete_tx::bytes [%x20],[%y2],%r1,[%x22]
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%x20],[%y2],%r1,[%x22],%h1
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%x20],[%y2],256,[%x22],%l1
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%x20],[%x22],%r1,[%x23]
cp.async.bulk.global.shared::cta.bulk_group [%y2],[%x20],%r1
cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%y2],[%x20],%r1,%l1
cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%y2],[%x20],%r1,%h1
cp.reduce.async.bulk.global.shared::cta.bulk_group.<add.<u32|s32|u64|f32|f64|noftz.f16|noftz.bf16>|<min|max>.<u32|s32|u64|s64|f16|bf16>|<inc|dec>.u32|<and|or|xor>.<b32|b64>> [%y2],[%x20],%r1
cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.<add.<u32|s32|u64>|<min|max>.<u32|s32>|<inc|dec>.u32|<and|or|xor>.b32> [%x20],[%x22],%r1,[%x23]
`;

export function addSync(k: Kernels): void {
  const lines = (table: string): string[] => table.trim().split("\n").flatMap(expand);
  for (const op of lines(PLAIN)) {
    const after = "st.global.b32 [%y3],%r1;";
    k.add(`${op};`, {
      before: `ld.global.b32 %r1,[%y2]; ld.global.b32 %r2,[%y2+4]; ld.global.b64 %l1,[%y2+8];${SHARED_ADDRESS} add.u32 %x22,%x20,512;`,
      declarations: SHARED_DECLARATION,
      after,
    });
    k.add(`${op};`, {
      before:
        "ld.param.b32 %r1,[pa]; ld.param.b32 %r2,[pb]; ld.param.b64 %l1,[pc]; mov.u32 %x20,sm@N; add.u32 %x22,%x20,512; mov.b64 %y2,%y0;",
      parameters: ", .param .b32 pa, .param .b32 pb, .param .b64 pc",
      declarations: SHARED_DECLARATION,
      after,
    });
  }
  const mbarrier = [
    ...lines(MBARRIERS).map((m) => `mbarrier.${m}`),
    "cp.async.mbarrier.arrive.shared.b64 [%x20]",
    "cp.async.mbarrier.arrive.noinc.shared.b64 [%x20]",
    ...expand("tcgen05.commit.cta_group::<1|2>.mbarrier::arrive::one<.b64 [%y2]|.shared::cluster.b64 [%x20]>"),
    "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%x20],%h1",
  ];
  const keepAll =
    "selp.b32 %r3,1,2,%p1; st.global.b32 [%y3],%r3; st.global.b32 [%y3+4],%r2; st.global.b64 [%y3+8],%l20;";
  for (const m of mbarrier)
    for (const uniform of [false, true])
      k.add(`${m};`, {
        before: `${uniform ? "mov.u32 %x20,sm@N; ld.param.b32 %r1,[pa];" : `${SHARED_ADDRESS} ld.global.b32 %r1,[%y2];`} ld.global.b64 %l1,[%y2+8]; ld.global.b16 %h1,[%y2+32]; setp.gt.s32 %p1,%x0,6; mov.b32 %r2,0; mov.b64 %l20,0;`,
        parameters: uniform ? ", .param .b32 pa" : "",
        declarations: SHARED_DECLARATION,
        after: keepAll,
      });
  for (const t of ["popc.u32", "and.pred", "or.pred"])
    for (const head of ["bar.red", "barrier.red", "barrier.red.aligned"]) {
      const d = t.startsWith("popc") ? "%r20" : "%p2";
      for (const args of ["1,%p1", "%r1,64,!%p1", "%r1,%r2,%p1", "2,%r2,!%p1"])
        k.add(`${head}.${t} ${d},${args};`, {
          before:
            "ld.global.b32 %r1,[%y2]; ld.global.b32 %r2,[%y2+4]; setp.gt.s32 %p1,%r1,3; mov.b32 %r20,0; setp.gt.s32 %p2,%r1,4;",
          after: "selp.b32 %r21,1,2,%p2; st.global.b32 [%y3],%r20; st.global.b32 [%y3+4],%r21;",
        });
    }
  for (const s of SPECIAL.split(" ")) k.add(`mov.u32 %r1,%${s};`, { after: "st.global.b32 [%y3],%r1;" });
  for (const s of SPECIAL_WIDE.split(" ")) k.add(`mov.u64 %l1,%${s};`, { after: "st.global.b64 [%y3],%l1;" });
  k.add("mov.pred %p1,%is_explicit_cluster;", { after: "selp.b32 %r1,1,2,%p1; st.global.b32 [%y3],%r1;" });
  for (const s of ["global", "shared", "local", "const", "shared::cluster", "shared::cta", "param", "param::entry"]) {
    k.add(`isspacep.${s} %p1,%y2;`, { after: "selp.b32 %r1,1,2,%p1; st.global.b32 [%y3],%r1;" });
    for (const op of [`cvta.to.${s}.u64`, `cvta.${s}.u64`])
      k.add(`${op} %l1,%y2;`, { after: "st.global.b64 [%y3],%l1;" });
  }
  addCluster(k);
  addCopies(k, lines);
}

function addCluster(k: Kernels): void {
  const before = "mov.u32 %x20,sm@N; mapa.shared::cluster.u32 %r1,%x20,%x0; mov.b32 %r2,%x0; add.u32 %r3,%r1,64;";
  const after = "st.global.b32 [%y3],%r1;";
  const list = [
    "mapa.shared::cluster.u32 %r1,%x20,<3|%x0>",
    "mapa<|.shared::cluster>.u64 %l1,%y2,3",
    "getctarank.shared::cluster.u32 %r1,%r3",
    "st.async<.weak|>.shared::cluster.mbarrier::complete_tx::bytes.<b32|u32|s32|f32> [%r1],%r2,[%r3]",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r1],%y2,[%r3]",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r1],{%r1,%r2,%r3,%r3},[%r3]",
    "st.async.mmio.release.sys.global.<b32|u32> [%y2],%r2",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.<add.u32|add.s32|min.s32|max.u32|inc.u32|dec.u32|and.b32|or.b32|xor.b32> [%r1],%r2,[%r3]",
    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%r1],%y2,[%r3]",
    "red.async.mmio.release.sys.global.add.<u32|s32> [%y2],%r2",
  ];
  for (const op of list.flatMap(expand)) k.add(`${op};`, { before, after, declarations: SHARED_DECLARATION });
  for (const f of ["0.5", "1.0"])
    for (const p of ["L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"]) {
      k.add(`createpolicy.fractional.${p}.b64 %l1,${f};`, { after: "st.global.L2::cache_hint.b32 [%y3],%r1,%l1;" });
      k.add(`createpolicy.range.global.${p}.L2::evict_unchanged.b64 %l1,[%y2],%r1,%r1;`, {
        before: "ld.global.b32 %r1,[%y2];",
        after:
          "ld.global.L2::cache_hint.v4.b32 {%r1,%r2,%r3,%r4},[%y2],%l1; st.global.L2::cache_hint.v4.b32 [%y3],{%r1,%r2,%r3,%r4},%l1; atom.global.add.L2::cache_hint.u32 %r5,[%y2],%r3,%l1; st.global.b32 [%y3],%r5;",
      });
    }
  k.add("ld.global.L2::cache_hint.b32 %r1,[%y2],%l1;", { before: "ld.global.b64 %l1,[%y2+8];", after });
  k.add("L1: add.u32 %r2,%r2,%r1; xor.b32 %r1,%r1,%r2; setp.lt.u32 %p1,%r2,1000; @%p1 bra L1;", {
    before: "ld.global.b32 %r1,[%y2]; mov.u32 %r2,0;",
    after: "st.global.b32 [%y3],%r2;",
  });
  k.add(
    "ts: .branchtargets A,B,C; brx.idx %r1,ts; A: st.global.b32 [%y3],1; bra D; B: st.global.b32 [%y3],2; bra D; C: st.global.b32 [%y3],3; D:",
    { before: "ld.global.b32 %r1,[%y2];" },
  );
  k.add(
    "setp.gt.s32 %p1,%r1,5; @%p1 bra L2; ld.global.b32 %r3,[%y2]; setp.lt.s32 %p2,%r3,0; @%p2 bra L2; bar.sync 0; st.global.b32 [%y3],%r3; L2:",
    { before: "ld.param.b32 %r1,[pa];", parameters: ", .param .b32 pa" },
  );
  k.add("{ .param .b32 q; .param .b32 o; st.param.b32 [q],%x0; call (o),fn@N,(q); ld.param.b32 %r1,[o]; }", {
    declarations:
      ".func (.param .b32 o) fn@N(.param .b32 i) .noinline { .reg .b32 %r<9>; .reg .pred %p<3>; ld.param.b32 %r1,[i]; L: mul.lo.u32 %r1,%r1,%r1; setp.lt.u32 %p1,%r1,99; @%p1 bra L; st.param.b32 [o],%r1; ret; }\n",
    after,
  });
  k.add(
    "{ .param .b32 q; .param .b32 o; st.param.b32 [q],%x0; pp: .callprototype (.param .b32 _) _ (.param .b32 _); call (o),%l1,(q),pp; ld.param.b32 %r1,[o]; }",
    { before: "ld.global.b64 %l1,[%y2];", after },
  );
  k.add("stacksave.u64 %l3; alloca.u64 %l1,%l2; stackrestore.u64 %l3;", {
    before: "ld.global.b64 %l2,[%y2];",
    after: "st.global.b64 [%y3],%l1;",
  });
}

function addCopies(k: Kernels, lines: (table: string) => string[]): void {
  for (const size of [4, 8, 16])
    for (const op of expand(
      `cp.async.<ca|cg>.shared.global<|.L2::64B|.L2::128B|.L2::256B> [%x20],[%y2],${size}<|,%r1|,%p1|,${size / 2}>`,
    ))
      k.add(`${op};`, {
        before: `${SHARED_ADDRESS} ld.global.b32 %r1,[%y2]; setp.gt.s32 %p1,%r1,4;`,
        declarations: SHARED_DECLARATION,
      });
  const bulk = lines(BULK);
  for (let n = 1; n <= 5; n++) {
    const at = Array.from({ length: n }, (_, i) => `%r${1 + (i % 2)}`).join(",");
    for (const mode of [
      "tile",
      "im2col",
      "im2col_no_offs",
      "tile::gather4",
      "tile::scatter4",
      "im2col::w",
      "im2col::w::128",
    ]) {
      const four = mode.includes("4");
      if (four && n !== 2) continue;
      const where = four ? "{%r1,%r2,%r1,%r2,%r1}" : `{${at}}`;
      const offsets = mode.startsWith("im2col::w")
        ? ",{%h1,%h1}"
        : mode === "im2col" && n > 2
          ? `,{${new Array(n - 2).fill("%h1").join(",")}}`
          : "";
      const load = `cp.async.bulk.tensor.${n}d.shared::cluster.global.${mode}.mbarrier::complete_tx::bytes`;
      for (const g of ["", ".cta_group::1", ".cta_group::2"])
        bulk.push(
          `${load}${g} [%x20],[%y2,${where}],[%x22]${offsets}`,
          `${load}.multicast::cluster${g}.L2::cache_hint [%x20],[%y2,${where}],[%x22]${offsets},%h1,%l1`,
        );
      bulk.push(
        `${load.replace("::cluster", "::cta")} [%x20],[%y2,${where}],[%x22]${offsets}`,
        `cp.async.bulk.tensor.${n}d.global.shared::cta.${mode}.bulk_group [%y2,${where}],[%x20]`,
        `cp.async.bulk.tensor.${n}d.global.shared::cta.${mode}.bulk_group.L2::cache_hint [%y2,${where}],[%x20],%l1`,
        `cp.async.bulk.prefetch.tensor.${n}d.L2.global.${mode} [%y2,${where}]${offsets}`,
      );
      for (const o of ["add", "min", "max", "inc", "dec", "and", "or", "xor"])
        if (o === "add" || n <= 2 || n === 5)
          bulk.push(
            `cp.reduce.async.bulk.tensor.${n}d.global.shared::cta.${o}.${mode}.bulk_group [%y2,${where}],[%x20]`,
          );
    }
  }
  for (const op of bulk)
    k.add(`${op};`, {
      before:
        "mov.u32 %x20,sm@N; add.u32 %x22,%x20,512; add.u32 %x23,%x20,1024; ld.param.b32 %r1,[pa]; ld.global.b32 %r2,[%y2]; ld.param.b64 %l1,[pc]; ld.global.b16 %h1,[%y2+32];",
      parameters: ", .param .b32 pa, .param .b64 pc",
      declarations: SHARED_DECLARATION,
    });
}
