import { clearBarriers } from "../../lib/phases/clear-barriers.js";
import { after } from "./texts.js";

const code = (sm: number, first: string): string => `func "k" entry sm_${sm} physical allocated
  used 2 0 1 0 1
b0
  S2R R0, SR_TID.X
  ISETP.GE.AND P0, PT, R0, 0x10, PT${first}
  BSSY B0, b2
  @P0 BRA b2
b1
  MOV R1, R0
b2
  BSYNC B0
  EXIT`;

test.each([
  [75, "\n  BMOV.32.CLEAR RZ, B0"],
  [80, ""],
])("sm_%i: barriers before lanes join them", (sm, clear) => {
  expect(after(code(sm, ""), clearBarriers)).toBe(after(code(sm, clear)));
});
