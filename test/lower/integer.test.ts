/** What integer instructions compute, against BigInt arithmetic, on all three targets. */
import { expectRows, integerRows, targets } from "./harness";

const M = (bits: number): bigint => (1n << BigInt(bits)) - 1n;
const u = (v: bigint, bits: number): bigint => v & M(bits);
const s = (v: bigint, bits: number): bigint => BigInt.asIntN(bits, v);
const clamp = (v: bigint, lo: bigint, hi: bigint): bigint => (v < lo ? lo : v > hi ? hi : v);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const abs = (a: bigint): bigint => (a < 0n ? -a : a);

interface Case {
  readonly code: string;
  readonly sources: readonly string[];
  readonly result: string;
  readonly reference: (...v: bigint[]) => bigint;
}

const cases: Case[] = [];
const add = (code: string, sources: readonly string[], result: string, reference: Case["reference"]): void => {
  cases.push({ code, sources, result, reference });
};

for (const n of [16, 32, 64]) {
  const t = `b${n}`;
  for (const [k, x] of [
    ["u", u],
    ["s", s],
  ] as const) {
    const T = `${k}${n}`;
    const two = (op: string, f: (a: bigint, b: bigint) => bigint): void =>
      add(`${op}.${T} %d, %a, %b;`, [t, t], t, (a, b) => u(f(x(a!, n), x(b!, n)), n));
    two("add", (a, b) => a + b);
    two("sub", (a, b) => a - b);
    two("mul.lo", (a, b) => a * b);
    two("mul.hi", (a, b) => (a * b) >> BigInt(n));
    two("min", min);
    two("max", max);
    add(`mad.lo.${T} %d, %a, %b, %c;`, [t, t, t], t, (a, b, c) => u(a! * b! + c!, n));
    add(`mad.hi.${T} %d, %a, %b, %c;`, [t, t, t], t, (a, b, c) => u(((x(a!, n) * x(b!, n)) >> BigInt(n)) + c!, n));
    add(`sad.${T} %d, %a, %b, %c;`, [t, t, t], t, (a, b, c) => u(c! + abs(x(a!, n) - x(b!, n)), n));
    add(`div.${T} %d, %a, %b;`, [t, t], t, (a, b) => (b === 0n ? M(n) : u(x(a!, n) / x(b!, n), n)));
    add(`rem.${T} %d, %a, %b;`, [t, t], t, (a, b) => (b === 0n ? M(n) : u(x(a!, n) % x(b!, n), n)));
    add(`shr.${T} %d, %a, %b;`, [t, "b32"], t, (a, b) => u(x(a!, n) >> min(b!, BigInt(n)), n));
    for (const [cmp, f] of Object.entries({
      eq: (a: bigint, b: bigint) => a === b,
      ne: (a: bigint, b: bigint) => a !== b,
      lt: (a: bigint, b: bigint) => a < b,
      le: (a: bigint, b: bigint) => a <= b,
      gt: (a: bigint, b: bigint) => a > b,
      ge: (a: bigint, b: bigint) => a >= b,
    })) {
      add(`setp.${cmp}.${T} %d, %a, %b;`, [t, t], "pred", (a, b) => BigInt(f(x(a!, n), x(b!, n))));
    }
    add(`setp.lt.and.${T} %d|%q0, %a, %b, %c; xor.pred %d, %d, %q0;`, [t, t, "pred"], "pred", (_a, _b, c) => c!);
    if (n < 64) {
      add(`mul.wide.${T} %d, %a, %b;`, [t, t], `b${2 * n}`, (a, b) => u(x(a!, n) * x(b!, n), 2 * n));
      add(`mad.wide.${T} %d, %a, %b, %c;`, [t, t, `b${2 * n}`], `b${2 * n}`, (a, b, c) =>
        u(x(a!, n) * x(b!, n) + c!, 2 * n),
      );
    }
    if (n > 16) {
      const field = (a: bigint, p: bigint, l: bigint): bigint => {
        const [position, length] = n === 64 ? [p, l] : [p & 0xffn, l & 0xffn];
        if (length === 0n) return 0n;
        const top = min(position + length, BigInt(n)) - 1n;
        const sign = k === "s" ? (a >> min(top < position ? BigInt(n - 1) : top, BigInt(n - 1))) & 1n : 0n;
        let d = position >= BigInt(n) ? 0n : a >> position;
        const kept = position >= BigInt(n) ? 0n : min(length, BigInt(n) - position);
        d &= (1n << kept) - 1n;
        return sign ? d | (M(n) & ~((1n << kept) - 1n)) : d;
      };
      add(`bfe.${T} %d, %a, %b, %c;`, [t, "b32", "b32"], t, (a, b, c) => field(a!, b!, c!));
      const find = (a: bigint): bigint => {
        const v = k === "s" && s(a, n) < 0n ? u(~a, n) : a;
        return v === 0n ? M(32) : BigInt(v.toString(2).length - 1);
      };
      add(`bfind.${T} %d, %a;`, [t], "b32", (a) => find(a!));
      add(`bfind.shiftamt.${T} %d, %a;`, [t], "b32", (a) => (find(a!) === M(32) ? M(32) : BigInt(n - 1) - find(a!)));
    }
  }
  add(`and.b${n} %d, %a, %b;`, [t, t], t, (a, b) => a! & b!);
  add(`or.b${n} %d, %a, %b;`, [t, t], t, (a, b) => a! | b!);
  add(`xor.b${n} %d, %a, %b;`, [t, t], t, (a, b) => a! ^ b!);
  add(`not.b${n} %d, %a;`, [t], t, (a) => u(~a!, n));
  add(`cnot.b${n} %d, %a;`, [t], t, (a) => BigInt(a === 0n));
  add(`neg.s${n} %d, %a;`, [t], t, (a) => u(-a!, n));
  add(`abs.s${n} %d, %a;`, [t], t, (a) => u(abs(s(a!, n)), n));
  add(`shl.b${n} %d, %a, %b;`, [t, "b32"], t, (a, b) => (b! >= BigInt(n) ? 0n : u(a! << b!, n)));
  add(`selp.b${n} %d, %a, %b, %c;`, [t, t, "pred"], t, (a, b, c) => (c! ? a! : b!));
  add(`slct.b${n}.s32 %d, %a, %b, %c;`, [t, t, "b32"], t, (a, b, c) => (s(c!, 32) >= 0n ? a! : b!));
  // A destination that is also a source of later steps.
  add(`mov.b${n} %d, %a; sub.s${n} %d, %b, %d;`, [t, t], t, (a, b) => u(b! - a!, n));
  if (n > 16) {
    const ones = (v: bigint): number =>
      v
        .toString(2)
        .split("")
        .filter((c) => c === "1").length;
    add(`popc.b${n} %d, %a;`, [t], "b32", (a) => BigInt(ones(a!)));
    add(`clz.b${n} %d, %a;`, [t], "b32", (a) => (a === 0n ? BigInt(n) : BigInt(n - a!.toString(2).length)));
    add(`brev.b${n} %d, %a;`, [t], t, (a) =>
      BigInt(`0b${a!.toString(2).padStart(n, "0").split("").reverse().join("")}`),
    );
    add(`bfi.b${n} %d, %a, %b, %c, %e;`, [t, t, "b32", "b32"], t, (a, b, c, e) => {
      const [position, length] = n === 64 ? [c!, e!] : [c! & 0xffn, e! & 0xffn];
      if (position >= BigInt(n)) return b!;
      const mask = u((length >= BigInt(n) ? M(n) : (1n << length) - 1n) << position, n);
      return (u(a! << position, n) & mask) | (b! & ~mask);
    });
    // Sum of three through the carry flag: the second word of a wide sum.
    add(`add.cc.u${n} %d, %a, %b; addc.u${n} %d, %c, 0;`, [t, t, t], t, (a, b, c) =>
      u(((a! + b!) >> BigInt(n)) + c!, n),
    );
    add(`sub.cc.u${n} %d, %a, %b; subc.u${n} %d, %c, %b;`, [t, t, t], t, (a, b, c) => u(c! - b! - BigInt(a! < b!), n));
    add(`sub.cc.u${n} %d, %a, 0; subc.cc.u${n} %d, %b, 5; subc.u${n} %d, %c, 0;`, [t, t, t], t, (_a, b, c) =>
      u(c! - BigInt(b! < 5n), n),
    );
    add(`mad.lo.cc.u${n} %d, %a, %b, %c; madc.hi.u${n} %d, %a, %b, 0;`, [t, t, t], t, (a, b, c) =>
      u((a! * b! + c!) >> BigInt(n), n),
    );
  }
}

add("add.sat.s32 %d, %a, %b;", ["b32", "b32"], "b32", (a, b) =>
  u(clamp(s(a!, 32) + s(b!, 32), -(1n << 31n), M(31)), 32),
);
add("sub.sat.s32 %d, %a, %b;", ["b32", "b32"], "b32", (a, b) =>
  u(clamp(s(a!, 32) - s(b!, 32), -(1n << 31n), M(31)), 32),
);
for (const [k, x] of [
  ["u", u],
  ["s", s],
] as const) {
  add(`mul24.lo.${k}32 %d, %a, %b;`, ["b32", "b32"], "b32", (a, b) => u(x(u(a!, 24), 24) * x(u(b!, 24), 24), 32));
  add(`mul24.hi.${k}32 %d, %a, %b;`, ["b32", "b32"], "b32", (a, b) =>
    u((x(u(a!, 24), 24) * x(u(b!, 24), 24)) >> 16n, 32),
  );
  add(`mad24.lo.${k}32 %d, %a, %b, %c;`, ["b32", "b32", "b32"], "b32", (a, b, c) =>
    u(x(u(a!, 24), 24) * x(u(b!, 24), 24) + c!, 32),
  );
}
const funnel = (a: bigint, b: bigint): bigint => (b << 32n) | a;
add("shf.l.clamp.b32 %d, %a, %b, %c;", ["b32", "b32", "b32"], "b32", (a, b, c) =>
  u((funnel(a!, b!) << min(c!, 32n)) >> 32n, 32),
);
add("shf.r.clamp.b32 %d, %a, %b, %c;", ["b32", "b32", "b32"], "b32", (a, b, c) =>
  u(funnel(a!, b!) >> min(c!, 32n), 32),
);
add("shf.l.wrap.b32 %d, %a, %b, %c;", ["b32", "b32", "b32"], "b32", (a, b, c) =>
  u((funnel(a!, b!) << (c! & 31n)) >> 32n, 32),
);
add("shf.r.wrap.b32 %d, %a, %b, %c;", ["b32", "b32", "b32"], "b32", (a, b, c) => u(funnel(a!, b!) >> (c! & 31n), 32));
for (const lut of [0x00, 0x96, 0xe8, 0xca, 0x1b]) {
  add(`lop3.b32 %d, %a, %b, %c, ${lut};`, ["b32", "b32", "b32"], "b32", (a, b, c) => {
    let d = 0n;
    for (let k = 0n; k < 32n; k++) {
      const index = Number((((a! >> k) & 1n) << 2n) | (((b! >> k) & 1n) << 1n) | ((c! >> k) & 1n));
      if ((lut >> index) & 1) d |= 1n << k;
    }
    return d;
  });
}
const byte = (a: bigint, b: bigint, k: bigint): bigint => (funnel(a, b) >> ((k & 7n) * 8n)) & 0xffn;
add("prmt.b32 %d, %a, %b, %c;", ["b32", "b32", "b32"], "b32", (a, b, c) => {
  let d = 0n;
  for (let k = 0n; k < 4n; k++) {
    const sel = (c! >> (4n * k)) & 15n;
    const v = byte(a!, b!, sel);
    d |= (sel & 8n ? (v & 0x80n ? 0xffn : 0n) : v) << (8n * k);
  }
  return d;
});
add("bmsk.clamp.b32 %d, %a, %b;", ["b32", "b32"], "b32", (a, b) => {
  const [position, length] = [min(a!, 32n), min(b!, 32n)];
  return u(((1n << length) - 1n) << position, 32);
});
add("szext.clamp.s32 %d, %a, %b;", ["b32", "b32"], "b32", (a, b) =>
  b! >= 32n ? a! : u(s(u(a!, Number(b!)), Number(b!)), 32),
);

// Constants in every place.
for (const k of [0n, 1n, 0x12345n, 0x80000000n, 0xffffffffn]) {
  add(`sub.s32 %d, ${k}, %a;`, ["b32"], "b32", (a) => u(k - a!, 32));
  add(`sub.s32 %d, %a, ${k};`, ["b32"], "b32", (a) => u(a! - k, 32));
  add(`mad.lo.s32 %d, ${k}, %a, ${k};`, ["b32"], "b32", (a) => u(k * a! + k, 32));
  add(`min.u32 %d, ${k}, %a;`, ["b32"], "b32", (a) => min(k, a!));
  add(`setp.lt.u32 %d, ${k}, %a;`, ["b32"], "pred", (a) => BigInt(k < a!));
  add(`selp.b32 %d, ${k}, ${k ^ 5n}, %a;`, ["pred"], "b32", (a) => (a ? k : k ^ 5n));
}
for (const k of [0n, 1n, 0x100000000n, 0xffffffffn, 0xfedcba9876543210n]) {
  add(`sub.s64 %d, ${k}, %a;`, ["b64"], "b64", (a) => u(k - a!, 64));
  add(`sub.s64 %d, %a, ${k};`, ["b64"], "b64", (a) => u(a! - k, 64));
  add(`mul.lo.s64 %d, %a, ${k};`, ["b64"], "b64", (a) => u(k * a!, 64));
  add(`and.b64 %d, ${k}, %a;`, ["b64"], "b64", (a) => k & a!);
  add(`setp.le.u64 %d, ${k}, %a;`, ["b64"], "pred", (a) => BigInt(k <= a!));
}

// Guards: the instruction must leave %d alone where the predicate is false.
add("mov.b32 %d, 77; @%b add.s32 %d, %a, 3;", ["b32", "pred"], "b32", (a, b) => (b ? u(a! + 3n, 32) : 77n));
add("mov.b64 %d, 77; @!%b mul.hi.u64 %d, %a, %a;", ["b64", "pred"], "b64", (a, b) => (b ? 77n : (a! * a!) >> 64n));
// Logic on predicates.
add(
  "and.pred %d, %a, %b; not.pred %q0, %d; or.pred %d, %q0, %a; xor.pred %d, %d, %b;",
  ["pred", "pred"],
  "pred",
  (a, b) => {
    const d = a! & b!;
    return ((d ^ 1n) | a!) ^ b!;
  },
);

const bits = (t: string): number => (t === "pred" ? 1 : Number(t.slice(1)));

describe.each(targets)("integer instructions on %s", (target) => {
  test.each(cases.map((k) => [k.code, k] as const))("%s", (_, k) => {
    const rows = integerRows(k.sources.map(bits), 200, 7);
    expectRows(target, k, rows, k.reference);
  });
});
