/** Products in tensor memory of all kinds, translated and in closures: with factors of few bits, of all sizes, and of any bits, with scales near each other and far apart. */
import { compile } from "../../../lib/compile.js";
import { Device, type EngineChoice } from "../../../lib/sim/index.js";
import { TensorRows } from "../../../lib/sim/wasm/tensor-rows.js";
import { type Random, random } from "../../corpus/random.js";
import { EXTRA, type RowsForm, roomOf, rowsForms, rowsPtx } from "./tensor-kernels.js";

const KINDS = ["few", "finite", "all"] as const;
type Kind = (typeof KINDS)[number];

const anyWord = (r: Random): number => (r.below(0x10000) | (r.below(0x10000) << 16)) >>> 0;

/** A word of factors. */
function factor(kind: Kind, of: RowsForm["of"], r: Random): number {
  if (kind === "all" || of === "bits" || of === "tiny") return anyWord(r);
  const few = { float8: 0x81838381, half: 0x83ff83ff, word: 0x80ffffff }[of];
  const ones = { float8: 0x38383838, half: 0x3c003c00, word: 0x3f800000 }[of];
  const finite = { float8: 0xbfbfbfbf, half: 0xbfffbfff, word: 0xbfffffff }[of];
  return (kind === "finite" ? anyWord(r) & finite : (anyWord(r) & few & 0xfff0fff0) | ones) >>> 0;
}

/** Four scales: near 1, up to 2^20 away from it (e4m3: 2^8), of all sizes, also no numbers. */
function scales(kind: Kind, r: Random): number {
  const one = (): number => {
    if (kind === "few") return 126 + r.below(3);
    if (kind === "finite") return 107 + r.below(41);
    return r.below(8) === 0 ? [0, 0x7f, 0x80, 255][r.below(4)]! : r.below(256);
  };
  return (one() | (one() << 8) | (one() << 16) | (one() << 24)) >>> 0;
}

/** What tensor memory is filled with. */
function cells(kind: Kind, f: RowsForm, r: Random): Uint32Array {
  const { ctas, cells: count } = roomOf(f);
  return Uint32Array.from({ length: ctas * count }, (_, i) => {
    const beyond = ((i % count) >> 7) - f.columns;
    if (beyond < 0) return factor(kind, f.of === "bits" ? "bits" : "word", r);
    if (beyond < 4) return anyWord(r);
    return beyond < EXTRA / 2 ? scales(kind, r) : factor(kind, f.of, r);
  });
}

test.each(rowsForms)("$name", (f) => {
  const { cubin, diagnostics } = compile(rowsPtx(f, 3), { target: "sm_100a" });
  expect(diagnostics.filter((d) => d.severity === "error")).toEqual([]);
  const device = new Device();
  const module = device.load(cubin!);
  if (!module.ok) throw new Error("not loaded");
  const { ctas, factors } = roomOf(f);
  const add = jest.spyOn(TensorRows.prototype, "add");
  for (const kind of KINDS) {
    const run = (engine: EngineChoice): Uint32Array => {
      const r = random(3);
      const given = cells(kind, f, r);
      const words = Uint32Array.from({ length: ctas * factors }, () => factor(kind, f.of, r));
      const out = new Uint32Array(given.length);
      const ran = device.launch(module.value, { grid: ctas, block: 128, params: [words, given, out], engine });
      if (!ran.ok) throw new Error(ran.diagnostics.map((d) => d.message).join());
      expect(ran.value.fault).toBeNull();
      return out;
    };
    const [translated, before] = [run("wasm"), run("closures")];
    expect(before.some((x) => x !== 0 && x !== 0x7fffffff)).toBe(true);
    expect(translated).toEqual(before);
  }
  expect(add.mock.results.length).toBeGreaterThanOrEqual(KINDS.length * 3 * 4);
  jest.restoreAllMocks();
});
