/** Code put back into its cubin: the same bytes when nothing changed, the same results when everything moved. */
import { compile } from "../../lib/compile.js";
import { branchTargets, readCubin } from "../../lib/elf/index.js";
import { encodeLifted, type Lifted, liftCubin, replaceCode } from "../../lib/lift/index.js";
import { unwrap } from "../../lib/result.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";
import { insertNops } from "./nops.js";

const host = { readFile: () => null };

function made(name: string): { bytes: Uint8Array; lifted: readonly Lifted[] } {
  const bytes = compile(corpusPtx(name, "sm_90"), { target: "sm_90", opt: 0, lineInfo: true }).cubin!;
  return { bytes, lifted: unwrap(liftCubin(unwrap(readCubin(bytes)))) };
}

describe("replaceCode", () => {
  test.each(corpus.map((c) => [c.name, c] as const))("%s: unchanged, and with NOPs everywhere", (name, c) => {
    const { bytes, lifted } = made(name);
    expect(Buffer.from(unwrap(replaceCode(bytes, lifted))).equals(Buffer.from(bytes))).toBe(true);
    lifted.forEach(insertNops);
    const longer = unwrap(replaceCode(bytes, lifted));
    const ran = runLaunchFile(longer, { ...c.launch, maxInstructions: 5_000_000 }, host);
    expect(ran.status === 0 ? "" : ran.lines.join("\n")).toBe("");
  });

  test("attributes, tables and line rows follow", () => {
    const { bytes, lifted } = made("switch_table");
    const before = unwrap(readCubin(bytes)).functions[0]!;
    lifted.forEach(insertNops);
    const code = encodeLifted(lifted[0]!);
    const after = unwrap(readCubin(unwrap(replaceCode(bytes, lifted)))).functions[0]!;
    expect(after.words).toEqual(code.words);
    const inst = (offset: number): number => code.offsets[offset >> 4]!;
    const block = (offset: number): number => code.labels[lifted[0]!.blockAt.get(offset)!]!;
    expect([...branchTargets(after)]).toEqual(
      [...branchTargets(before)].map(([at, targets]) => [inst(at), targets.map(block)]),
    );
    const firstLine = new Map(before.ptxLines.map((l) => [inst(l.offset), l.line]));
    for (const l of after.ptxLines) if (firstLine.has(l.offset)) expect(l.line).toBe(firstLine.get(l.offset));
    expect(after.ptxLines.length).toBe(before.ptxLines.length);
  });

  test("an instruction that a table of the driver names must not disappear", () => {
    const { bytes, lifted } = made("warp_sum");
    for (const b of lifted[0]!.func.blocks) b.insts = b.insts.filter((i) => i.form.op !== "SHFL");
    expect(replaceCode(bytes, lifted).diagnostics.map((d) => d.message)[0]).toMatch(/names the instruction at .* gone/);
  });
});
