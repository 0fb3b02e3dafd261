/** Loops over lanes in arms that at most one lane enters; the predicates are those of PTX's elect.sync. */
import { oneLane } from "../../lib/phases/one-lane.js";
import { RewriteCounter } from "../../lib/phases/rewrites.js";
import { after } from "./texts.js";

const arm = (condition: string, turn = "ELECT %P3, URZ, PT"): string =>
  after(
    `func "k" entry sm_90 virtual expanded
b0
S2R %R0, SR_TID.X
${condition}
BSSY %B9, b5
@!%P2 BRA b5
b1
NOP
b2
${turn}
@!%P3 BRA b4
b3
R2UR %UR4, %R0
SYNCS.EXCH.64 URZ, [%UR4], %UR6
b4
@!%P3 BRA b2
b5
BSYNC %B9
EXIT`,
    (func) => oneLane(func, new RewriteCounter()),
  );
const loops = (condition: string): boolean => arm(condition).includes("@!%P3 BRA b2");

test.each([
  ["the elected lane", "ELECT %P2, URZ, PT", false],
  [
    "and a condition",
    "ELECT %P1, URZ, PT\nISETP.GT.AND %P5, PT, %R0, 0x4, PT\nPLOP3.LUT %P2, PT, %P5, %P1, PT, 0xc0, 0x0",
    false,
  ],
  [
    "or a condition",
    "ELECT %P1, URZ, PT\nISETP.GT.AND %P5, PT, %R0, 0x4, PT\nPLOP3.LUT %P2, PT, %P5, %P1, PT, 0xfc, 0x0",
    true,
  ],
  ["a comparison with it", "ELECT %P1, URZ, PT\nISETP.LT.AND %P2, PT, %R0, 0x20, %P1", false],
  ["all but the elected lane", "ELECT %P1, URZ, PT\nISETP.LT.AND %P2, PT, %R0, 0x20, !%P1", true],
  ["any comparison", "ISETP.LT.AND %P2, PT, %R0, 0x20, PT", true],
])("%s", (_, condition, expected) => {
  expect(loops(condition)).toBe(expected);
});

test("a turn of lanes with a predicate of their own may be nobody's", () => {
  const code = arm("ELECT %P2, URZ, PT\nISETP.GT.AND %P7, PT, %R0, 0x4, PT", "ELECT %P3, URZ, %P7");
  expect(code).toContain("@!%P3 BRA b2");
});
