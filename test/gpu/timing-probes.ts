/**
 * Kernels that measure what the timing model has parameters for: fetching code, constants, barriers, the start of blocks,
 * latency and bandwidth of the memories. Each reads the SM's clock itself and writes what it saw to its first argument.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assembleCubin } from "../../lib/assemble.js";
import { unwrap } from "../../lib/result.js";
import type { CorpusTarget } from "../corpus/cases.js";
import { tool } from "../oracle/tools.js";

export interface Probe {
  readonly name: string;
  readonly file: string;
  readonly cubin: Uint8Array;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  readonly sharedBytes: number;
  /** Words of 32 bits that it writes. */
  readonly words: number;
  /** Arguments after the output: "data" is the buffer described by `data`. */
  readonly params: readonly ("data" | { readonly u32: number } | { readonly bytes: string })[];
  /** Bytes of the buffer; word i of it holds (i + step) mod its words where `step` is given, else zero. */
  readonly data?: { readonly bytes: number; readonly step?: number };
  readonly launches: number;
}

/** Straight code: a clock, then NOPs that stall one cycle, over and over; three rounds; block 0's first warp tells. */
function straight(chunks: number, length: number): string {
  const lines = [
    ".target sm_90",
    ".entry k",
    ".registers 232",
    ".param 0 8",
    ".code",
    "k:",
    "B------ R- W- Y S07 ULDC.64 UR4, c[0x0][0x208] ;",
    "B------ R- W0 Y S02 LDC.64 R2, c[0x0][0x210] ;",
    "B------ R- W1 Y S02 S2R R5, SR_TID.X ;",
    "B------ R- W2 Y S02 S2R R6, SR_CTAID.X ;",
    "B012--- R- W- Y S06 IMAD R5, R6, 0x400, R5 ;",
    "B------ R- W- Y S13 ISETP.GE.U32.AND P1, PT, R5, 0x20, PT ;",
    "B------ R- W- Y S06 MOV R4, 0x3 ;",
    ".L_again:",
  ];
  for (let c = 0; c < chunks; c++) {
    lines.push(`B------ R- W- Y S01 CS2R.32 R${16 + c}, SR_CLOCKLO ;`);
    for (let i = 1; i < length; i++) lines.push("B------ R- W- Y S01 NOP ;");
  }
  lines.push("B------ R- W- Y S15 NOP ;");
  for (let c = 0; c < chunks; c++)
    lines.push(`B------ R0 W- Y S02 @!P1 STG.E desc[UR4][R2.64+0x${(4 * c).toString(16)}], R${16 + c} ;`);
  lines.push(
    `B0----- R- W- Y S06 IADD3 R2, P2, R2, 0x${(4 * chunks).toString(16)}, RZ ;`,
    "B------ R- W- Y S13 NOP ;",
    "B------ R- W- Y S06 IADD3.X R3, RZ, R3, RZ, P2, !PT ;",
    "B------ R- W- Y S06 IADD3 R4, R4, -0x1, RZ ;",
    "B------ R- W- Y S13 ISETP.NE.AND P0, PT, R4, RZ, PT ;",
    "B------ R- W- Y S05 @P0 BRA `(.L_again) ;",
    "B------ R- W- Y S05 EXIT ;",
    ".end",
  );
  return lines.join("\n");
}

/** A clock between any two accesses to the constants of the launch. */
function constants(): string {
  const steps = [
    ["B------ R- W- Y S04 MOV R30, c[0x0][0x220] ;"],
    ["B------ R- W- Y S04 MOV R30, c[0x0][0x224] ;"],
    ["B------ R- W- Y S04 MOV R30, c[0x0][0x23c] ;"],
    ["B------ R- W- Y S04 MOV R30, c[0x0][0x240] ;"],
    ["B------ R- W- Y S04 MOV R30, c[0x0][0x280] ;"],
    ["B------ R- W- Y S04 MOV R30, c[0x0][0x300] ;"],
    ["B------ R- W- Y S04 MOV R30, c[0x0][0x400] ;"],
    ["B------ R- W- Y S04 MOV R30, c[0x0][0x404] ;"],
    ["B------ R- W- Y S12 ULDC UR6, c[0x0][0x404] ;"],
    ["B------ R- W- Y S12 ULDC UR6, c[0x0][0x480] ;"],
    ["B------ R- W0 Y S02 LDC R30, c[0x0][0x484] ;", "B0----- R- W- Y S02 NOP ;"],
    ["B------ R- W0 Y S02 LDC R30, c[0x0][0x488] ;", "B0----- R- W- Y S02 NOP ;"],
    ["B------ R- W0 Y S02 LDC R30, c[0x0][0x540] ;", "B0----- R- W- Y S02 NOP ;"],
    ["B------ R- W0 Y S02 LDC R30, c[0x0][0x544] ;", "B0----- R- W- Y S02 NOP ;"],
    ["B------ R- W0 Y S02 S2R R30, SR_TID.X ;", "B0----- R- W- Y S02 NOP ;"],
    ["B------ R- W0 Y S02 S2R R30, SR_CTAID.X ;", "B0----- R- W- Y S02 NOP ;"],
    ["B------ R- W0 Y S02 S2UR UR6, SR_CTAID.X ;", "B0----- R- W- Y S02 NOP ;"],
    ["B------ R- W- Y S04 NOP ;"],
  ];
  const lines = [".target sm_90", ".entry k", ".registers 64", ".param 0 8", ".param 8 1016", ".code", "k:"];
  steps.forEach((step, i) => {
    lines.push(`B------ R- W- Y S04 CS2R.32 R${32 + i}, SR_CLOCKLO ;`, ...step);
  });
  lines.push(`B------ R- W- Y S15 CS2R.32 R${32 + steps.length}, SR_CLOCKLO ;`);
  lines.push("B------ R- W- Y S07 ULDC.64 UR4, c[0x0][0x208] ;", "B------ R- W0 Y S02 LDC.64 R2, c[0x0][0x210] ;");
  for (let i = 0; i <= steps.length; i++)
    lines.push(`B0----- R- W- Y S02 STG.E desc[UR4][R2.64+0x${(4 * i).toString(16)}], R${32 + i} ;`);
  lines.push("B------ R- W- Y S05 EXIT ;", ".end");
  return lines.join("\n");
}

const entry = (params: string, registers: string, body: string): string =>
  `.version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(${params})\n{\n${registers}\n${body}\nret;\n}\n`;

/** When warps start and end, and on which SM. */
const blocks = entry(
  ".param .u64 out, .param .u32 spin",
  ".reg .b32 %r<16>; .reg .b64 %rd<4>; .reg .pred %p<4>;",
  `mov.u32 %r1, %clock; mov.u32 %r2, %smid; ld.param.u32 %r3, [spin]; ld.param.u64 %rd1, [out];
   mov.u32 %r5, %tid.x; mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ntid.x; mad.lo.u32 %r8, %r6, %r7, %r5; shr.u32 %r9, %r8, 5;
   mul.wide.u32 %rd2, %r9, 16; add.u64 %rd3, %rd1, %rd2; and.b32 %r10, %r5, 31; setp.eq.u32 %p1, %r10, 0;
 L: mov.u32 %r11, %clock; sub.u32 %r12, %r11, %r1; setp.lt.u32 %p2, %r12, %r3; @%p2 bra L;
   @%p1 st.global.v4.u32 [%rd3], {%r1, %r11, %r2, %r6};`,
);

/** 32 barriers in a row. */
const barriers = entry(
  ".param .u64 out",
  ".reg .b32 %r<16>; .reg .b64 %rd<4>; .reg .pred %p<4>;",
  `ld.param.u64 %rd1, [out]; mov.u32 %r5, %tid.x; bar.sync 0; mov.u32 %r1, %clock;
   ${"bar.sync 0; ".repeat(32)}
   mov.u32 %r2, %clock; sub.u32 %r3, %r2, %r1; setp.eq.u32 %p1, %r5, 0; @%p1 st.global.u32 [%rd1], %r3;`,
);

/** A chain of loads: one thread; `steps` to warm up, `steps` that count. */
const chase = (load: string): string =>
  entry(
    ".param .u64 out, .param .u64 data, .param .u32 steps",
    ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>;",
    `ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [data]; ld.param.u32 %r1, [steps]; mov.u32 %r2, 0; mov.u32 %r3, 0;
     mov.u32 %r9, 0;
   R: mov.u32 %r4, %clock; mov.u32 %r2, 0;
   L: mul.wide.u32 %rd3, %r3, 4; add.u64 %rd4, %rd2, %rd3; ${load} %r3, [%rd4];
     mul.wide.u32 %rd3, %r3, 4; add.u64 %rd4, %rd2, %rd3; ${load} %r3, [%rd4];
     mul.wide.u32 %rd3, %r3, 4; add.u64 %rd4, %rd2, %rd3; ${load} %r3, [%rd4];
     mul.wide.u32 %rd3, %r3, 4; add.u64 %rd4, %rd2, %rd3; ${load} %r3, [%rd4];
     add.u32 %r2, %r2, 4; setp.lt.u32 %p1, %r2, %r1; @%p1 bra L;
     mov.u32 %r5, %clock; sub.u32 %r6, %r5, %r4; mul.wide.u32 %rd5, %r9, 8;
     add.u64 %rd6, %rd1, %rd5; st.global.v2.u32 [%rd6], {%r6, %r3}; add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 2; @%p2 bra R;`,
  );

/** Every thread moves 16 bytes eight times a round, the block's lines dense; `step` bytes further each round. */
const stream = (store: boolean, load = "ld.global.cg"): string => {
  const each = (k: number): string =>
    store
      ? `st.global.v4.u32 [%rd4+${16384 * k}], {%r3, %r3, %r3, %r3};`
      : `${load}.v4.u32 {%a${k}, %b${k}, %c${k}, %d${k}}, [%rd4+${16384 * k}];`;
  const use = (k: number): string =>
    store
      ? ""
      : `xor.b32 %r3, %r3, %a${k}; add.u32 %r3, %r3, %b${k}; xor.b32 %r3, %r3, %c${k}; add.u32 %r3, %r3, %d${k};`;
  return entry(
    ".param .u64 out, .param .u64 data, .param .u32 rounds, .param .u32 step",
    ".reg .b32 %r<16>; .reg .b32 %a<8>; .reg .b32 %b<8>; .reg .b32 %c<8>; .reg .b32 %d<8>; .reg .b64 %rd<12>; .reg .pred %p<4>;",
    `ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [data]; ld.param.u32 %r1, [rounds]; ld.param.u32 %r2, [step];
     mov.u32 %r5, %tid.x; mov.u32 %r6, %ctaid.x; cvt.u64.u32 %rd8, %r2; mov.u32 %r3, 0; mov.u32 %r4, 0;
     mul.wide.u32 %rd3, %r6, 131072; add.u64 %rd4, %rd2, %rd3; mul.wide.u32 %rd5, %r5, 16; add.u64 %rd4, %rd4, %rd5;
     bar.sync 0; mov.u32 %r7, %clock;
   L: ${[0, 1, 2, 3, 4, 5, 6, 7].map(each).join(" ")} ${[0, 1, 2, 3, 4, 5, 6, 7].map(use).join(" ")}
     add.u64 %rd4, %rd4, %rd8; add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r1; @%p1 bra L;
     bar.sync 0; mov.u32 %r8, %clock; sub.u32 %r9, %r8, %r7;
     mul.wide.u32 %rd6, %r6, 4; add.u64 %rd7, %rd1, %rd6; setp.eq.u32 %p2, %r5, 0; @%p2 st.global.u32 [%rd7], %r9;
     setp.eq.u32 %p3, %r3, 305419895; @%p3 st.global.u32 [%rd7], %r3;`,
  );
};

/** The probes of a target; sm_90 alone has them so far. */
export function probes(target: CorpusTarget): Probe[] {
  if (target !== "sm_90") return [];
  const folder = mkdtempSync(join(tmpdir(), "ptxlab-"));
  const cubins = new Map<string, Uint8Array>();
  const ptx = (text: string): Uint8Array => {
    let cubin = cubins.get(text);
    if (cubin === undefined) {
      writeFileSync(join(folder, "k.ptx"), text);
      const ran = tool("ptxas", [`-arch=${target}`, join(folder, "k.ptx"), "-o", join(folder, "k.cubin")]);
      if (ran.status !== 0) throw new Error(ran.stderr);
      cubin = new Uint8Array(readFileSync(join(folder, "k.cubin")));
      cubins.set(text, cubin);
    }
    return cubin;
  };
  const out: Probe[] = [];
  const add = (
    name: string,
    cubin: Uint8Array,
    grid: number,
    block: number,
    words: number,
    more: Partial<Probe>,
  ): void => {
    out.push({
      name,
      file: `probe.${createHash("sha256").update(cubin).digest("hex").slice(0, 12)}.cubin`,
      cubin,
      grid: [grid],
      block: [block],
      sharedBytes: 0,
      words,
      params: [],
      launches: 3,
      ...more,
    });
  };
  try {
    for (const [chunks, length] of [
      [8, 32],
      [24, 32],
      [48, 32],
      [96, 32],
      [192, 32],
      [192, 128],
    ] as const) {
      const cubin = unwrap(assembleCubin(`${straight(chunks, length)}\n`));
      for (const [grid, block] of [
        [1, 32],
        [1, 128],
        [132, 128],
      ] as const)
        add(`straight-${chunks}x${length}-${grid}x${block}`, cubin, grid, block, 3 * chunks, {});
    }
    const bank = unwrap(assembleCubin(`${constants()}\n`));
    for (const grid of [1, 132])
      add(`constants-${grid}`, bank, grid, 32, 19, { params: [{ bytes: "00".repeat(1016) }], launches: 4 });
    for (const [grid, block, shared, spin] of [
      [132, 128, 0, 500],
      [132 * 16, 128, 0, 2000],
      [132 * 64, 128, 0, 500],
      [132 * 64, 32, 0, 500],
      [132 * 8, 1024, 0, 1000],
      [132 * 16, 256, 48000, 1000],
    ] as const)
      add(`blocks-${grid}x${block}-${shared}`, ptx(blocks), grid, block, grid * (block / 32) * 4, {
        params: [{ u32: spin }],
        sharedBytes: shared,
        launches: 2,
      });
    for (const warps of [1, 2, 4, 8, 16, 32]) add(`barrier-${warps}`, ptx(barriers), 1, 32 * warps, 1, {});
    for (const [name, load, bytes, step, steps] of [
      ["l1", "ld.global.ca.u32", 1 << 14, 33, 4096],
      ["l2", "ld.global.cg.u32", 1 << 20, 33, 8192],
      ["l2-wide", "ld.global.cg.u32", 1 << 24, 1025, 8192],
      ["memory", "ld.global.cg.u32", 1 << 28, 67585, 4096],
    ] as const)
      add(`chase-${name}`, ptx(chase(load)), 1, 1, 4, {
        params: ["data", { u32: steps }],
        data: { bytes, step },
        launches: 2,
      });
    const round = 132 * 131072;
    for (const [name, text, grid, rounds, step] of [
      ["l1-1", stream(false, "ld.global.ca"), 1, 64, 0],
      ["l2-1", stream(false), 1, 64, 0],
      ["l2-132", stream(false), 132, 64, 0],
      ["memory-132", stream(false), 132, 24, round],
      ["store-1", stream(true), 1, 64, 0],
      ["store-132", stream(true), 132, 64, 0],
      ["store-memory-132", stream(true), 132, 24, round],
    ] as const)
      add(`stream-${name}`, ptx(text), grid, 1024, grid, {
        params: ["data", { u32: rounds }, { u32: step }],
        data: { bytes: step === 0 ? round : 24 * round },
      });
  } finally {
    rmSync(folder, { recursive: true });
  }
  return out;
}
