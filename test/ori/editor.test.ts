/** Edits of a function: what each leaves in instructions, edges, phis and the layout. */
import { form } from "../../lib/isa/form.js";
import * as editor from "../../lib/ori/editor.js";
import { isPhi } from "../../lib/ori/flow.js";
import { newBlock, newInst } from "../../lib/ori/func.js";
import { parseFunc } from "../../lib/ori/parse.js";
import type { Block, Func, Inst } from "../../lib/ori/types.js";
import { unwrap } from "../../lib/result.js";

/** A diamond with a phi, and a loop from its end to its head. */
const diamond = `func "k" entry sm_90 virtual ssa
  b0
    S2R %R0, SR_TID.X
    ISETP.LT.AND %P1, PT, %R0, 0x5, PT
    @%P1 BRA b2
  b1
    IADD3 %R2, %R0, 0x1, RZ
    BRA b3
  b2
    IADD3 %R3, %R0, 0x2, RZ
  b3
    MOV.PHI %R4, %R2, %R3
    STG.E [RZ], %R4
    EXIT`;

function read(text: string = diamond): { func: Func; b: Block[] } {
  const func = unwrap(parseFunc(text));
  return { func, b: [...func.blocks] };
}

const ids = (blocks: readonly Block[]): number[] => blocks.map((x) => x.id);
const names = (block: Block): string[] => block.insts.map((i) => i.form.op);
const nop = (func: Func): Inst => newInst(func, form("NOP"), [], []);
/** Runs an edit, which must count up the generation. */
function edit(func: Func, body: () => void): void {
  const before = func.generation;
  body();
  expect(func.generation).toBeGreaterThan(before);
}

test("instructions are put in at their places", () => {
  const { func, b } = read();
  const [head, first] = b as [Block, Block];
  edit(func, () => editor.insertBefore(func, head, head.insts[1] as Inst, nop(func)));
  expect(names(head)).toEqual(["S2R", "NOP", "ISETP", "BRA"]);
  edit(func, () => editor.insertAfter(func, first, first.insts[0] as Inst, nop(func), nop(func)));
  expect(names(first)).toEqual(["IADD3", "NOP", "NOP", "BRA"]);
  edit(func, () => editor.insertAtEnd(func, head, nop(func)));
  expect(names(head)).toEqual(["S2R", "NOP", "ISETP", "NOP", "BRA"]);
  edit(func, () => editor.insertAtEnd(func, b[2] as Block, nop(func)));
  expect(names(b[2] as Block)).toEqual(["IADD3", "NOP"]);
  expect(() => editor.insertBefore(func, head, first.insts[0] as Inst, nop(func))).toThrow("is not in block");
});

test("instructions are taken out, and replaced by others that know where they come from", () => {
  const { func, b } = read();
  const [head, first] = b as [Block, Block];
  edit(func, () => editor.removeInst(func, head, head.insts[0] as Inst));
  expect(names(head)).toEqual(["ISETP", "BRA"]);
  const old = first.insts[0] as Inst;
  old.loc = { start: 3, end: 4, line: 1, column: 2 } as never;
  const known = nop(func);
  known.origin = 77;
  edit(func, () => editor.replaceInst(func, first, old, nop(func), known));
  expect(names(first)).toEqual(["NOP", "NOP", "BRA"]);
  expect(first.insts.slice(0, 2).map((i) => i.origin)).toEqual([old.id, 77]);
  expect(first.insts.slice(0, 2).map((i) => i.loc)).toEqual([old.loc, old.loc]);
});

test("a block is rewritten in one pass, and an unchanged one is left as it is", () => {
  const { func, b } = read();
  const [head] = b as [Block];
  const before = func.generation;
  expect(editor.rewriteBlock(func, head, (inst, out) => out.push(inst))).toBe(false);
  expect(func.generation).toBe(before);
  edit(func, () => {
    expect(editor.rewriteBlock(func, head, (inst, out) => out.push(inst.form.op === "S2R" ? nop(func) : inst))).toBe(
      true,
    );
  });
  expect(names(head)).toEqual(["NOP", "ISETP", "BRA"]);
  edit(func, () => expect(editor.rewriteBlock(func, head, (i, out) => i.form.op === "NOP" || out.push(i))).toBe(true));
  expect(names(head)).toEqual(["ISETP", "BRA"]);
});

test("an edge that goes takes the source of each phi with it; one that comes stands once", () => {
  const { func, b } = read();
  const [head, first, second, join] = b as [Block, Block, Block, Block];
  const phi = join.insts.find(isPhi) as Inst;
  const [, other] = phi.srcs;
  edit(func, () => editor.removeEdge(func, first, join));
  expect(phi.srcs).toEqual([other]);
  expect(ids(join.preds)).toEqual([second.id]);
  expect(first.succs).toEqual([]);
  edit(func, () => editor.addEdge(func, head, join, true));
  edit(func, () => editor.addEdge(func, head, join));
  expect(ids(head.succs)).toEqual([join.id, first.id, second.id]);
  expect(ids(join.preds)).toEqual([second.id, head.id]);
});

test("a block is split: the front keeps who comes, the back who is gone to", () => {
  const { func, b } = read();
  const [head, first, second] = b as [Block, Block, Block];
  let back = head;
  edit(func, () => {
    back = editor.splitBlock(func, head, 1);
  });
  expect([names(head), names(back)]).toEqual([["S2R"], ["ISETP", "BRA"]]);
  expect(ids(func.blocks)).toEqual([head.id, back.id, ...ids(b.slice(1))]);
  expect([ids(head.succs), ids(back.preds), ids(back.succs)]).toEqual([[back.id], [head.id], [first.id, second.id]]);
  expect([ids(first.preds), ids(second.preds)]).toEqual([[back.id], [back.id]]);
  expect(() => editor.splitBlock(func, first, 2)).toThrow("cannot be split");
});

test("an edge is split: between the blocks where one falls through, at the end where one jumps; phis keep their order", () => {
  const { func, b } = read();
  const [head, first, second, join] = b as [Block, Block, Block, Block];
  const fall = editor.splitEdge(func, second, join);
  expect(ids(func.blocks)).toEqual([head.id, first.id, second.id, fall.id, join.id]);
  expect(names(fall)).toEqual([]);
  const far = editor.splitEdge(func, head, second);
  expect(func.blocks.at(-1)).toBe(far);
  expect(names(far)).toEqual(["BRA"]);
  expect([ids(far.preds), ids(far.succs), ids(second.preds)]).toEqual([[head.id], [second.id], [far.id]]);
  expect(head.insts.at(-1)?.srcs.some((o) => o.id === far.id)).toBe(true);
  expect(ids(join.preds)).toEqual([first.id, fall.id]);
  expect(far.freq).toBe(Math.min(head.freq, second.freq));
});

test("critical edges, and only they, are split", () => {
  const { func, b } = read(diamond.replace("    IADD3 %R3, %R0, 0x2, RZ\n", "    @%P1 BRA b1\n"));
  const [head, first, second, join] = b as [Block, Block, Block, Block];
  expect(editor.isCritical(head, first)).toBe(true);
  expect(editor.isCritical(head, second)).toBe(false);
  expect(editor.isCritical(first, join)).toBe(false);
  expect(editor.splitCriticalEdges(func)).toBe(3);
  for (const from of func.blocks) for (const to of from.succs) expect(editor.isCritical(from, to)).toBe(false);
  expect(editor.splitCriticalEdges(func)).toBe(0);
});

test("what stands after a transfer of control becomes a block of its own", () => {
  const { func, b } = read();
  const [, first] = b as [Block, Block];
  first.insts.push(nop(func));
  expect(editor.splitAtTransfers(func)).toBe(1);
  expect(func.blocks.map(names)[2]).toEqual(["NOP"]);
  expect(editor.splitAtTransfers(func)).toBe(0);
});

test("a block that nobody comes to is taken out, one that is reached is not", () => {
  const { func, b } = read();
  const [, first, , join] = b as [Block, Block, Block, Block];
  expect(() => editor.removeBlock(func, first)).toThrow("still reached");
  const lone = newBlock(func, "", 1);
  edit(func, () => editor.insertBlock(func, lone, 1));
  expect(editor.layoutIndex(func, lone)).toBe(1);
  editor.addEdge(func, lone, join);
  expect(join.preds).toHaveLength(3);
  edit(func, () => editor.removeBlock(func, lone));
  expect(ids(func.blocks)).toEqual(ids(b));
  expect([join.preds.includes(lone), lone.succs]).toEqual([false, []]);
  expect(() => editor.layoutIndex(func, lone)).toThrow("not in the layout");
});

test("a branch is sent elsewhere, and its edge with it; a way that is fallen through stays", () => {
  const { func, b } = read();
  const [head, first, second, join] = b as [Block, Block, Block, Block];
  editor.redirect(func, head, second, join);
  expect([ids(head.succs), second.preds]).toEqual([[first.id, join.id], []]);
  editor.redirect(func, head, join, first);
  expect(ids(head.succs)).toEqual([first.id]);
  editor.redirect(func, head, first, second);
  expect(ids(head.succs)).toEqual([first.id, second.id]);
  expect(() => editor.redirect(func, second, join, first)).toThrow("no branch to redirect");
});
