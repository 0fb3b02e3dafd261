/** What f32 and f64 arithmetic computes, against exact rational arithmetic with one rounding, on all three targets. */
import { expectRows, randomBits, targets } from "./harness";
import * as soft from "./soft-float";

interface Case {
  readonly code: string;
  readonly format: soft.Format;
  readonly sources: number;
  readonly reference: (...v: bigint[]) => bigint;
  /** Denormal results are zeros; so may be the least normal number where rounding reached it from below (PTX does not say). */
  readonly flushes?: boolean;
}

const modes = ["rn", "rz", "rm", "rp"] as const;
const cases: Case[] = [];
const add = (code: string, format: soft.Format, sources: number, reference: Case["reference"]): void => {
  cases.push({ code, format, sources, reference });
};

/** With .ftz, denormal sources are zeros. */
const flushed =
  (f: soft.Format, g: Case["reference"]): Case["reference"] =>
  (...v) =>
    g(...v.map((x) => soft.flush(f, x)));

const saturated =
  (f: soft.Format, g: Case["reference"]): Case["reference"] =>
  (...v) => {
    const d = g(...v);
    const unit = soft.fromInteger(f, 1n, "rn");
    if (soft.isNan(f, d) || d & soft.signBit(f)) return 0n;
    if (d > unit) return unit;
    return d;
  };

for (const [type, f] of [
  ["f32", soft.f32],
  ["f64", soft.f64],
] as const) {
  const minus = (x: bigint): bigint => x ^ soft.signBit(f);
  for (const mode of modes) {
    const operations = (f: soft.Format): [string, number, Case["reference"]][] => [
      ["add", 2, (a, b) => soft.add(f, a!, b!, mode)],
      ["sub", 2, (a, b) => soft.add(f, a!, minus(b!), mode)],
      ["mul", 2, (a, b) => soft.mul(f, a!, b!, mode)],
      ["fma", 3, (a, b, c) => soft.fma(f, a!, b!, c!, mode)],
      ["div", 2, (a, b) => soft.div(f, a!, b!, mode)],
      ["rcp", 1, (a) => soft.div(f, soft.fromInteger(f, 1n, "rn"), a!, mode)],
      ["sqrt", 1, (a) => soft.sqrt(f, a!, mode)],
    ];
    const withFlush = operations({ ...f, flushes: true });
    operations(f).forEach(([op, n, g], index) => {
      const args = ["%a", "%b", "%c"].slice(0, n).join(", ");
      add(`${op}.${mode}.${type} %d, ${args};`, f, n, g);
      if (type === "f64") return;
      cases.push({
        code: `${op}.${mode}.ftz.f32 %d, ${args};`,
        format: f,
        sources: n,
        reference: flushed(f, withFlush[index]![2]),
        flushes: true,
      });
      if (op === "add" || op === "mul" || op === "fma")
        add(`${op}.${mode}.sat.f32 %d, ${args};`, f, n, saturated(f, g));
    });
  }
  add(`neg.${type} %d, %a;`, f, 1, (a) => minus(a!));
  add(`abs.${type} %d, %a;`, f, 1, (a) => a! & ~soft.signBit(f));
  add(`copysign.${type} %d, %a, %b;`, f, 2, (a, b) => (a! & soft.signBit(f)) | (b! & ~soft.signBit(f)));
  for (const max of [false, true]) {
    const g: Case["reference"] = (a, b) => {
      if (soft.isNan(f, a!)) return b!;
      if (soft.isNan(f, b!)) return a!;
      const o = soft.order(f, a!, b!)!;
      // −0 is smaller than +0.
      if (o === 0) return max ? a! & b! : a! | b!;
      return o > 0 === max ? a! : b!;
    };
    add(`${max ? "max" : "min"}.${type} %d, %a, %b;`, f, 2, g);
  }
}
// Constants on either side.
add("sub.f32 %d, 0f40490FDB, %a;", soft.f32, 1, (a) => soft.add(soft.f32, 0x40490fdbn, a! ^ 0x80000000n, "rn"));
add("sub.f32 %d, %a, 0f40490FDB;", soft.f32, 1, (a) => soft.add(soft.f32, a!, 0xc0490fdbn, "rn"));
add("sub.f64 %d, 0d400921FB54442D18, %a;", soft.f64, 1, (a) =>
  soft.add(soft.f64, 0x400921fb54442d18n, a! ^ (1n << 63n), "rn"),
);
add("fma.rn.f64 %d, %a, 0d400921FB54442D18, 0d3FF0000000000000;", soft.f64, 1, (a) =>
  soft.fma(soft.f64, a!, 0x400921fb54442d18n, 0x3ff0000000000000n, "rn"),
);

describe.each(targets)("float arithmetic on %s", (target) => {
  test.each(cases.map((k) => [k.code, k] as const))("%s", (_, k) => {
    const rows = soft.floatRows(k.format, k.sources, 400, randomBits(11));
    const type = `b${k.format.bits}`;
    const snippet = { code: k.code, sources: Array(k.sources).fill(type), result: type };
    const same = soft.same(k.format);
    const leastNormal = 1n << BigInt(k.format.mantissa);
    const equal = (a: bigint, b: bigint): boolean =>
      same(a, b) ||
      (k.flushes === true && (a & ~soft.signBit(k.format)) === leastNormal && (b & ~soft.signBit(k.format)) === 0n);
    expectRows(target, snippet, rows, k.reference, equal);
  });
});

// ------------------------------------------------------------------------------------------------ comparisons

const ordered: Record<string, (o: number) => boolean> = {
  eq: (o) => o === 0,
  ne: (o) => o !== 0,
  lt: (o) => o < 0,
  le: (o) => o <= 0,
  gt: (o) => o > 0,
  ge: (o) => o >= 0,
};

describe.each(targets)("float comparisons on %s", (target) => {
  for (const [type, f] of [
    ["f32", soft.f32],
    ["f64", soft.f64],
  ] as const) {
    const rows = soft.floatRows(f, 2, 100, randomBits(5));
    const run = (cmp: string, g: (o: number | null) => boolean): void => {
      const snippet = {
        code: `setp.${cmp}.${type} %d, %a, %b;`,
        sources: [`b${f.bits}`, `b${f.bits}`],
        result: "pred",
      };
      expectRows(target, snippet, rows, (a, b) => BigInt(g(soft.order(f, a!, b!))));
    };
    test.each(Object.keys(ordered))(`setp.%s.${type}`, (cmp) => {
      run(cmp, (o) => o !== null && ordered[cmp]!(o));
    });
    test.each(Object.keys(ordered))(`setp.%su.${type}`, (cmp) => {
      run(`${cmp}u`, (o) => o === null || ordered[cmp]!(o));
    });
    test(`setp.num and setp.nan ${type}`, () => {
      run("num", (o) => o !== null);
      run("nan", (o) => o === null);
    });
    test.each(["finite", "infinite", "number", "notanumber", "normal", "subnormal"])(`testp.%s.${type}`, (kind) => {
      const snippet = { code: `testp.${kind}.${type} %d, %a;`, sources: [`b${f.bits}`], result: "pred" };
      expectRows(target, snippet, soft.floatRows(f, 1, 100, randomBits(9)), (a) => {
        const v = soft.decode(f, a!);
        const denormal = soft.isDenormal(f, a!);
        return BigInt(
          {
            finite: v.kind === "finite",
            infinite: v.kind === "infinite",
            number: v.kind !== "nan",
            notanumber: v.kind === "nan",
            // Zeros are normal numbers (PTX §9.7.3.1).
            normal: v.kind === "finite" && !denormal,
            subnormal: denormal,
          }[kind]!,
        );
      });
    });
  }
});
