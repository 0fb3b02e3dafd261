/** What phases tell of their decisions, and to whom. */
import { parseFunc } from "../../lib/ori/parse.js";
import { runPhases } from "../../lib/phases/manager.js";
import { listening, saying } from "../../lib/phases/notes.js";
import { unwrap } from "../../lib/result.js";

const code = `func "k" entry sm_90 virtual initial
b0
  S2R %R0, SR_TID.X
  LDC.64 %R1, c[0x0][0x210]
  IADD3 %R2, %R0, 0x1, RZ
  IMAD.WIDE %R3, %R0, 0x4, %R1
  EXIT`;

test("whoever asks is told which phase decided what, at which instruction", () => {
  const func = unwrap(parseFunc(code));
  const ids = new Set(func.blocks.flatMap((b) => b.insts.map((i) => i.id)));
  const told: string[] = [];
  unwrap(
    runPhases(func, {
      level: 2,
      stopBefore: "AllocateRegisters",
      onDecision: (note, phase) => {
        expect(ids.has(note.inst)).toBe(true);
        told.push(`${phase}: ${note.what}`);
      },
    }),
  );
  expect(told.filter((t) => t === "EarlyOriSimpleLiveDead: removed")).toHaveLength(4);
});

test("nobody is told after the run, nor of another function", () => {
  const [func, other] = [0, 1].map(() => unwrap(parseFunc('func "k" entry sm_90 virtual initial\nb0\n  EXIT')));
  const exit = func!.blocks[0]!.insts[0]!;
  const heard: unknown[] = [];
  const listen = (run: () => void): void => listening(func!, (n) => heard.push(n), run);
  listen(() => {
    saying(func!)?.("seen", exit);
    saying(func!)?.("seen, too", exit, "because", exit);
    saying(func!)?.("at nothing", null);
    expect(saying(other!)).toBeNull();
  });
  expect(saying(func!)).toBeNull();
  expect(() =>
    listen(() => {
      throw new Error("stop");
    }),
  ).toThrow("stop");
  expect(saying(func!)).toBeNull();
  expect(heard).toEqual([
    { what: "seen", inst: exit.id, why: "", other: -1 },
    { what: "seen, too", inst: exit.id, why: "because", other: exit.id },
  ]);
});
