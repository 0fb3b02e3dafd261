/** Operations on mbarriers, as lines of code. */
import { assembleCubin } from "../../lib/assemble.js";
import { type Run, simulate } from "../../lib/sim/index.js";

function run(block: number, lines: readonly string[]): Run {
  const text = [".target sm_90", ".entry k", ".registers 32", ".shared 1024", ".code", "k:", ...lines, ".end", ""];
  const made = assembleCubin(text.join("\n"));
  if (!made.ok) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  const done = simulate(made.value, { block });
  if (!done.ok) throw new Error(done.diagnostics.map((d) => d.message).join("\n"));
  return done.value;
}

/** A barrier at address 0 whose phase ends with one arrival. */
const initialized = [
  "B------ R- W- Y S08 MOV R4, 0x1ffffe ;",
  "B------ R- W- Y S08 MOV R5, 0x7ffff800 ;",
  "B------ R- W- Y S08 STS.64 [RZ], R4 ;",
  "B------ R- W- Y S08 UMOV UR4, 0x0 ;",
  "B------ R- W- Y S08 BAR.SYNC 0x0 ;",
];

test("lanes that wait at different places are told by the predicate of their own wait", () => {
  const wait = (p: string): string[] => [
    `B------ R- W- Y S08 SYNCS.PHASECHK.TRANS64.TRYWAIT ${p}, [UR4], RZ ;`,
    `B------ R- W- Y S08 @!${p} BPT.TRAP 0x1 ;`,
    "B------ R- W- Y S05 EXIT ;",
  ];
  const { fault } = run(64, [
    ...initialized,
    "B------ R- W- Y S08 S2R R0, SR_TID.X ;",
    "B------ R- W- Y S08 ISETP.GE.AND P3, PT, R0, 0x20, PT ;",
    "B------ R- W- Y S08 ISETP.GE.AND P0, PT, R0, 0x10, PT ;",
    "B------ R- W- Y S08 @P3 BRA `(.L_arrive) ;",
    "B------ R- W- Y S08 @P0 BRA `(.L_upper) ;",
    ...wait("P1"),
    ".L_upper:",
    ...wait("P2"),
    ".L_arrive:",
    "B------ R- W- Y S08 ISETP.NE.AND P0, PT, R0, 0x20, PT ;",
    "B------ R- W- Y S08 @P0 EXIT ;",
    // Long enough for all others to wait.
    "B------ R- W- Y S08 MOV R1, 0x4000 ;",
    ".L_loop:",
    "B------ R- W- Y S08 IADD3 R1, R1, -0x1, RZ ;",
    "B------ R- W- Y S08 ISETP.NE.AND P0, PT, R1, RZ, PT ;",
    "B------ R- W- Y S08 @P0 BRA `(.L_loop) ;",
    "B------ R- W- Y S08 SYNCS.ARRIVE.TRANS64.RED.A1T0 RZ, [UR4], RZ ;",
    "B------ R- W- Y S05 EXIT ;",
  ]);
  expect(fault).toBeNull();
});

test("more transactions than a barrier counts are a fault", () => {
  const { fault } = run(32, [
    ...initialized,
    "B------ R- W- Y S08 MOV R6, 0xfffff ;",
    "B------ R- W- Y S08 SYNCS.ARRIVE.TRANS64.RED.A0TR RZ, [UR4], R6 ;",
    "B------ R- W- Y S05 EXIT ;",
  ]);
  expect([fault?.kind, fault?.lanes]).toEqual(["barrier", 2]);
});
