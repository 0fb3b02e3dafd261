/**
 * Our code against the code of ptxas -O0 for the same PTX, both run in the simulator on the same inputs: what PTX leaves open (NaN to
 * integer, division by zero, flushing) and what has no simple reference. And nvdisasm on everything we make.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile";
import { simulate } from "../../lib/sim/index";
import { hex, integerRows, kernelText, moduleHeader, randomBits, type Snippet, targets } from "../lower/harness";
import * as soft from "../lower/soft-float";
import { describeOracle, inScratch, tool } from "./tools";

const one = (code: string, source: string, result: string): Snippet => ({ code, sources: [source], result });
const two = (code: string, type: string, result = type): Snippet => ({ code, sources: [type, type], result });

const snippets: readonly Snippet[] = [
  ...["rni", "rzi", "rmi", "rpi"].flatMap((mode) =>
    ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"].flatMap((to) =>
      ["f32", "f64"].map((from) =>
        one(`cvt.${mode}.${to}.${from} %d, %a;`, `b${from.slice(1)}`, `b${Math.max(16, Number(to.slice(1)))}`),
      ),
    ),
  ),
  ...["rn", "rz", "rm", "rp"].map((mode) => one(`cvt.${mode}.ftz.f32.f64 %d, %a;`, "b64", "b32")),
  one("cvt.rn.ftz.sat.f32.f64 %d, %a;", "b64", "b32"),
  one("cvt.sat.f32.f32 %d, %a;", "b32", "b32"),
  one("cvt.rzi.ftz.u64.f32 %d, %a;", "b32", "b64"),
  one("cvt.rpi.ftz.s64.f32 %d, %a;", "b32", "b64"),
  one("cvt.rn.ftz.f16.f32 %d, %a;", "b32", "b16"),
  ...["u32", "s32", "u64", "s64"].flatMap((t) =>
    ["div", "rem"].map((op) => two(`${op}.${t} %d, %a, %b;`, `b${t.slice(1)}`)),
  ),
  ...["rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"].flatMap((f) => [
    one(`${f}.approx.f32 %d, %a;`, "b32", "b32"),
    one(`${f}.approx.ftz.f32 %d, %a;`, "b32", "b32"),
  ]),
  one("tanh.approx.f32 %d, %a;", "b32", "b32"),
  one("rcp.approx.ftz.f64 %d, %a;", "b64", "b64"),
  one("rsqrt.approx.ftz.f64 %d, %a;", "b64", "b64"),
  one("rsqrt.approx.f64 %d, %a;", "b64", "b64"),
  ...["approx", "approx.ftz", "full", "full.ftz"].map((k) => two(`div.${k}.f32 %d, %a, %b;`, "b32")),
  ...["rn", "rn.ftz", "rz", "rm", "rp"].flatMap((k) => [
    two(`div.${k}.f32 %d, %a, %b;`, "b32"),
    one(`sqrt.${k}.f32 %d, %a;`, "b32", "b32"),
    one(`rcp.${k}.f32 %d, %a;`, "b32", "b32"),
  ]),
  ...["rn", "rz", "rm", "rp"].flatMap((k) => [
    two(`div.${k}.f64 %d, %a, %b;`, "b64"),
    one(`sqrt.${k}.f64 %d, %a;`, "b64", "b64"),
    one(`rcp.${k}.f64 %d, %a;`, "b64", "b64"),
  ]),
  ...["min", "max"].flatMap((op) => [
    two(`${op}.f32 %d, %a, %b;`, "b32"),
    two(`${op}.ftz.f32 %d, %a, %b;`, "b32"),
    two(`${op}.f64 %d, %a, %b;`, "b64"),
  ]),
  // The carry flag after a subtraction, taken up by either kind.
  two("sub.cc.u32 %d, %a, %b; addc.u32 %d, %a, 0;", "b32"),
  two("sub.cc.u32 %d, %a, %b; subc.u32 %d, %a, %b;", "b32"),
  two("sub.cc.u64 %d, %a, %b; addc.u64 %d, %a, %b;", "b64"),
  two("add.cc.u32 %d, %a, %b; subc.cc.u32 %d, %a, %b; addc.u32 %d, %d, 0;", "b32"),
  two("copysign.f32 %d, %a, %b;", "b32"),
  two("copysign.f64 %d, %a, %b;", "b64"),
  one("neg.ftz.f32 %d, %a;", "b32", "b32"),
  one("abs.ftz.f32 %d, %a;", "b32", "b32"),
  ...["", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"].map((k) => ({
    code: `prmt.b32${k} %d, %a, %b, %c;`,
    sources: ["b32", "b32", "b32"],
    result: "b32",
  })),
  ...["32", "64"].flatMap((n) => [
    { code: `bfe.s${n} %d, %a, %b, %c;`, sources: [`b${n}`, "b32", "b32"], result: `b${n}` },
    { code: `bfi.b${n} %d, %a, %b, %c, %e;`, sources: [`b${n}`, `b${n}`, "b32", "b32"], result: `b${n}` },
    one(`bfind.s${n} %d, %a;`, `b${n}`, "b32"),
    one(`bfind.shiftamt.u${n} %d, %a;`, `b${n}`, "b32"),
    two(`set.lt.u32.s${n} %d, %a, %b;`, `b${n}`, "b32"),
    two(`set.leu.f32.f${n} %d, %a, %b;`, `b${n}`, "b32"),
    { code: `slct.ftz.b${n}.f32 %d, %a, %b, %c;`, sources: [`b${n}`, `b${n}`, "b32"], result: `b${n}` },
  ]),
  { code: "szext.wrap.s32 %d, %a, %b;", sources: ["b32", "b32"], result: "b32" },
  { code: "bmsk.wrap.b32 %d, %a, %b;", sources: ["b32", "b32"], result: "b32" },
];

/** Floats come as floats, integers as integers, by what the code says. */
function rowsOf(s: Snippet): bigint[][] {
  const float = /\.f(\d+) %d/.exec(s.code);
  const bits = s.sources.map((t) => Number(t.slice(1)));
  if (s.code.startsWith("bf") && bits.length > 2) {
    // Positions and lengths are bytes; what larger ones mean is left open.
    return integerRows(bits, 200, 17).map((row) => row.map((v, k) => (k < bits.length - 2 ? v : v & 0xffn)));
  }
  if (float === null || s.code.startsWith("slct")) return integerRows(bits, 100, 17);
  const format = bits[0] === 64 ? soft.f64 : soft.f32;
  const rows = soft.floatRows(format, s.sources.length, 100, randomBits(19));
  // What rounds to the least normal number and its neighbours, for narrowing.
  if (format === soft.f64 && s.sources.length === 1)
    for (const low of [0n, 1n, 0xe0000000n, 0xe0000001n, 0xf0000000n, 0xf0000001n, 0xffffffffn])
      for (const high of [0x380fffffn, 0x38100000n, 0xb80fffffn]) rows.push([(high << 32n) | low]);
  return rows;
}

function results(cubin: Uint8Array, kernel: string, s: Snippet, rows: bigint[][]): bigint[] | string {
  const cells = Math.ceil(rows.length / 64) * 64;
  const out = new BigUint64Array(cells);
  const inputs = s.sources.map((_, k) => BigUint64Array.from({ length: cells }, (_unused, i) => rows[i]?.[k] ?? 0n));
  const run = simulate(cubin, { kernel, grid: cells / 64, block: 64, params: [out, ...inputs] });
  if (!run.ok) return run.diagnostics.map((d) => d.message).join("; ");
  if (run.value.fault !== null) return `${run.value.fault.kind}: ${run.value.fault.message}`;
  const mask = (1n << BigInt(s.result.slice(1))) - 1n;
  return rows.map((_, i) => out[i]! & mask);
}

/** One module with a kernel for each snippet, compiled by both. */
function bothCubins(target: (typeof targets)[number]): { ours: Uint8Array; theirs: Uint8Array } {
  const text = moduleHeader(target) + snippets.map((s, k) => kernelText(s, `k${k}`)).join("");
  const made = compile(text, { target, opt: 0 });
  if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  const ours = made.cubin;
  return inScratch((dir) => {
    const [ptx, cubin, own] = [join(dir, "k.ptx"), join(dir, "k.cubin"), join(dir, "own.cubin")];
    writeFileSync(ptx, text);
    expect(tool("ptxas", ["-O0", `-arch=${target}`, ptx, "-o", cubin]).stderr).toBe("");
    writeFileSync(own, ours);
    const listing = tool("nvdisasm", ["-c", own]);
    expect([listing.status, listing.stderr]).toEqual([0, ""]);
    return { ours, theirs: new Uint8Array(readFileSync(cubin)) };
  });
}

const isFloatResult = (code: string): boolean =>
  /\.f(16|32|64)/.test(code) && !/^(cvt\.\w+\.(\w+\.)?[us]\d|set\.|slct)/.test(code);

describeOracle("lowering and ptxas -O0", () => {
  describe.each(targets)("%s", (target) => {
    let cubins: ReturnType<typeof bothCubins>;
    beforeAll(() => {
      cubins = bothCubins(target);
    });

    test.each(snippets.map((s, k) => [s.code, k, s] as const))("%s", (code, k, s) => {
      const rows = rowsOf(s);
      const [ours, theirs] = [results(cubins.ours, `k${k}`, s, rows), results(cubins.theirs, `k${k}`, s, rows)];
      if (typeof ours === "string" || typeof theirs === "string") throw new Error(`ours ${ours}\nptxas ${theirs}`);
      const format = { 16: soft.f16, 32: soft.f32, 64: soft.f64 }[Number(s.result.slice(1))]!;
      const same = isFloatResult(code) ? soft.same(format) : (a: bigint, b: bigint): boolean => a === b;
      const wrong = rows.flatMap((row, i) =>
        same(ours[i]!, theirs[i]!) ? [] : [`${row.map(hex)}: ${hex(ours[i]!)}, ptxas ${hex(theirs[i]!)}`],
      );
      expect(wrong.slice(0, 8)).toEqual([]);
    });
  });
});
