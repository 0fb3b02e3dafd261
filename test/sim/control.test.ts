import { WARP_SLICE } from "../../lib/sim/state.js";
import { prologue, runText } from "./assemble.js";

/** Divergence and convergence: small programs in SASS text. */

const lanes = (f: (t: number) => number): Int32Array => Int32Array.from({ length: 32 }, (_, t) => f(t));

describe("divergence and convergence", () => {
  test("both sides of a branch run, and meet at BSYNC", () => {
    const { run, out } = runText(
      `${prologue}
      LOP3.LUT R7, R0, 0x1, RZ, 0xc0, !PT
      ISETP.NE.AND P0, PT, R7, RZ, PT
      BSSY B0, join
      @P0 BRA odd
      MOV R8, 0x64
      BRA meet
      odd:
      MOV R8, 0xc8
      meet:
      BSYNC B0
      join:
      VOTE.ANY R9, PT, PT
      IADD3 R8, R8, R0, RZ
      STG.E.SYS [R2], R8
      ISETP.NE.AND P1, PT, R9, -0x1, PT
      @P1 BPT.TRAP 0x1
      EXIT`,
      { words: 32 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(lanes((t) => (t & 1 ? 200 : 100) + t));
  });

  test("a branch of the group as a whole is taken if all lanes want it", () => {
    const { run, out } = runText(
      `${prologue}
      MOV R8, RZ
      ISETP.LT.AND P0, PT, R0, 0x8, PT
      @P0 BRA.U away
      VOTE.ANY R8, PT, PT
      ISETP.LT.AND P0, PT, R0, 0x20, PT
      @P0 BRA.U store
      away:
      MOV R8, RZ
      store:
      STG.E.SYS [R2], R8
      EXIT`,
      { words: 32 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(lanes(() => -1));
  });

  test("BRA.U.ANY is taken by all lanes if one wants it, and goes by its uniform predicate", () => {
    const { run, out } = runText(
      `S2R R0, SR_TID.X
      MOV R6, 0x4
      IMAD.WIDE.U32 R2, R0, R6, c[0x0][0x210]
      MOV R8, RZ
      UMOV UR4, 0x0
      ISETP.EQ.AND P0, PT, R0, 0x5, PT
      @P0 BRA.U.ANY turn
      EXIT
      turn:
      IADD3 R8, R8, 0x1, RZ
      UIADD3 UR4, UR4, 0x1, URZ
      UISETP.GE.U32.AND UP1, UPT, UR4, 0x3, UPT
      BRA.U.ANY UP1, done
      BRA turn
      done:
      STG.E desc[UR8][R2.64], R8
      EXIT`,
      { sm: "sm_90", words: 32 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(lanes(() => 3));
  });

  test("lanes whose guard says no are not with the others at BRA.DIV, and go their way", () => {
    const { run, out } = runText(
      `${prologue}
      R2UR P0, UR4, R0
      MOV R8, 0x1
      @!P0 BRA.DIV apart
      STG.E.SYS [R2], R8
      EXIT
      apart:
      MOV R8, 0x2
      STG.E.SYS [R2], R8
      EXIT`,
      { words: 32 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(lanes(() => 2));
  });

  test("without a barrier the two sides stay apart", () => {
    const { run, out } = runText(
      `${prologue}
      ISETP.LT.AND P0, PT, R0, 0x8, PT
      @P0 BRA low
      low:
      VOTE.ANY R9, PT, PT
      STG.E.SYS [R2], R9
      EXIT`,
      { words: 32 },
    );
    expect(run.fault).toBeNull();
    // Both groups run the same code; nothing says that they may not meet, but each sees at least itself.
    for (let t = 0; t < 32; t++) expect((out[t]! >>> t) & 1).toBe(1);
  });

  test("a barrier's lanes move to another one, which empties the first", () => {
    const { run, out } = runText(
      `${prologue}
      BMOV.32 B0, 0x5
      BMOV.32.CLEAR B3, B0
      BMOV.32 R8, B3
      BMOV.32 R9, B0
      IADD3 R8, R8, R9, RZ
      STG.E.SYS [R2], R8
      EXIT`,
      { words: 32 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(lanes(() => 5));
  });

  test("BREAK takes lanes out of a region: the others do not wait for them", () => {
    const { run, out } = runText(
      `${prologue}
      BSSY B0, done
      ISETP.GE.AND P0, PT, R0, 0x10, PT
      @P0 BREAK B0
      @P0 BRA away
      BSYNC B0
      done:
      VOTE.ANY R9, PT, PT
      STG.E.SYS [R2], R9
      EXIT
      away:
      WARPSYNC 0xffff0000
      VOTE.ANY R9, PT, PT
      STG.E.SYS [R2], R9
      EXIT`,
      { words: 32 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(lanes((t) => (t < 16 ? 0xffff : 0xffff0000 | 0)));
  });

  test("lanes that left a region without BREAK do not hold up those at its BSYNC, which go on to the outer one", () => {
    const { run, out } = runText(
      `${prologue}
      BSSY B1, outer
      BSSY B0, inner
      ISETP.GE.AND P0, PT, R0, 0x10, PT
      @P0 BRA leave
      BSYNC B0
      inner:
      NOP
      leave:
      BSYNC B1
      outer:
      VOTE.ANY R9, PT, PT
      STG.E.SYS [R2], R9
      EXIT`,
      { words: 32 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(lanes(() => -1));
  });

  test("lanes are let go where the warp's turn ends with the last that could run", () => {
    // Straight code longer than a turn on both sides, so that each turn ends at the wait.
    const { run, out } = runText(
      `${prologue}
      BSSY B0, join
      ISETP.GE.AND P0, PT, R0, 0x10, PT
      @P0 BRA away
      ${"NOP\n".repeat(WARP_SLICE)}
      BSYNC B0
      join:
      BRA meet
      away:
      ${"NOP\n".repeat(WARP_SLICE)}
      meet:
      WARPSYNC 0xffffffff
      VOTE.ANY R9, PT, PT
      STG.E.SYS [R2], R9
      EXIT`,
      { words: 32 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(lanes(() => -1));
  });

  test("lanes that exit are not waited for", () => {
    const { run, out } = runText(
      `${prologue}
      BSSY B3, join
      ISETP.EQ.AND P0, PT, R0, 0x5, PT
      @P0 EXIT
      BSYNC B3
      join:
      VOTE.ANY R9, PT, PT
      STG.E.SYS [R2], R9
      EXIT`,
      { words: 32 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(lanes((t) => (t === 5 ? 0 : ~(1 << 5))));
  });

  test("nested regions with the same barrier on both sides of a branch", () => {
    const side = (n: string, add: string): string => `
      ${n}:
      BSSY B1, ${n}join
      LOP3.LUT R7, R0, 0x2, RZ, 0xc0, !PT
      ISETP.NE.AND P1, PT, R7, RZ, PT
      @P1 BRA ${n}in
      IADD3 R8, R8, ${add}, RZ
      ${n}in:
      BSYNC B1
      ${n}join:
      VOTE.ANY R9, PT, PT
      BRA end`;
    const { run, out } = runText(
      `${prologue}
      MOV R8, RZ
      LOP3.LUT R7, R0, 0x1, RZ, 0xc0, !PT
      ISETP.NE.AND P0, PT, R7, RZ, PT
      BSSY B0, out
      @P0 BRA odd
      ${side("even", "0x10")}
      ${side("odd", "0x20")}
      end:
      BSYNC B0
      out:
      POPC R9, R9
      IADD3 R8, R8, R9, RZ
      STG.E.SYS [R2], R8
      EXIT`,
      { words: 32 },
    );
    expect(run.fault).toBeNull();
    // Inside its side every lane saw its 16 partners together.
    expect(out).toEqual(lanes((t) => 16 + (t & 2 ? 0 : t & 1 ? 0x20 : 0x10)));
  });

  test("lanes whose guard of BRA.DIV says no are not with the others, and go with them", () => {
    // ptxas -O3 of a vote under masks that differ (sm_80): after R2UR the predicate tells which lanes have another mask than the first.
    const { run, out } = runText(
      `${prologue}
      UMOV UR4, 0xffffffff
      ISETP.GE.AND P1, PT, R0, 0x8, PT
      MOV R9, 0x1
      @!P1 BRA.DIV UR4, apart
      MOV R9, 0x2
      apart:
      VOTE.ANY R8, PT, PT
      IADD3 R9, R9, R8, RZ
      STG.E [R2.64], R9
      EXIT`,
      { words: 32, sm: "sm_80" },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(lanes(() => 0));
  });

  test("a spin loop inside a region ends because its yielding lanes are not waited for", () => {
    // Lane 0 leaves the loop first and sets the flag only after the BSYNC.
    const text = (spin: string): string => `${prologue}
      MOV R10, c[0x0][0x160]
      MOV R11, c[0x0][0x164]
      BSSY B0, join
      ISETP.EQ.AND P0, PT, R0, RZ, PT
      loop:
      LDG.E.SYS R8, [R10+0x80]
      ISETP.NE.OR P1, PT, R8, RZ, P0
      ${spin}
      @!P1 BRA loop
      BSYNC B0
      join:
      MOV R9, 0x1
      STG.E.SYS [R10+0x80], R9
      STG.E.SYS [R2], R9
      EXIT`;
    const ends = runText(text("YIELD"), { words: 33 });
    expect(ends.run.fault).toBeNull();
    expect(ends.out.subarray(0, 32)).toEqual(lanes(() => 1));
    // Without YIELD that is a livelock, as on a GPU.
    expect(runText(text("NOP"), { words: 33 }).run.fault).toMatchObject({ kind: "budget" });
  });

  test("lanes that come by a YIELD in each of many calls are waited for", () => {
    // Lane 0 calls 40 times, as a function of ptxas that calls itself does; the others wait for it.
    const { run, out } = runText(
      `${prologue}
      BSSY B0, join
      ISETP.NE.AND P0, PT, R0, RZ, PT
      MOV R10, 0x28
      @P0 BRA done
      again:
      MOV R8, 0xb0
      MOV R9, RZ
      CALL.REL.NOINC routine
      IADD3 R10, R10, -0x1, RZ
      ISETP.NE.AND P1, PT, R10, RZ, PT
      @P1 BRA again
      done:
      BSYNC B0
      join:
      VOTE.ANY R9, PT, PT
      STG.E.SYS [R2], R9
      EXIT
      routine:
      YIELD
      RET.REL.NODEC R8 0x0`,
      { words: 32 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(lanes(() => -1));
  });

  test("groups of a warp take turns: a spinning group does not starve the one it waits for", () => {
    const { run, out } = runText(
      `${prologue}
      MOV R10, c[0x0][0x160]
      MOV R11, c[0x0][0x164]
      ISETP.EQ.AND P0, PT, R0, RZ, PT
      @P0 BRA setter
      wait:
      LDG.E.SYS R8, [R10+0x80]
      ISETP.EQ.AND P1, PT, R8, RZ, PT
      @P1 BRA wait
      STG.E.SYS [R2], R8
      EXIT
      setter:
      MOV R9, 0x2a
      STG.E.SYS [R10+0x80], R9
      EXIT`,
      { words: 33 },
    );
    expect(run.fault).toBeNull();
    expect(out.subarray(1, 32)).toEqual(lanes(() => 42).subarray(1));
  });

  test("a register jump sends every lane where it wants", () => {
    const { run, out } = runText(
      `${prologue}
      LOP3.LUT R8, R0, 0x3, RZ, 0xc0, !PT
      SHF.L.U32 R8, R8, 0x5, RZ
      MOV R9, RZ
      IADD3 R8, R8, 0x90, RZ
      RET.REL.NODEC R8 0x0
      MOV R7, 0xa
      BRA end
      MOV R7, 0xb
      BRA end
      MOV R7, 0xc
      BRA end
      MOV R7, 0xd
      end:
      STG.E.SYS [R2], R7
      EXIT`,
      { words: 32 },
    );
    expect(run.fault).toBeNull();
    expect(out).toEqual(lanes((t) => 10 + (t & 3)));
  });
});
