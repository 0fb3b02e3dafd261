import * as fc from "fast-check";
import { Builder } from "../../lib/ori/builder.js";
import { guardOn, newFunc } from "../../lib/ori/func.js";
import * as o from "../../lib/ori/operand.js";
import { parseFunc } from "../../lib/ori/parse.js";
import { printFunc } from "../../lib/ori/print.js";
import { File, type Func, type Inst } from "../../lib/ori/types.js";
import { verify } from "../../lib/ori/verify.js";
import { generateMovPhi } from "../../lib/phases/generate-mov-phi.js";
import { target } from "../../lib/target/index.js";
import { makePhysical } from "./physical.js";
import { plain } from "./plain.js";
import { build, plans } from "./random.js";

function read(text: string): Func {
  const result = parseFunc(text);
  if (!result.ok) throw new Error(result.diagnostics.map((d) => `line ${d.span?.line}: ${d.message}`).join("\n"));
  return result.value;
}

/** The generation counts edits and is no part of the text. */
function expectSame(func: Func): void {
  const back = read(printFunc(func));
  expect(plain(back)).toEqual(plain(func));
}

describe("parse(print(f)) equals f", () => {
  test("virtual", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expectSame(build(plan));
      }),
      { seed: 1, numRuns: 150 },
    );
  });

  test("physical, with control words", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        expectSame(makePhysical(build(plan)));
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  test("inside the SSA window", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const func = build({ ...plan, guards: false });
        generateMovPhi(func);
        expectSame(func);
      }),
      { seed: 3, numRuns: 100 },
    );
  });

  test("everything a header can hold", () => {
    const func = build({ target: "sm_100", blocks: [{ insts: [], end: 0, to: 0, to2: 0 }] });
    func.name = 'odd "name"';
    func.kind = "func";
    func.linkage = "weak";
    func.params = [
      { name: "a", offset: 0, size: 8, align: 8, pointer: { space: "global", align: 16 } },
      { name: "b", offset: 8, size: 4, align: 4, pointer: null },
      { name: "c", offset: 16, size: 100, align: 16 },
    ];
    func.paramBytes = 116;
    func.sharedBytes = 4096;
    func.barriers = 2;
    func.frame = { localBytes: 64, spillBytes: 8, spillStores: 2, spillLoads: 3 };
    func.limits = { ...func.limits, maxntid: [128, 2, 1], minnctapersm: 3, maxnreg: 64, reqnctapercluster: [2, 1, 1] };
    func.values.add(File.R, 1, "%SP", 1);
    func.milestone = "attributes-set";
    (func.blocks[0]?.insts[1] as Inst).loc = { start: 10, end: 20, line: 3, column: 4 };
    (func.blocks[0]?.insts[1] as Inst).origin = 0;
    (func.blocks[1] as { freq: number }).freq = 0.125;
    expectSame(func);
  });

  test("barriers, special registers, uniform registers, symbols, regions, jump tables", () => {
    const b = new Builder(newFunc("k", target("sm_90")));
    const [join, a, c] = [b.newBlock("join"), b.newBlock(), b.newBlock()];
    const [x, bar, desc, addr, p] = [b.r(), b.b(), b.ur(2), b.r(2), b.p()];
    b.emit("S2R", [x], [o.sreg(0x21)]);
    b.emit("R2UR", [o.lo(desc)], [o.clone(x)]);
    b.emit("R2UR", [o.hi(desc)], [o.clone(x)]);
    b.emit("BSSY", [bar], [o.label(join)]);
    b.emit("MOV", [o.lo(addr)], [o.sym("table", 0, "32@lo")]);
    b.emit("MOV", [o.hi(addr)], [o.sym("table", 16, "32@hi")]);
    b.emit("LDC", [o.clone(x)], [o.constIndexed(3, File.R, x.id, 16)]);
    b.emit("ISETP.GE.AND", [p], [o.clone(x), o.imm(-5)]);
    b.emit("BRX", [], { a: o.clone(addr), off: o.imm(0) }, { targets: [a, c] });
    b.start(a);
    b.emit("STG.E", [], { base: o.clone(addr), desc: o.clone(desc), off: o.imm(-16), data: o.clone(x) });
    b.branch(join);
    b.start(c);
    b.emit("FADD", [o.clone(x)], [o.neg(o.abs(o.clone(x))), o.immF32(1.5)], { guard: guardOn(File.P, p.id, true) });
    b.start(join);
    b.emit("BSYNC", [], [o.clone(bar)]);
    b.exit();
    const func = b.finish();
    expect(verify(func)).toEqual([]);
    expectSame(func);
  });
});

describe("hand-written text", () => {
  test("ids, edges and values are filled in", () => {
    const func = read(`
      func "k" entry sm_90 virtual
      b0                             // the entry
        MOV %R0, 0x1
        LDG.E.64 %R1, [%R2]
        ISETP.GE.AND %P3, PT, %R1:1, 0x4, PT
        @!%P3 BRA b2
      b1
        STG.E [%R2], %R0
      b2
        EXIT`);
    expect(func.blocks.map((b) => b.succs.map((s) => s.id))).toEqual([[1, 2], [2], []]);
    expect(func.blocks.flatMap((b) => b.insts.map((i) => i.id))).toEqual([0, 1, 2, 3, 4, 5]);
    const { values } = func;
    expect([0, 1, 2, 3].map((v) => [values.file(v), values.width(v)])).toEqual([
      [File.R, 1],
      [File.R, 2],
      [File.R, 2],
      [File.P, 1],
    ]);
    expect(verify(func, "initial", { skipDefinedness: true })).toEqual([]);
  });

  test.each([
    ["", "expected 'func'"],
    ["MOV R0, R1", "expected 'func'"],
    ['func "k" entry sm_12 virtual', "unknown target 'sm_12'"],
    ['func "k" entry sm_90 real', "expected 'virtual' or 'physical', found 'real'"],
    ['func "k" entry sm_90 virtual soon', "unknown milestone 'soon'"],
    ['func "k" entry sm_90 virtual\nvolume 11', "unknown header line 'volume'"],
    ['func "k" entry sm_90 virtual\nvalue %R1', "value 1 is declared out of order"],
    ['func "k" entry sm_90 virtual\nb0\nb0', "block b0 stands twice"],
    ['func "k" entry sm_90 virtual\nb0 -> b7', "there is no block b7"],
    ['func "k" entry sm_90 virtual\nb0\nFROB %R0', /FROB/],
    ['func "k" entry sm_90 virtual\nb0\nMOV %R0, %P0', "value 0 stands in two register files"],
    ['func "k" entry sm_90 virtual\nb0\nNOP ; x', "bad annotation 'x'"],
    ['func "k" entry sm_90 virtual\nb0\nNOP ; 0 {stall 1}', "bad control word '{stall 1}'"],
    ['func "k" entry sm_90 virtual\nnext 1', "expected a number, found 'the end'"],
  ])("%j is refused", (text, message) => {
    const result = parseFunc(text);
    expect(result.ok).toBe(false);
    const said = result.diagnostics[0]?.message ?? "";
    if (typeof message === "string") expect(said).toBe(message);
    else expect(said).toMatch(message);
  });

  test("what is refused is named by its place", () => {
    const lines = ['func "k" entry sm_90 virtual', "b0", "  NOP", "  FROB %R0", "  EXIT"];
    const result = parseFunc(lines.join("\n"));
    const start = lines.slice(0, 3).join("\n").length + 1;
    expect(result.diagnostics[0]?.span).toEqual({ start, end: start + "  FROB %R0".length, line: 4, column: 1 });
  });

  test("random damage is a diagnostic, never a throw", () => {
    const text = printFunc(build({ target: "sm_90", blocks: [{ insts: [[0, 1, 2, 3, 4]], end: 0, to: 0, to2: 0 }] }));
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(12), fc.string({ maxLength: 6 }), (at, cut, insert) => {
        parseFunc(text.slice(0, at) + insert + text.slice(at + cut));
      }),
      { seed: 4, numRuns: 500 },
    );
  });
});
