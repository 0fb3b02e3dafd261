/** What cvt computes between all number types, against exact arithmetic, on all three targets. */
import { expectRows, integerRows, randomBits, targets } from "./harness";
import * as soft from "./soft-float";

interface Case {
  readonly code: string;
  readonly source: string;
  readonly result: string;
  readonly rows: bigint[][];
  readonly reference: (v: bigint) => bigint;
  readonly equal?: (a: bigint, b: bigint) => boolean;
}

const cases: Case[] = [];
const mask = (bits: number): bigint => (1n << BigInt(bits)) - 1n;
const read = (type: string, v: bigint): bigint => {
  const bits = Number(type.slice(1));
  return type.startsWith("s") ? BigInt.asIntN(bits, v) : v & mask(bits);
};
/** 8-bit values travel in 16-bit registers. */
const register = (type: string): string => `b${Math.max(16, Number(/\d+$/.exec(type)![0]))}`;
const range = (type: string): [bigint, bigint] => {
  const bits = BigInt(type.slice(1));
  return type.startsWith("s") ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
};
const clamp = (type: string, v: bigint): bigint => {
  const [low, high] = range(type);
  if (v < low) return low;
  if (v > high) return high;
  return v;
};

const integers = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"];
for (const to of integers) {
  for (const from of integers) {
    const rows = integerRows([Number(register(from).slice(1))], 60, 3);
    const bits = Number(register(to).slice(1));
    // A narrow value fills its register by its own type.
    const plain = (v: bigint): bigint => read(to, read(from, v)) & mask(bits);
    cases.push({
      code: `cvt.${to}.${from} %d, %a;`,
      source: register(from),
      result: register(to),
      rows,
      reference: plain,
    });
    // ptxas refuses .sat where every value fits.
    if (range(from).every((v) => clamp(to, v) === v)) continue;
    const sat = (v: bigint): bigint => clamp(to, read(from, v)) & mask(bits);
    cases.push({
      code: `cvt.sat.${to}.${from} %d, %a;`,
      source: register(from),
      result: register(to),
      rows,
      reference: sat,
    });
  }
}
cases.push({
  code: "cvt.s64.s8 %d, %a;",
  source: "b16",
  result: "b64",
  rows: integerRows([16], 30, 1),
  reference: (v) => read("s8", v) & mask(64),
});
cases.push({
  code: "cvt.u8.u32 %x0, %a; mov.b32 %d, %x0;",
  source: "b32",
  result: "b32",
  rows: integerRows([32], 30, 1),
  reference: (v) => v & 0xffn,
});

const floats = { f16: soft.f16, f32: soft.f32, f64: soft.f64 } as const;
const names = Object.keys(floats) as (keyof typeof floats)[];
const modes = ["rn", "rz", "rm", "rp"] as const;
const integralModes = ["rni", "rzi", "rmi", "rpi"] as const;

for (const name of names) {
  const f = floats[name];
  const wide = `b${f.bits}`;
  for (const type of integers) {
    if (name === "f16" && type.endsWith("8")) continue;
    const rows = integerRows([Number(register(type).slice(1))], 200, 21);
    for (const mode of modes) {
      cases.push({
        code: `cvt.${mode}.${name}.${type} %d, %a;`,
        source: register(type),
        result: wide,
        rows,
        reference: (v) => soft.fromInteger(f, read(type, v), mode),
      });
    }
    // NaN and numbers out of range: the nearest end (NaN is left out; its value depends on the types).
    const numbers = soft.floatRows(f, 1, 200, randomBits(31)).filter((row) => !soft.isNan(f, row[0]!));
    for (const mode of integralModes) {
      cases.push({
        code: `cvt.${mode}.${type}.${name} %d, %a;`,
        source: wide,
        result: register(type),
        rows: numbers,
        reference: (v) => {
          const x = soft.decode(f, v);
          const [low, high] = range(type);
          const k = x.kind === "infinite" ? (x.negative ? low : high) : clamp(type, soft.toInteger(f, v, mode)!);
          return k & mask(Number(register(type).slice(1)));
        },
      });
    }
  }
  const rows = soft.floatRows(f, 1, 400, randomBits(41));
  for (const mode of integralModes) {
    cases.push({
      code: `cvt.${mode}.${name}.${name} %d, %a;`,
      source: wide,
      result: wide,
      rows,
      reference: (v) => {
        const x = soft.decode(f, v);
        if (x.kind !== "finite") return v;
        const k = soft.toInteger(f, v, mode)!;
        return soft.fromInteger(f, k, "rn") | (v & soft.signBit(f));
      },
      equal: soft.same(f),
    });
  }
  for (const other of names) {
    const g = floats[other];
    if (g.bits > f.bits) {
      const reference = (v: bigint): bigint => soft.convert(f, g, v, "rn");
      cases.push({
        code: `cvt.${other}.${name} %d, %a;`,
        source: wide,
        result: `b${g.bits}`,
        rows,
        reference,
        equal: soft.same(g),
      });
    } else if (g.bits < f.bits) {
      for (const mode of modes) {
        const near = soft.corners(g).map((v) => [soft.convert(g, f, v, "rn")]);
        // Halfway and next to it, around every corner of the narrow type.
        const around = near.flatMap(([v]) => [
          [v! + 1n],
          [(v! - 1n) & mask(f.bits)],
          [v! ^ (1n << BigInt(f.mantissa - g.mantissa - 1))],
        ]);
        cases.push({
          code: `cvt.${mode}.${other}.${name} %d, %a;`,
          source: wide,
          result: `b${g.bits}`,
          rows: [...rows, ...near, ...around],
          reference: (v) => soft.convert(f, g, v, mode),
          equal: soft.same(g),
        });
      }
    }
  }
}
const f32Rows = soft.floatRows(soft.f32, 1, 200, randomBits(51));
const f64Rows = [
  ...soft.floatRows(soft.f64, 1, 200, randomBits(52)),
  ...soft.corners(soft.f32).flatMap((v) => {
    const x = soft.convert(soft.f32, soft.f64, v, "rn");
    return [[x], [x + 1n], [(x - 1n) & mask(64)], [x ^ (1n << 28n)]];
  }),
  // Where results become 2⁻¹²⁶: the last number of 24 digits below it, and the middle between the two.
  ...[0x380fffffe0000000n, 0x380ffffff0000000n].flatMap((v) =>
    [v - 1n, v, v + 1n].flatMap((x) => [[x], [x | (1n << 63n)]]),
  ),
];
cases.push({
  code: "cvt.ftz.f64.f32 %d, %a;",
  source: "b32",
  result: "b64",
  rows: f32Rows,
  reference: (v) => soft.convert(soft.f32, soft.f64, soft.flush(soft.f32, v), "rn"),
  equal: soft.same(soft.f64),
});
cases.push({
  code: "cvt.ftz.f32.f32 %d, %a;",
  source: "b32",
  result: "b32",
  rows: f32Rows,
  reference: (v) => soft.flush(soft.f32, v),
  equal: soft.same(soft.f32),
});
const unit = 0x3f800000n;
const saturate = (v: bigint): bigint => {
  if (soft.isNan(soft.f32, v) || v & soft.signBit(soft.f32)) return 0n;
  if (v > unit) return unit;
  return v;
};
for (const mode of modes) {
  cases.push({
    code: `cvt.${mode}.ftz.f32.f64 %d, %a;`,
    source: "b64",
    result: "b32",
    rows: f64Rows,
    reference: (v) => soft.convert(soft.f64, { ...soft.f32, flushes: true }, v, mode),
    equal: soft.same(soft.f32),
  });
  cases.push({
    code: `cvt.${mode}.ftz.sat.f32.f64 %d, %a;`,
    source: "b64",
    result: "b32",
    rows: f64Rows,
    reference: (v) => saturate(soft.convert(soft.f64, { ...soft.f32, flushes: true }, v, mode)),
  });
}
for (const mode of integralModes) {
  for (const to of ["s32", "s64", "u64"]) {
    const bits = Number(to.slice(1));
    cases.push({
      code: `cvt.${mode}.ftz.${to}.f32 %d, %a;`,
      source: "b32",
      result: `b${bits}`,
      rows: f32Rows.filter((row) => soft.decode(soft.f32, row[0]!).kind === "finite"),
      reference: (v) => clamp(to, soft.toInteger(soft.f32, soft.flush(soft.f32, v), mode)!) & mask(bits),
    });
  }
}
cases.push({ code: "cvt.sat.f32.f32 %d, %a;", source: "b32", result: "b32", rows: f32Rows, reference: saturate });
cases.push({
  code: "cvt.rn.sat.f32.f64 %d, %a;",
  source: "b64",
  result: "b32",
  rows: f64Rows,
  reference: (v) => saturate(soft.convert(soft.f64, soft.f32, v, "rn")),
});
cases.push({
  code: "cvt.rn.sat.f32.s32 %d, %a;",
  source: "b32",
  result: "b32",
  rows: integerRows([32], 20, 1),
  reference: (v) => saturate(soft.fromInteger(soft.f32, read("s32", v), "rn")),
});
cases.push({
  code: "cvt.f32.bf16 %d, %a;",
  source: "b16",
  result: "b32",
  rows: soft.floatRows(soft.bf16, 1, 100, randomBits(61)),
  reference: (v) => v << 16n,
  equal: soft.same(soft.f32),
});

/** bf16 sources need PTX for sm_90. */
const runs = (target: string, code: string): boolean => !code.includes("bf16") || target !== "sm_75";

describe.each(targets)("conversions on %s", (target) => {
  test.each(cases.filter((k) => runs(target, k.code)).map((k) => [k.code, k] as const))("%s", (_, k) => {
    expectRows(target, { code: k.code, sources: [k.source], result: k.result }, k.rows, k.reference, k.equal);
  });
});
