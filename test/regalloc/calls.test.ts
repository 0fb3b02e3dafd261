/** Registers across calls: what the allocator does, and that the checker sees every way to get it wrong. */
import { parseFunc, snapshot } from "../../lib/ori/index";
import type { Func, Inst } from "../../lib/ori/types";
import { allocate, checkAllocation } from "../../lib/regalloc/index";

/** Calls `g` between the two halves of a sum; R4 comes in and goes out. */
const text = `func "f" func sm_90 virtual initial
  value %R0 fixed 1 "SP"
  value %R1 fixed 4
  value %R2 width 2 fixed 20
  value %R3 width 2
  value %R4
  value %R5
b0 freq 1 <- -> b1
  MOV %R3:0, %R2:0 ; 0
  MOV %R3:1, %R2:1 ; 1
  MOV %R4, %R1 ; 2
  MOV %R2:0, b1 ; 3
  MOV %R2:1, RZ ; 4
  CALL.REL.NOINC b0 ; 5 passes (%R1,%R2,%R0) -> (%R1,%R2)
b1 freq 1 <- b0 ->
  IADD3 %R5, %R1, %R4, RZ ; 6
  MOV %R1, %R5 ; 7
  MOV %R2:0, %R3:0 ; 8
  MOV %R2:1, %R3:1 ; 9
  RET.ABS.NODEC %R2 0x0 ; 10 passes (%R1) -> ()
`;

function allocated(): { before: Func; after: Func } {
  const read = parseFunc(text);
  if (!read.ok) throw new Error(read.diagnostics.map((d) => d.message).join("\n"));
  const before = snapshot(read.value);
  const made = allocate(read.value, { keepCopies: true });
  if (!made.ok) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  return { before, after: read.value };
}

const insts = (f: Func): Inst[] => f.blocks.flatMap((b) => b.insts);
const kept = (n: number): boolean => n === 2 || (n >= 16 && n < 32) || (n >= 32 && n % 8 >= 4);

test("what is needed after the call is in registers that it keeps; these are saved and given back", () => {
  const { before, after } = allocated();
  expect(checkAllocation(before, after)).toEqual([]);
  const across = insts(after).find((i) => i.id === 2)!.dsts[0]!.id;
  expect(kept(across)).toBe(true);
  const names = insts(after).map((i) => i.form.op);
  expect(names.filter((n) => n === "STL").length).toBe(names.filter((n) => n === "LDL").length);
  expect(after.frame.spillBytes).toBe(after.frame.spillStores + (8 - (after.frame.spillStores % 8 || 8)));
});

describe("the checker finds", () => {
  const faults: readonly (readonly [string, (after: Func) => void, RegExp])[] = [
    ["a value left in a register that the call changes", (f) => renumber(f, acrossOf(f), 5), /does not hold/],
    ["a kept register that is not given back", (f) => drop(f, "LDL"), /is not given back/],
    ["a kept register that was not saved", (f) => drop(f, "STL"), /is not given back/],
    ["a stack pointer that is not raised", (f) => dropLast(f, "IADD3"), /stack pointer is not given back/],
    [
      "a return address that the call has changed",
      (f) => dropId(f, 8),
      /MOV is missing|does not hold|not .* on every path/,
    ],
  ];
  test.each(faults)("%s", (_, damage, message) => {
    const { before, after } = allocated();
    damage(after);
    expect(
      checkAllocation(before, after)
        .map((x) => x.message)
        .join("\n"),
    ).toMatch(message);
  });
});

function acrossOf(f: Func): number {
  return insts(f).find((i) => i.id === 2)!.dsts[0]!.id;
}

function renumber(f: Func, from: number, to: number): void {
  for (const i of insts(f))
    for (const o of [...i.dsts, ...i.srcs]) if (o.file === 1 && o.id === from && [2, 6].includes(i.id)) o.id = to;
}

function remove(f: Func, which: (i: Inst) => boolean, last: boolean): void {
  const found = insts(f).filter(which);
  const gone = last ? found[found.length - 1] : found[0];
  for (const b of f.blocks) b.insts = b.insts.filter((i) => i !== gone);
}

const drop = (f: Func, op: string): void => remove(f, (i) => i.form.op === op, false);
const dropLast = (f: Func, op: string): void => remove(f, (i) => i.form.op === op, true);
const dropId = (f: Func, id: number): void => remove(f, (i) => i.id === id, false);

/** ptxas 13.0.88 keeps there what a kernel needs after calls, on all SMs. */
test("what the warp needs after a call stands from UR36 on", () => {
  const read = parseFunc(`func "k" entry sm_90 virtual initial
  value %R0 fixed 1 "SP"
  value %R1 fixed 4
  value %R2 width 2 fixed 20
  value %UR3 width 2
  value %UR4
b0 freq 1 <- -> b1
  ULDC.64 %UR3, c[0x0][0x210]
  ULDC %UR4, c[0x0][0x218]
  MOV %R1, %UR4
  MOV %R2:0, b1
  MOV %R2:1, RZ
  CALL.REL.NOINC b0 ; 5 passes (%R1,%R2,%R0) -> (%R1,%R2)
b1 freq 1 <- b0 ->
  MOV %R1, %UR3:0
  STS [RZ], %R1
  EXIT
`);
  if (!read.ok) throw new Error(read.diagnostics.map((d) => d.message).join("\n"));
  const before = snapshot(read.value);
  expect(allocate(read.value, { keepCopies: true }).ok).toBe(true);
  expect(checkAllocation(before, read.value)).toEqual([]);
  const [wide, narrow] = insts(read.value)
    .slice(0, 2)
    .map((i) => i.dsts[0]!.id);
  expect(wide).toBeGreaterThanOrEqual(36);
  expect(narrow).toBeLessThan(36);
  for (const o of insts(read.value).flatMap((i) => [...i.dsts, ...i.srcs]))
    if (o.id === wide && o.width === 2) o.id = 4;
  for (const o of insts(read.value).flatMap((i) => i.srcs)) if (o.id === wide) o.id = 4;
  expect(
    checkAllocation(before, read.value)
      .map((f) => f.message)
      .join(),
  ).toMatch(/does not hold/);
});
