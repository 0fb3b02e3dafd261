/** What stands before functions of sm_87, word for word as ptxas has it; other SMs have nothing there. */
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf";
import { unwrap } from "../../lib/result";
import { clearBarriers, PROLOGUE_BYTES } from "../../lib/sass/prologue";
import { runLaunchFile } from "../../lib/sim";
import type { TargetName } from "../../lib/target";
import { verifyCubin } from "../../lib/verify";
import { corpus, corpusPtx } from "../corpus/cases";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

const first = (cubin: Uint8Array): number[] => [
  ...unwrap(readCubin(cubin)).functions[0]!.words.subarray(0, PROLOGUE_BYTES / 4),
];

const ours = (name: string, target: TargetName, opt: 0 | 2): Uint8Array =>
  compile(corpusPtx(name, "sm_75"), { target, opt }).cubin!;

const kernel = corpus.find((c) => c.name === "warp_sum")!;

describe("the prologue of sm_87", () => {
  test.each([0, 2] as const)("at -O%d: there, free of hazards, with the results as they should be", (level) => {
    const cubin = ours(kernel.name, "sm_87", level);
    expect(clearBarriers()).toHaveLength(PROLOGUE_BYTES / 16);
    expect(verifyCubin(unwrap(readCubin(cubin)))).toEqual([]);
    expect(runLaunchFile(cubin, kernel.launch, { readFile: () => null }).status).toBe(0);
  });
});

describeOracle("the prologue of sm_87 beside ptxas's", () => {
  test.each([0, 2] as const)("at -O%d", (level) => {
    const theirs = first(ptxas(corpusPtx(kernel.name, "sm_75"), "sm_87", level));
    expect(first(ours(kernel.name, "sm_87", level))).toEqual(theirs);
  });

  test("nowhere else", () => {
    for (const sm of [75, 80, 86, 88, 89, 90, 100, 103, 110, 120, 121]) {
      const theirs = first(ptxas(corpusPtx(kernel.name, "sm_75"), `sm_${sm}`, 3));
      expect([sm, theirs.slice(0, 4)]).not.toEqual([sm, first(ours(kernel.name, "sm_87", 0)).slice(0, 4)]);
    }
  });
});
