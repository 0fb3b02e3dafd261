/**
 * Which target variants take which PTX instructions: the checks against tools/harvest/data/gates.txt, which holds what
 * ptxas refuses (`node tools/run-ts.cjs tools/harvest/index.ts gates` writes it anew and compares all of it).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gateKernels, readGates, refusedHere, unfolded, VARIANTS } from "../../tools/harvest/gates";

const rows = readGates(readFileSync(join(__dirname, "../../tools/harvest/data/gates.txt"), "utf8"));

test("patterns stand for mnemonics", () => {
  expect(unfolded("a.{b,c}.{d,e}")).toEqual(["a.b.d", "a.b.e", "a.c.d", "a.c.e"]);
});

/** Seen as operands, not as modifiers: `min.abs.f32` has three; `red.async` on global memory needs no mbarrier. */
const BY_OPERANDS = /^(min|max)\.(NaN\.)?abs\.f32$|^red\.async\.mmio/;

test("every variant takes and refuses what ptxas takes and refuses", () => {
  const kernels = gateKernels();
  const wrong: string[] = [];
  for (const r of rows) {
    // One mnemonic of each row here, all variants; the tool compares every one.
    const m = r.mnemonics.find((x) => !BY_OPERANDS.test(x));
    if (m === undefined) continue;
    const kernel = kernels.get(m);
    if (kernel === undefined) throw new Error(`no kernel of ${m}: gates.txt is older than the kernels`);
    for (const v of VARIANTS) {
      const taken = refusedHere(kernel, v).length === 0;
      if (taken !== r.targets.includes(v)) wrong.push(`sm_${v} ${m}: ptxas ${taken ? "refuses" : "takes"} it`);
    }
  }
  expect(wrong).toEqual([]);
});
