import { Builder, newFunc, operand, snapshot } from "../../lib/ori/index.js";
import { File, type Func } from "../../lib/ori/types.js";
import { isRelaxed } from "../../lib/regalloc/constraints.js";
import { alignmentOf } from "../../lib/regalloc/geometry.js";
import {
  type AllocationEvent,
  allocate,
  checkAllocation,
  constraintKinds,
  defaultPolicies,
  livePressure,
  selectFatpoint,
} from "../../lib/regalloc/index.js";
import type { Scan } from "../../lib/regalloc/types.js";
import { target } from "../../lib/target/index.js";

const { imm, reg, RZ } = operand;

function builder(): Builder {
  return new Builder(newFunc("k", target("sm_90")));
}

/** `n` values alive at once, then all stored. */
function wall(n: number, width = 1): Func {
  const b = builder();
  const address = b.r();
  b.emit("MOV", { d: address }, { b: imm(0) });
  const values = Array.from({ length: n }, () => b.r(width));
  for (const v of values) for (let k = 0; k < width; k++) b.emit("MOV", { d: reg(v.id, 1, k) }, { b: imm(k) });
  for (const v of values) {
    b.emit(width === 1 ? "STS" : `STS.${width * 32}`, {}, { base: reg(address.id), data: reg(v.id, width) });
  }
  b.emit("EXIT");
  return b.finish();
}

function names(func: Func): string[] {
  return func.blocks.flatMap((b) => b.insts.map((i) => i.form.name));
}

describe("geometry", () => {
  test("tuples are aligned to their width", () => {
    expect([1, 2, 3, 4, 8].map(alignmentOf)).toEqual([1, 2, 4, 4, 8]);
  });
});

describe("constraints (wiki page 33, step 4, corrected)", () => {
  const filled = (kind: keyof typeof constraintKinds, slot: number): number[][] => {
    const costs = { primary: new Int32Array(6), secondary: new Int32Array(6), slots: 6 };
    constraintKinds[kind].fill(costs, slot, 1);
    return [[...costs.primary], [...costs.secondary]];
  };
  const none = [0, 0, 0, 0, 0, 0];
  test.each([
    ["point", 2, [0, 0, 1, 0, 0, 0], none],
    ["fixed", 2, [1, 1, 0, 1, 1, 1], none],
    ["below", 2, [1, 1, 0, 0, 0, 0], none],
    ["even", 0, [0, 1, 0, 1, 0, 1], none],
    ["alignedPair", 2, [0, 0, 1, 1, 0, 0], none],
    ["phi", 3, [0, 1, 0, 1, 0, 1], none],
    ["partnerEven", 2, [1, 1, 1, 0, 1, 1], none],
    ["partnerEven", 3, none, none],
    ["prefer", 2, none, [1, 1, 0, 1, 1, 1]],
  ] as const)("%s %i", (kind, slot, primary, secondary) => {
    expect(filled(kind, slot)).toEqual([[...primary], [...secondary]]);
  });
  test("retries drop soft constraints from both ends", () => {
    const r = { relaxHead: 1, relaxTail: 1, bankAware: true };
    const kept = (attempt: number): number[] => [1, 2, 3, 4, 5].filter((n) => !isRelaxed(n, 5, { attempt, ...r }));
    expect(kept(0)).toEqual([1, 2, 3, 4, 5]);
    expect(kept(1)).toEqual([2, 3, 4]);
    expect(kept(2)).toEqual([3]);
  });
});

describe("selection", () => {
  const scan = (over: Partial<Scan>): Scan => ({
    value: {
      id: 0,
      file: File.R,
      width: 1,
      align: 1,
      uses: 1,
      defs: 1,
      points: 2,
      first: 0,
      last: 1,
      temporary: false,
      factor: false,
    },
    slots: 4,
    ceiling: 3,
    first: 0,
    step: 1,
    occupied: new Uint8Array(4),
    primary: new Int32Array(4),
    secondary: new Int32Array(4),
    attempt: 1,
    threshold: 50,
    ...over,
  });
  test("primary decides, secondary breaks ties, the lowest number wins among equals", () => {
    const s = scan({ primary: Int32Array.of(3, 1, 1, 1), secondary: Int32Array.of(0, 5, 2, 2) });
    expect(selectFatpoint(s)).toEqual({ slot: 2, why: "cheapest" });
  });
  test("a taken register is never chosen, however cheap", () => {
    const s = scan({ occupied: Uint8Array.of(1, 1, 1, 0), primary: Int32Array.of(0, 0, 0, 1000) });
    expect(selectFatpoint(s)).toEqual({ slot: 3, why: "cheapest" });
  });
  test("the first free one ends the search", () => {
    expect(selectFatpoint(scan({ primary: Int32Array.of(1, 0, 0, 0) }))).toEqual({ slot: 1, why: "zero-cost" });
  });
  test("congested registers are passed over on the first attempt only", () => {
    const primary = Int32Array.of(51, 51, 51, 51);
    expect(selectFatpoint(scan({ primary, attempt: 0 })).slot).toBe(-1);
    expect(selectFatpoint(scan({ primary, attempt: 1 })).slot).toBe(0);
  });
});

describe("allocation", () => {
  test("as many registers as are alive at once, R1 left out", () => {
    const func = wall(20);
    const most = Math.max(...livePressure(func, File.R));
    expect(most).toBe(21);
    const r = allocate(func);
    expect(r.ok && r.value.registers).toBe(most + 1 + 2);
    expect(
      func.blocks[0]?.insts.every((i) => [...i.dsts, ...i.srcs].every((o) => o.file !== File.R || o.id !== 1)),
    ).toBe(true);
  });
  test("R252 is the highest register; what is left over goes to memory", () => {
    const fits = wall(251);
    expect(allocate(fits).ok).toBe(true);
    expect([fits.used.R, fits.frame.spillBytes]).toEqual([253, 0]);
    const over = wall(300);
    const before = snapshot(over);
    const r = allocate(over);
    expect(r.ok && r.value.registers).toBe(255);
    expect(over.frame.spillBytes).toBeGreaterThanOrEqual(4 * (300 - 251));
    expect(checkAllocation(before, over)).toEqual([]);
  });
  test("spilled quads move in one access and the frame is lowered once", () => {
    const func = wall(12, 4);
    const before = snapshot(func);
    expect(allocate(func, { maxRegisters: 24 }).ok).toBe(true);
    expect(checkAllocation(before, func)).toEqual([]);
    const text = names(func);
    expect(text.slice(0, 2)).toEqual(["LDC", "IADD3"]);
    expect(text).toContain("LDL.128");
    expect((func.frame.localBytes + func.frame.spillBytes) % 16).toBe(0);
    expect(text.filter((n) => n === "IADD3")).toHaveLength(1);
  });
  test("the stack pointer is lowered after its own load, by local variables and spills together", () => {
    const b = builder();
    const sp = b.value(File.R, 1, "SP", 1);
    b.emit("LDC", [sp], [operand.constBank(0, 0x28)]);
    b.emit("STL", {}, { base: reg(sp.id), data: RZ() });
    b.emit("EXIT");
    const func = b.finish();
    func.frame.localBytes = 40;
    const before = snapshot(func);
    expect(allocate(func).ok).toBe(true);
    expect(names(func)).toEqual(["LDC", "IADD3", "STL", "EXIT"]);
    expect(func.blocks[0]?.insts[1]?.srcs[1]?.value).toBe(-40 >>> 0);
    expect(checkAllocation(before, func)).toEqual([]);
  });
  test("copies join their ends, and joined copies disappear unless kept", () => {
    const make = (): Func => {
      const b = builder();
      const [x, y] = [b.r(), b.r()];
      b.emit("MOV", { d: x }, { b: imm(1) });
      b.emit("MOV", { d: y }, { b: reg(x.id) });
      b.emit("STS", {}, { base: RZ(), data: reg(y.id) });
      b.emit("EXIT");
      return b.finish();
    };
    const dropped = make();
    const before = snapshot(dropped);
    allocate(dropped);
    expect(names(dropped)).toEqual(["MOV", "STS", "EXIT"]);
    expect(checkAllocation(before, dropped)).toEqual([]);
    const kept = make();
    allocate(kept, { keepCopies: true });
    expect(names(kept)).toEqual(["MOV", "MOV", "STS", "EXIT"]);
  });
  test("fails with ptxas's words when an instruction alone needs more", () => {
    const r = allocate(wall(3, 4), { ceilings: { R: 3 } });
    expect(r.ok).toBe(false);
    expect(r.diagnostics[0]?.severity).toBe("fatal");
    expect(r.diagnostics[0]?.message).toBe(
      "Register allocation failed with register count of '5'. Compile the program with a higher register target",
    );
  });
  test("is the same every time", () => {
    const [a, b] = [wall(60), wall(60)];
    const [ra, rb] = [allocate(a, { maxRegisters: 24 }), allocate(b, { maxRegisters: 24 })];
    expect(ra.ok && [...ra.value.assignment]).toEqual(rb.ok && [...rb.value.assignment]);
    expect(names(a)).toEqual(names(b));
  });
  test("carries under one guard do not live round a loop", () => {
    const b = builder();
    const [p, x] = [b.value(File.P), b.r()];
    const loop = b.newBlock();
    b.emit("MOV", { d: x }, { b: imm(1) });
    b.start(loop);
    b.emit("ISETP.NE.U32.AND", { p }, { a: x, b: imm(7) });
    const guard = { file: File.P, id: p.id, not: true };
    let carry = b.value(File.P);
    b.emit("IADD3", { d: x, co: carry }, { a: reg(x.id), b: imm(3), c: RZ() }, { guard });
    for (let k = 0; k < 9; k++) {
      const next = b.value(File.P);
      b.emit("IADD3.X", { d: x, co: next }, { a: reg(x.id), b: RZ(), c: RZ(), ci: operand.clone(carry) }, { guard });
      carry = next;
    }
    b.emit("BRA", {}, { target: operand.label(loop) }, { guard: { ...guard, not: false } });
    b.emit("EXIT");
    const func = b.finish();
    const before = snapshot(func);
    const r = allocate(func);
    expect(r.ok && r.value.rounds).toBe(0);
    expect(func.used.P).toBe(2);
    expect(checkAllocation(before, func)).toEqual([]);
  });
  test("a divergent function keeps uniform values that cross blocks in registers of their own", () => {
    const b = builder();
    const [u, w, p] = [b.ur(), b.ur(), b.value(File.P)];
    const [then, other, end] = [b.newBlock(), b.newBlock(), b.newBlock()];
    b.emit("UMOV", { d: u }, { b: imm(1) });
    b.emit("ISETP.NE.U32.AND", { p }, { a: RZ(), b: RZ() });
    b.emit("BRA", {}, { target: operand.label(other) }, { guard: { file: File.P, id: p.id, not: false } });
    b.start(then);
    b.emit("UMOV", { d: w }, { b: imm(2) });
    b.emit("MOV", { d: b.r() }, { b: operand.ureg(w.id) });
    b.emit("BRA", {}, { target: operand.label(end) });
    b.start(other);
    b.emit("MOV", { d: b.r() }, { b: operand.ureg(u.id) });
    b.start(end);
    b.emit("EXIT");
    const func = b.finish();
    const before = snapshot(func);
    // Allocation renames the operands.
    const [inU, inW] = [u.id, w.id];
    const r = allocate(func);
    expect(checkAllocation(before, func)).toEqual([]);
    // By the paths of one thread, w could take u's register: u is not read after it on any path.
    expect(r.ok && r.value.assignment[inU]).not.toBe(r.ok && r.value.assignment[inW]);
    for (const inst of func.blocks[1]?.insts ?? []) {
      for (const o of [...inst.dsts, ...inst.srcs])
        if (o.file === File.UR && o.id >= 0) o.id = r.ok ? (r.value.assignment[inU] as number) : -1;
    }
    expect(checkAllocation(before, func).map((f) => f.message)).toEqual([
      "%0 is overwritten on one side of the branch and read on the other",
    ]);
  });
});

describe("observation and policies", () => {
  test("every decision is told, and telling changes nothing", () => {
    const events: AllocationEvent[] = [];
    const seen = allocate(wall(30), { maxRegisters: 24, observe: (e) => events.push(e) });
    const unseen = allocate(wall(30), { maxRegisters: 24 });
    expect(seen.ok && [...seen.value.assignment]).toEqual(unseen.ok && [...unseen.value.assignment]);
    const scans = events.filter((e) => e.kind === "scan");
    expect(scans.length).toBeGreaterThan(30);
    for (const s of scans) {
      expect(s.primary).toHaveLength(s.occupied.length);
      expect(s.slot < 0 || s.occupied[s.slot] === 0).toBe(true);
    }
    expect(events.some((e) => e.kind === "spill")).toBe(true);
    expect(
      events
        .filter((e) => e.kind === "attempt")
        .map((e) => e.failed)
        .slice(-1),
    ).toEqual([0]);
  });
  test("another policy decides otherwise, and the result is still right", () => {
    const func = wall(10);
    const before = snapshot(func);
    const highest = (s: Scan): { slot: number; why: "cheapest" | "none" } => {
      for (let slot = s.ceiling - s.value.width + 1; slot >= 0; slot--) {
        if (slot % s.step === 0 && s.occupied[slot] === 0) return { slot, why: "cheapest" };
      }
      return { slot: -1, why: "none" };
    };
    expect(allocate(func, { ceilings: { R: 40 }, policies: { select: highest, priority: (v) => v.first } }).ok).toBe(
      true,
    );
    expect(checkAllocation(before, func)).toEqual([]);
    expect(defaultPolicies.select).toBe(selectFatpoint);
  });
});
