/** Kernels of matrix instructions: mma, ldmatrix, wmma, wgmma, tcgen05. */
import { SHARED_ADDRESS, SHARED_DECLARATION } from "./memory.js";
import { bitsOfLetter, expand, type Kernels } from "./template.js";

const list = (prefix: string, from: number, n: number): string[] =>
  Array.from({ length: n }, (_, i) => `%${prefix}${from + i}`);
const braces = (regs: readonly string[]): string => `{${regs.join(",")}}`;

/** `op` with the registers of D, A, B, C: counts, letters of D, A and B, C. */
function mma(k: Kernels, op: string, counts: readonly number[], letters = "rrr", extra = ""): void {
  const [dt, at, ct] = [...letters] as [string, string, string];
  const [d, a, b, c] = counts as [number, number, number, number];
  const D = list(dt, 20, d);
  const A = list(at, 1, a);
  const B = list(at, 10, b);
  const C = list(ct, 40, c);
  // Metadata and scales too: an unwritten register is another one in each code.
  const before = [...A, ...B, ...C, ...new Set(extra.match(/%r\d+/g))]
    .map((r) => `ld.global.${bitsOfLetter(r[1]!)} ${r},[%y2+${Number(r.slice(2)) * 8}];`)
    .join(" ");
  const after = D.map((r, i) => `st.global.${bitsOfLetter(dt)} [%y3+${i * 8}],${r};`).join(" ");
  k.add(`${op} ${braces(D)},${braces(A)},${braces(B)},${braces(C)}${extra};`, { before, after });
}

/** OP | D A B C counts | letters of D, A and B, C | what follows. */
const MMA = `
mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 | 2 2 1 2 | rrr
mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 | 2 4 2 2 | rrr
mma.sync.aligned.m16n8k8.row.col.f32.<f16.f16|bf16.bf16>.f32 | 4 2 1 4 | frf
mma.sync.aligned.m16n8k16.row.col.f32.<f16.f16|bf16.bf16>.f32 | 4 4 2 4 | frf
mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16 | 4 2 1 2 | frr
mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32 | 2 4 2 4 | rrf
mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 | 4 2 1 4 | frf
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 | 4 4 2 4 | frf
mma.sync.aligned.m8n8k4.<row.col|row.row|col.col|col.row>.f32.f16.f16.f32 | 8 2 2 8 | frf
mma.sync.aligned.m8n8k4.<row.col|row.row|col.col|col.row>.f16.f16.f16.f16 | 4 2 2 4 | rrr
mma.sync.aligned.m8n8k4.row.col<|.rn|.rz|.rm|.rp>.f64.f64.f64.f64 | 2 1 1 2 | ddd
mma.sync.aligned.m16n8k4.row.col<|.rn|.rz|.rm|.rp>.f64.f64.f64.f64 | 4 2 1 4 | ddd
mma.sync.aligned.m16n8k8.row.col<|.rn|.rz|.rm|.rp>.f64.f64.f64.f64 | 4 4 2 4 | ddd
mma.sync.aligned.m16n8k16.row.col<|.rn|.rz|.rm|.rp>.f64.f64.f64.f64 | 4 8 4 4 | ddd
mma.sync.aligned.m8n8k16.row.col<|.satfinite>.s32.<u8|s8>.<u8|s8>.s32 | 2 1 1 2 | rrr
mma.sync.aligned.m16n8k16.row.col<|.satfinite>.s32.<u8|s8>.<u8|s8>.s32 | 4 2 1 4 | rrr
mma.sync.aligned.m16n8k32.row.col<|.satfinite>.s32.<u8|s8>.<u8|s8>.s32 | 4 4 2 4 | rrr
mma.sp<|::ordered_metadata>.sync.aligned.m16n8k32.row.col<|.satfinite>.s32.<u8|s8>.<u8|s8>.s32 | 4 2 2 4 | rrr | ,%r9,0x1
mma.sp<|::ordered_metadata>.sync.aligned.m16n8k64.row.col<|.satfinite>.s32.<u8|s8>.<u8|s8>.s32 | 4 4 4 4 | rrr | ,%r9,0x0
mma.sync.aligned.m8n8k32.row.col<|.satfinite>.s32.<u4|s4>.<u4|s4>.s32 | 2 1 1 2 | rrr
mma.sync.aligned.m16n8k32.row.col<|.satfinite>.s32.<u4|s4>.<u4|s4>.s32 | 4 2 1 4 | rrr
mma.sync.aligned.m16n8k64.row.col<|.satfinite>.s32.<u4|s4>.<u4|s4>.s32 | 4 4 2 4 | rrr
mma.sp.sync.aligned.m16n8k64.row.col<|.satfinite>.s32.<u4|s4>.<u4|s4>.s32 | 4 2 2 4 | rrr | ,%r9,0x0
mma.sp<|::ordered_metadata>.sync.aligned.m16n8k128.row.col<|.satfinite>.s32.<u4|s4>.<u4|s4>.s32 | 4 4 4 4 | rrr | ,%r9,0x0
mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.<xor|and>.popc | 2 1 1 2 | rrr
mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.<xor|and>.popc | 4 2 1 4 | rrr
mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.<xor|and>.popc | 4 4 2 4 | rrr
mma.sync.aligned.m16n8k32.row.col<|.kind::f8f6f4>.f32.<F8>.<F8>.f32 | 4 4 2 4 | frf
mma.sync.aligned.m16n8k32.row.col<|.kind::f8f6f4>.f16.<F8>.<F8>.f16 | 2 4 2 2 | rrr
mma.sync.aligned.m16n8k16.row.col<|.kind::f8f6f4>.f32.<F8>.<F8>.f32 | 4 2 1 4 | frf
mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.<F8>.<F8>.f32 | 4 4 4 4 | frf | ,%r9,0x0
mma.sp.sync.aligned.m16n8k64.row.col.f32.<F8>.<F8>.f32 | 4 4 4 4 | frf | ,%r9,0x0
mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.<F8>.<F8>.f32.ue8m0 | 4 4 2 4 | frf | ,%r8,{0,0},%r9,{0,0}
mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0 | 4 4 2 4 | frf | ,%r8,{2,1},%r9,{1,1}
mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.<F8>.e4m3.f32.ue8m0 | 4 4 4 4 | frf | ,%r9,0x0,%r8,{0,0},%r9,{0,0}
mma.sync.aligned.m16n8k64.row.col.kind::<mxf4|mxf4nvf4>.block_scale.scale_vec::<2X|4X>.f32.e2m1.e2m1.f32.<ue8m0|ue4m3> | 4 4 2 4 | frf | ,%r8,{0,0},%r9,{0,1}
mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::<mxf4|mxf4nvf4>.block_scale.scale_vec::<2X|4X>.f32.e2m1.e2m1.f32.<ue8m0|ue4m3> | 4 4 4 4 | frf | ,%r9,0x0,%r8,{0,0},%r9,{0,1}
mma.sp<|::ordered_metadata>.sync.aligned.m16n8k16.row.col.f32.<f16.f16|bf16.bf16>.f32 | 4 2 2 4 | frf | ,%r9,0x1
mma.sp<|::ordered_metadata>.sync.aligned.m16n8k16.row.col.f32.<f16.f16|bf16.bf16>.f32 | 4 2 2 4 | frf | ,%r9,0x3
mma.sp<|::ordered_metadata>.sync.aligned.m16n8k32.row.col.f32.<f16.f16|bf16.bf16>.f32 | 4 4 4 4 | frf | ,%r9,0x0
mma.sp<|::ordered_metadata>.sync.aligned.m16n8k32.row.col.f32.<f16.f16|bf16.bf16>.f32 | 4 4 4 4 | frf | ,%r9,0x1
mma.sp<|::ordered_metadata>.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 | 2 2 2 2 | rrr | ,%r9,0x1
mma.sp<|::ordered_metadata>.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 | 2 4 4 2 | rrr | ,%r9,0x1
mma.sp<|::ordered_metadata>.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 | 4 2 2 4 | frf | ,%r9,0x1
mma.sp<|::ordered_metadata>.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 | 4 4 4 4 | frf | ,%r9,0x0
`;

export function addMatrix(k: Kernels): void {
  for (const line of MMA.trim().split("\n")) {
    const [op, counts, letters, extra] = line.split(" | ");
    for (const x of expand(op!.replaceAll("<F8>", "<e4m3|e5m2|e2m1|e3m2|e2m3>")))
      mma(k, x, counts!.split(" ").map(Number), letters, extra);
  }
  k.add("movmatrix.sync.aligned.m8n8.trans.b16 %r20,%r1;", {
    before: "ld.global.b32 %r1,[%y2];",
    after: "st.global.b32 [%y3],%r20;",
  });
  addMatrixMoves(k);
  addWgmma(k);
  addTensorMemory(k);
  addTensorMma(k);
}

function addMatrixMoves(k: Kernels): void {
  for (const trans of ["", ".trans"])
    for (const n of [1, 2, 4])
      for (const shape of ["m8n8", "m16n16", "m8n16", "m16n8"])
        for (const type of ["b16", "b8", "b8x16.b6x16_p32", "b8x16.b4x16_p64"]) {
          const out = braces(list("r", 20, shape === "m16n16" ? 2 * n : n));
          const parts = { before: SHARED_ADDRESS, declarations: SHARED_DECLARATION };
          for (const offset of ["", "+256"])
            k.add(`ldmatrix.sync.aligned.${shape}.x${n}${trans}.shared.${type} ${out},[%x20${offset}];`, {
              ...parts,
              after: "st.global.b32 [%y3],%r20;",
            });
          const load = list("r", 20, n).map((r, i) => `ld.global.b32 ${r},[%y2+${i * 4}];`);
          k.add(`stmatrix.sync.aligned.${shape}.x${n}${trans}.shared.${type} [%x20],${braces(list("r", 20, n))};`, {
            ...parts,
            before: `${SHARED_ADDRESS} ${load.join(" ")}`,
          });
        }
  for (const layout of ["row", "col"])
    for (const space of ["shared", "global"]) {
      const at = space === "shared" ? "%x20" : "%y2";
      const parts = {
        before: `${space === "shared" ? SHARED_ADDRESS : ""} ld.global.f32 %f1,[%y2];`,
        declarations: space === "shared" ? SHARED_DECLARATION : "",
      };
      for (const f of ["a", "b"])
        k.add(`wmma.load.${f}.sync.aligned.${layout}.m16n16k16.${space}.f16 ${braces(list("r", 20, 8))},[${at}],%x1;`, {
          ...parts,
          after: "st.global.b32 [%y3],%r20; st.global.b32 [%y3+4],%r27;",
        });
      k.add(
        `wmma.store.d.sync.aligned.${layout}.m16n16k16.${space}.f32 [${at}],${braces(new Array(8).fill("%f1"))},%x1;`,
        parts,
      );
    }
}

function wgmma(
  k: Kernels,
  shape: string,
  types: string,
  n: number,
  letter: "f" | "r",
  scale: string,
  trans: string,
  sparse: string,
): void {
  const b = letter === "f" ? "f32" : "b32";
  const d = braces(Array.from({ length: n }, (_, i) => `%w${i}`));
  const before =
    `.reg .${b} %w<${n}>;${Array.from({ length: n }, (_, i) => ` ld.global.${b} %w${i},[%y2+${i * 4}];`).join("")}` +
    " ld.param.b64 %l1,[pa]; ld.param.b64 %l2,[pb]; ld.param.b32 %r9,[pc]; setp.ne.b32 %p1,%r9,0; ld.global.b32 %r1,[%y2];" +
    " ld.global.b32 %r2,[%y2+4]; ld.global.b32 %r3,[%y2+8]; ld.global.b32 %r4,[%y2+12]; wgmma.fence.sync.aligned;";
  const after =
    "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" +
    Array.from({ length: n }, (_, i) => ` st.global.${b} [%y3+${i * 4}],%w${i};`).join("");
  const parts = { before, after, parameters: ", .param .b64 pa, .param .b64 pb, .param .b32 pc" };
  const meta = sparse ? ",%r9,0" : "";
  const op = `wgmma.mma_async${sparse}.sync.aligned.${shape}${types}`;
  k.add(`${op} ${d},%l1,%l2${meta},%p1${scale}${trans};`, parts);
  const one = trans === "" ? "" : trans.slice(0, trans.lastIndexOf(","));
  k.add(`${op} ${d},{%r1,%r2,%r3,%r4},%l2${meta},%p1${scale}${one};`, parts);
}

function addWgmma(k: Kernels): void {
  for (const n of [8, 16, 24, 32, 64, 96, 128, 256])
    for (const [sparse, f] of [
      ["", 1],
      [".sp", 2],
    ] as const) {
      const go = (depth: number, types: string, count: number, letter: "f" | "r", scale = ", 1, 1", trans = ""): void =>
        wgmma(k, `m64n${n}k${depth * f}`, types, count, letter, scale, trans, sparse);
      for (const t of ["f16", "bf16"]) {
        for (const trans of [", 0, 0", ", 1, 1", ", 0, 1"])
          if (n <= 128) go(16, `.f32.${t}.${t}`, n / 2, "f", ", 1, 1", trans);
        for (const scale of [", -1, 1", ", 1, -1"]) go(16, `.f32.${t}.${t}`, n / 2, "f", scale, ", 0, 0");
      }
      go(16, ".f16.f16.f16", n / 4, "r", ", 1, 1", ", 0, 0");
      go(8, ".f32.tf32.tf32", n / 2, "f");
      if (n > 64) continue;
      for (const t of expand(".<e4m3|e5m2>.<e4m3|e5m2>")) {
        go(32, `.f32${t}`, n / 2, "f");
        go(32, `.f16${t}`, n / 4, "r");
      }
      for (const t of expand(".<u8|s8>.<u8|s8>")) go(32, `.s32${t}`, n / 2, "r", "");
      if (sparse === "") go(256, ".s32.b1.b1", n / 2, "r", "");
    }
}

function addTensorMemory(k: Kernels): void {
  for (const [shape, unit] of [
    ["16x64b", 1],
    ["16x128b", 2],
    ["16x256b", 4],
    ["32x32b", 1],
    ["16x32bx2", 1],
  ] as const)
    for (const x of [1, 2, 4, 8, 16, 32, 64, 128]) {
      const n = unit * x;
      if (n > 128) continue;
      const regs = Array.from({ length: n }, (_, i) => `%w${i}`);
      const immediate = shape.includes("x2") ? ",32" : "";
      const loads = regs.map((r, i) => ` ld.global.b32 ${r},[%y2+${i * 4}];`).join("");
      const stores = regs.map((r, i) => ` st.global.b32 [%y3+${i * 4}],${r};`).join("");
      const own = `.reg .b32 %w<${n}>; .reg .b32 %rr;`;
      for (const p of ["", ".pack::16b"])
        k.add(`tcgen05.ld.sync.aligned.${shape}.x${x}${p}.b32 ${braces(regs)},[%r1]${immediate};`, {
          before: `${own} ld.global.b32 %r1,[%y2];`,
          after: `tcgen05.wait::ld.sync.aligned;${stores}`,
        });
      for (const p of ["", ".unpack::16b"])
        k.add(`tcgen05.st.sync.aligned.${shape}.x${x}${p}.b32 [%r1+4]${immediate},${braces(regs)};`, {
          before: `${own}${loads} ld.param.b32 %r1,[pa];`,
          parameters: ", .param .b32 pa",
        });
      if ((shape === "32x32b" || shape === "16x32bx2") && n > 1)
        for (const o of ["min.f32", "max.f32", "min.abs.f32", "max.NaN.f32", "min.u32", "max.s32"])
          k.add(`tcgen05.ld.red.sync.aligned.${shape}.x${x}.${o} ${braces(regs)},%rr,[%r1]${immediate};`, {
            before: `${own} ld.global.b32 %r1,[%y2];`,
            after: "tcgen05.wait::ld.sync.aligned; st.global.b32 [%y3],%w0; st.global.b32 [%y3+4],%rr;",
          });
    }
}

function addTensorMma(k: Kernels): void {
  const parts = {
    before:
      "ld.param.b32 %r1,[pa]; ld.param.b32 %r2,[pb]; ld.param.b64 %l1,[pc]; ld.param.b64 %l2,[pd]; ld.param.b32 %r3,[pe]; " +
      "ld.param.b32 %r4,[pf]; setp.ne.b32 %p1,%r4,0; mov.b32 %r5,%r4; mov.b32 %r6,%r4;",
    parameters: ", .param .b32 pa, .param .b32 pb, .param .b64 pc, .param .b64 pd, .param .b32 pe, .param .b32 pf",
  };
  const add = (text: string): void => {
    for (const op of expand(text)) k.add(`${op};`, parts);
  };
  for (const g of [1, 2]) {
    add(
      `tcgen05.cp.cta_group::${g}.<128x256b|4x256b|128x128b|64x128b.warpx2::02_13|64x128b.warpx2::01_23|32x128b.warpx4><|.b8x16.b6x16_p32|.b8x16.b4x16_p64> [%r1],%l1`,
    );
    add(`tcgen05.shift.cta_group::${g}.down [%r1+32]`);
    const mask = braces(list("r", 5, 1).concat(new Array(g === 1 ? 3 : 7).fill("%r6")));
    for (const sparse of ["", ".sp"]) {
      const meta = sparse ? ",[%r4]" : "";
      const head = `tcgen05.mma${sparse}.cta_group::${g}`;
      for (const a of ["%l1", "[%r2]"]) {
        const args = `[%r1],${a},%l2${meta},%r3`;
        add(`${head}.kind::<f16|tf32|f8f6f4|i8><|.collector::a::<fill|use|lastuse|discard>> ${args},%p1`);
        add(`${head}.kind::<f16|tf32> ${args},%p1,5`);
        add(`${head}.kind::<f16|tf32|f8f6f4|i8> ${args},${mask},%p1`);
        if (a !== "%l1") add(`${head}.kind::<f16|tf32|f8f6f4|i8>.ashift ${args},%p1`);
        if (g === 1)
          add(
            `tcgen05.mma.ws${sparse}.cta_group::1.kind::<f16|tf32|f8f6f4|i8><|.collector::b0::fill|.collector::b1::use|.collector::b2::lastuse|.collector::b3::discard> ${args},%p1<|,%l1>`,
          );
        add(
          `${head}.kind::<mxf8f6f4|mxf4|mxf4nvf4>.block_scale<|.scale_vec::<1X|2X|4X>|.block16|.block32> ${args},[%r5],[%r6],%p1`,
        );
      }
    }
  }
}
