import { prologue, runText } from "./assemble.js";

/** Barriers, forward progress of blocks, faults, clusters, counts: small programs in SASS text. */

describe("CTA barriers", () => {
  test("warps meet; shared memory is exchanged", () => {
    const { run, out } = runText(
      `${prologue}
      SHF.L.U32 R7, R0, 0x2, RZ
      STS [R7], R0
      BAR.SYNC 0x0
      LOP3.LUT R8, R7, 0xfc, RZ, 0x3c, !PT
      LDS R9, [R8]
      STG.E.SYS [R2], R9
      EXIT`,
      { block: [64, 1, 1], words: 64 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(Int32Array.from({ length: 64 }, (_, t) => 63 - t));
  });

  test("threads that exited are not expected", () => {
    const { run } = runText(
      `${prologue}
      ISETP.LT.AND P0, PT, R0, 0x28, PT
      @P0 EXIT
      BAR.SYNC 0x0
      EXIT`,
      { block: [64, 1, 1] },
    );
    expect(run.fault).toBeNull();
  });

  test("a barrier that can never complete is a deadlock, with what waits for what", () => {
    const { run } = runText(
      `${prologue}
      ISETP.LT.AND P0, PT, R0, 0x20, PT
      @P0 BAR.SYNC 0x1, 0x40
      @!P0 BAR.SYNC 0x2, 0x40
      EXIT`,
      { block: [64, 1, 1] },
    );
    expect(run.fault).toMatchObject({ kind: "deadlock", kernel: "k", block: [0, 0, 0] });
    expect(run.fault!.message).toContain("barrier 1");
  });

  test("number and count in one register: bits 3:0 and 27:16", () => {
    const { run, out } = runText(
      `${prologue}
      MOV R6, 0x400003
      SHF.L.U32 R7, R0, 0x2, RZ
      STS [R7], R0
      BAR.SYNC R6, R6
      LOP3.LUT R8, R7, 0xfc, RZ, 0x3c, !PT
      LDS R9, [R8]
      STG.E.SYS [R2], R9
      EXIT`,
      { block: [64, 1, 1], words: 64 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(Int32Array.from({ length: 64 }, (_, t) => 63 - t));
  });

  test("reductions over the CTA", () => {
    const { run, out } = runText(
      `${prologue}
      ISETP.LT.AND P0, PT, R0, 0x9, PT
      BAR.RED.POPC 0x0, P0
      B2R.RESULT R7
      BAR.RED.AND 0x0, P0
      B2R.RESULT RZ, P1
      BAR.RED.OR 0x0, P0
      B2R.RESULT RZ, P2
      SEL R8, R7, 0x63, !P1
      @!P2 MOV R8, 0x62
      STG.E.SYS [R2], R8
      EXIT`,
      { block: [64, 1, 1], words: 64 },
    );
    expect(run.fault).toBeNull();
    expect([...out]).toEqual(new Array(64).fill(9));
  });
});

describe("faults", () => {
  const at = (extra: string) => `${prologue}\n${extra}\nEXIT`;

  test("outside of memory: space, address, lane, instruction, line", () => {
    const { run } = runText(at("ISETP.EQ.AND P0, PT, R0, 0x3, PT\n@P0 STG.E.SYS [R2+0x100], R0"), { words: 32 });
    expect(run.fault).toMatchObject({
      kind: "out-of-bounds",
      kernel: "k",
      block: [0, 0, 0],
      thread: [3, 0, 0],
      lanes: 8,
      address: 5 * 16,
      ptxLine: 7,
    });
    expect(run.fault!.instruction).toContain("STG.E.SYS [R2+0x100], R0");
    expect(run.fault!.memoryAddress! >> 32n).toBe(7n);
  });

  test.each([
    ["a byte past the end", "STG.E.SYS [R2+0x4], R0", "out-of-bounds"],
    ["address 0", "LDG.E.SYS R8, [RZ]", "out-of-bounds"],
    ["misaligned", "LDG.E.64.SYS R8, [R2]", "misaligned"],
    ["past shared memory", "LDS R8, [R0+0x400]", "out-of-bounds"],
    ["misaligned in shared memory", "LDS.128 R8, [R0+0x4]", "misaligned"],
    ["below the stack", "MOV R9, 0x80000000\nLDL R8, [R9]", "out-of-bounds"],
    ["a trap", "BPT.TRAP 0x1", "trap"],
    ["an endless loop", "loop:\nBRA loop", "budget"],
    ["the end of the code", "BRA 0x4000", "illegal-instruction"],
  ])("%s", (_, text, kind) => {
    expect(runText(at(text), { words: 32 }).run.fault).toMatchObject({ kind, kernel: "k" });
  });

  test("an instruction without meaning faults when it runs, not before", () => {
    const odd = "HFMA2.OOB R1, R2, R3, R4";
    const skipped = runText(`BRA end\n${odd}\nend:\nEXIT`, { sm: "sm_90" });
    expect(skipped.run.fault).toBeNull();
    const ran = runText(`${odd}\nEXIT`, { sm: "sm_90" });
    expect(ran.run.fault).toMatchObject({ kind: "not-supported", address: 0 });
    expect(ran.run.fault!.message).toContain("not supported by the simulator: HFMA2");
  });
});

describe("clusters", () => {
  test("the barrier and the memory of a neighbour", () => {
    const { run, out } = runText(
      `S2R R0, SR_TID.X
      S2R R7, SR_CgaCtaId
      LDC R2, c[0x0][0x210]
      LDC R3, c[0x0][0x214]
      SHF.L.U32 R8, R7, 0x18, RZ
      IADD3 R9, R7, 0x7, RZ
      STS [R8], R9
      UCGABAR_ARV
      UCGABAR_WAIT
      LOP3.LUT R10, R8, 0x1000000, RZ, 0x3c, !PT
      LDS R11, [R10]
      SHF.L.U32 R12, R7, 0x2, RZ
      IADD3 R2, P0, R2, R12, RZ
      IADD3.X R3, R3, RZ, RZ, P0, !PT
      STG.E [R2], R11
      UCGABAR_ARV
      UCGABAR_WAIT
      EXIT`,
      { sm: "sm_90", grid: [2, 1, 1], cluster: [2, 1, 1], words: 2 },
    );
    expect(run.fault).toBeNull();
    expect([...out]).toEqual([8, 7]);
  });
});

describe("counts", () => {
  test("warp- and thread-instructions, and the profile", () => {
    const { run } = runText(
      `S2R R0, SR_TID.X
      ISETP.LT.AND P0, PT, R0, 0x4, PT
      @P0 MOV R1, RZ
      EXIT`,
      { block: [40, 1, 1], profile: true },
    );
    expect([run.warpInstructions, run.threadInstructions]).toEqual([8, 40 * 3 + 4]);
    expect(run.profile!.map((e) => [e.address, e.warps, e.threads])).toEqual([
      [0, 2, 40],
      [16, 2, 40],
      [32, 2, 4],
      [48, 2, 40],
    ]);
  });
});
