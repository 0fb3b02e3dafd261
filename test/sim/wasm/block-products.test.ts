/** Products of warp groups and of tensor memory, translated and in closures: with factors of few bits, of all sizes, and of any bits. */
import { compile } from "../../../lib/compile.js";
import { Device, type EngineChoice } from "../../../lib/sim/index.js";
import { BlockProducts } from "../../../lib/sim/wasm/block-products.js";
import { TensorRows } from "../../../lib/sim/wasm/tensor-rows.js";
import { random } from "../../corpus/random.js";
import { type BlockForm, blockForms, blockPtx, targetOf, tensorForms, wordsOf } from "./block-kernels.js";

/** Words of factors. */
function input(kind: string, { of }: BlockForm, count: number, seed: number): Uint32Array {
  const r = random(seed);
  const word = (): number => (r.below(0x10000) | (r.below(0x10000) << 16)) >>> 0;
  const few = { bits: 0xffffffff, float8: 0x81838381, half: 0x83ff83ff, word: 0x80ffffff }[of];
  const ones = { bits: 0, float8: 0x38383838, half: 0x3c003c00, word: 0x3f800000 }[of];
  const finite = { bits: 0xffffffff, float8: 0xbfbfbfbf, half: 0xbfffbfff, word: 0xbfffffff }[of];
  return Uint32Array.from({ length: count }, () => {
    if (kind === "all" || of === "bits") return word();
    return kind === "finite" ? (word() & finite) >>> 0 : ((word() & few & 0xfff0fff0) | ones) >>> 0;
  });
}

test.each([...blockForms, ...tensorForms])("$text, $columns columns", (form) => {
  const { cubin, diagnostics } = compile(blockPtx(form, 4), { target: targetOf(form) });
  expect(diagnostics.filter((d) => d.severity === "error")).toEqual([]);
  const device = new Device();
  const module = device.load(cubin!);
  if (!module.ok) throw new Error("not loaded");
  const { factors, sums } = wordsOf(form);
  const warps = jest.spyOn(BlockProducts.prototype, "ofWarp");
  const tensors = jest.spyOn(TensorRows.prototype, "add");
  for (const kind of ["few", "finite", "all"]) {
    const run = (engine: EngineChoice): Uint32Array => {
      const out = new Uint32Array(sums);
      const given = input(kind, { ...form, of: form.of === "bits" ? "bits" : "word" }, sums, 5);
      const params = [input(kind, form, factors, 3), given, out];
      const ran = device.launch(module.value, { block: 128, params, engine });
      if (!ran.ok) throw new Error(ran.diagnostics.map((d) => d.message).join());
      expect(ran.value.fault).toBeNull();
      return out;
    };
    expect(run("wasm")).toEqual(run("closures"));
  }
  const made = warps.mock.results.filter((r) => r.value === true).length + tensors.mock.results.length;
  expect(made).toBeGreaterThan(20);
  jest.restoreAllMocks();
});
