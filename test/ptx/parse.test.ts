import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Block, Expr, FunctionItem, Instruction, Module, Operand, Statement } from "../../lib/ptx/index.js";
import { equalModules, evaluate, OperandPlaces, parse, print, printInstruction } from "../../lib/ptx/index.js";
import { parseModule } from "../../lib/ptx/parser.js";

const HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n";

function module(text: string): Module {
  const r = parse(text);
  if (!r.ok) throw new Error(r.diagnostics.map((d) => `${d.span?.line}: ${d.message}`).join("\n"));
  return r.value;
}

function body(statements: string): readonly Statement[] {
  const m = module(`${HEAD}.entry k()\n{\n${statements}\n}\n`);
  return [...((m.items[3] as FunctionItem).body?.statements ?? [])];
}

function operand(text: string, opcode = "mov.b64 %rd1"): Operand {
  return (body(`${opcode}, ${text};`)[0] as Instruction).operands[1] as Operand;
}

const bits = (o: Operand): string => {
  if (o.kind !== "int" && o.kind !== "float") throw new Error(o.kind);
  return ((BigInt(o.hi) << 32n) | BigInt(o.lo)).toString(16);
};

describe("literals are exact", () => {
  test.each([
    ["0", "0"],
    ["18446744073709551615", "ffffffffffffffff"],
    ["0xFEDCBA9876543210", "fedcba9876543210"],
    ["-1", "ffffffffffffffff"],
    ["-9223372036854775808", "8000000000000000"],
    ["0b1011", "b"],
    ["0777", "1ff"],
    ["12U", "c"],
    ["9007199254740993", "20000000000001"],
    ["(3+4)*2", "e"],
    ["7 % 4 << 2", "c"],
    ["1 ? 2 : 3", "2"],
    ["-1 >> 1", "ffffffffffffffff"],
    ["0xffffffffffffffff >> 60", "f"],
    ["~0 & 0xff", "ff"],
    ["WARP_SZ+1", "21"],
    ["0f3F800000", "3f800000"],
    ["0d3FF8000000000000", "3ff8000000000000"],
    ["1.5", "3ff8000000000000"],
    [".25", "3fd0000000000000"],
    ["-2.0", "c000000000000000"],
    ["1e-3", "3f50624dd2f1a9fc"],
  ])("%s is 0x%s", (text, hex) => {
    expect(bits(operand(text))).toBe(hex);
  });

  test("width of floating constants", () => {
    expect(operand("0f3F800000")).toMatchObject({ kind: "float", width: 32 });
    expect(operand("1.0")).toMatchObject({ kind: "float", width: 64 });
  });
});

describe("operands", () => {
  test.each<[string, object]>([
    ["%r1", { kind: "name", name: "%r1", component: null, offset: 0, index: null }],
    ["%tid.x", { kind: "name", name: "%tid", component: "x" }],
    ["table+8", { kind: "name", name: "table", offset: 8 }],
    ["table[3]", { kind: "name", name: "table", index: 3 }],
    ["table[%r2]", { kind: "name", name: "table", index: "%r2" }],
    ["[%rd1+-16]", { kind: "address", base: "%rd1", offset: -16, rest: [] }],
    ["[0x10]", { kind: "address", base: null, offset: 16 }],
    ["[tex, smp, {%f1, %f2}]", { kind: "address", base: "tex", rest: [{ kind: "name" }, { kind: "vector" }] }],
    ["{%r1, _, 5}", { kind: "vector", elements: [{ kind: "name" }, { kind: "sink" }, { kind: "int", lo: 5 }] }],
    ["!%p1", { kind: "not", operand: { kind: "name", name: "%p1" } }],
    ["-%r1", { kind: "neg", operand: { kind: "name", name: "%r1" } }],
  ])("%s", (text, shape) => {
    expect(operand(text)).toMatchObject(shape);
  });

  test("destination pairs, sinks, guards and words of the mnemonic", () => {
    const [a, b] = body("@!%p3 setp.lt.and.s32 %p1|_, %r1, %r2, !%p2;\n elect.sync _|%p1, -1;") as [
      Instruction,
      Instruction,
    ];
    expect(a).toMatchObject({ opcode: "setp", modifiers: ["lt", "and", "s32"], guard: { name: "%p3", negated: true } });
    expect(a.operands[0]).toMatchObject({ kind: "pair", first: { name: "%p1" }, second: { kind: "sink" } });
    expect(b.operands[0]).toMatchObject({ kind: "pair", first: { kind: "sink" }, second: { name: "%p1" } });
    const [c] = body(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];",
    );
    expect((c as Instruction).modifiers).toEqual([
      "async",
      "bulk",
      "tensor",
      "2d",
      "shared::cluster",
      "global",
      "tile",
      "mbarrier::complete_tx::bytes",
    ]);
  });

  test("calls", () => {
    const [a, b] = body("call.uni (%r1), f, (%r2, 5), proto;\ncall g;") as [Instruction, Instruction];
    expect(a.operands.map((o) => o.kind)).toEqual(["list", "name", "list", "name"]);
    expect(b.operands).toMatchObject([{ kind: "name", name: "g" }]);
  });
});

test("equal mnemonics share one array of modifiers", () => {
  const [a, b] = body("add.s32 %r1, %r2, 1;\nadd .s32 %r1, %r2, 2;") as [Instruction, Instruction];
  expect(a.modifiers).toBe(b.modifiers);
});

test("spans: offsets, lines and columns of what was written", () => {
  const text = `${HEAD}.entry k()\n{\n  // note\n  add.s32 /* a\n */ %r1, %r2, 1;\n}\n`;
  const i = (module(text).items[3] as FunctionItem).body?.statements.at(0) as Instruction;
  expect(i.span).toMatchObject({ line: 7, column: 3 });
  expect(text.slice(i.span.start, i.span.end)).toBe("add.s32 /* a\n */ %r1, %r2, 1;");
  const second = new OperandPlaces(text, i).span(1);
  expect(second).toMatchObject({ line: 8, column: 10 });
  expect(text.slice(second.start, second.end)).toBe("%r2");
});

test("spans of operands and of their parts, by path", () => {
  const at = (code: string, ...path: number[]): string => {
    const text = `${HEAD}.entry k()\n{\n ${code}\n}\n`;
    const i = (module(text).items[3] as FunctionItem).body?.statements.at(0) as Instruction;
    const { start, end } = new OperandPlaces(text, i).span(...path);
    return text.slice(start, end);
  };
  expect(at("add.s32 %r1, %r1, -1;", 1)).toBe("%r1");
  expect(at("add.s32 %r1, %r1, -1;", 2)).toBe("-1");
  expect(at("@!%p1 bra L;", 0)).toBe("L");
  expect(at("mov.u32 %r1, %tid.x;", 1)).toBe("%tid.x");
  expect(at("setp.lt.s32 %p1|%p2, %r1, (3+4)*2;", 0)).toBe("%p1|%p2");
  expect(at("setp.lt.s32 %p1|%p2, %r1, (3+4)*2;", 0, 1)).toBe("%p2");
  expect(at("setp.lt.s32 %p1|%p2, %r1, (3+4)*2;", 2)).toBe("(3+4)*2");
  expect(at("ld.v2.u32 {%r1, _}, [a + 8];", 0, 1)).toBe("_");
  expect(at("ld.v2.u32 {%r1, _}, [a + 8];", 1)).toBe("[a + 8]");
  expect(at("ld.v2.u32 {%r1, _}, [a + 8];", 1, 0)).toBe("a + 8");
  expect(at("tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t, s, {%f5, %f6}];", 1, 2, 1)).toBe("%f6");
  expect(at("call (%r1), f, (%r2, %r3), p;", 2, 1)).toBe("%r3");
  expect(at("call (%r1), f, (), p;", 3)).toBe("p");
  expect(at("selp.b32 %r1, %r2, %r3, !%p1;", 3, 0)).toBe("%p1");
  expect(at("mov.u32 %r1, a[3];", 1)).toBe("a[3]");
});

test("a tree without its text gives an operand the instruction's span", () => {
  const i = body("add.s32 %r1, %r2, 1;")[0] as Instruction;
  expect(new OperandPlaces("", i).span(1)).toEqual(i.span);
});

test("statements are read like an array, those of inner blocks beside those of the outer", () => {
  const m = module(
    `${HEAD}.entry a()\n{\n@%p1 add.s32 %r1, %r2, 300;\n{\n neg.s32 %r3, %r4;\n{ ret; }\n}\n L: exit;\n}\n.entry b() { ret; }\n`,
  );
  const [a, b] = m.items.slice(3).map((i) => (i as FunctionItem).body as Block) as [Block, Block];
  const words = (list: Block["statements"]): unknown[] =>
    list.map((s) =>
      s.kind === "instruction" ? printInstruction(s) : s.kind === "block" ? words(s.statements) : s.kind,
    );
  expect(words(a.statements)).toEqual([
    "@%p1 add.s32 %r1, %r2, 300;",
    ["neg.s32 %r3, %r4;", ["ret;"]],
    "label",
    "exit;",
  ]);
  expect(words(b.statements)).toEqual(["ret;"]);
  expect(a.statements.length).toBe(4);
  expect(a.statements.at(-1)).toMatchObject({ opcode: "exit" });
  expect([a.statements.at(4), a.statements.at(-5)]).toEqual([undefined, undefined]);
  expect(a.statements.others().map((s) => s.kind)).toEqual(["block", "label"]);
  expect([...a.statements].map((s) => s.kind)).toEqual(["instruction", "block", "label", "instruction"]);
});

test("a statement with an error leaves nothing behind for the next", () => {
  const { module: m } = parseModule(
    `${HEAD}.entry a()\n{\n add.s32 %r1, %r2 %r3;\n { neg.s32 %r3, %r4; bra L M; ret; }\n @%p1 bra L, M N;\n exit;\n}\n`,
    null,
  );
  const [inner, last, ...none] = (m.items[3] as FunctionItem).body?.statements ?? [];
  expect(
    inner?.kind === "block" && inner.statements.map((s) => s.kind === "instruction" && printInstruction(s)),
  ).toEqual(["neg.s32 %r3, %r4;", "ret;"]);
  expect(last).toMatchObject({ opcode: "exit", guard: null, operands: [] });
  expect(none).toEqual([]);
});

test("equal names and plain addresses are one object", () => {
  const [a, b] = body("ld.u32 %r1, [%rd1];\nld.u32 %r1, [ %rd1 ];") as [Instruction, Instruction];
  expect(a.operands[0]).toBe(b.operands[0]);
  expect(a.operands[1]).toBe(b.operands[1]);
});

/** One of everything that the grammar knows. */
const EVERYTHING = `.version 8.7
.target sm_90a, texmode_unified
.address_size 64
.file 1 "a b.cu"
.file 2 "c.cu", 1700000000, 4096
.pragma "x", "y";
.global .attribute(.managed) .align 16 .v4 .f32 grid[2][3];
.visible .const .u32 lut[] = {1, 0x2, (3+4)*2, -1 ? 1U : ~7};
.global .u64 pointers[3] = {lut, generic(lut)+8, lut+4};
.global .u8 parts[2] = {0xff(lut), 0xff00(lut)};
.global .f64 values[4] = {1.5, 0d3FF0000000000000, -2.0, 1e300};
.weak .global .f32 w = 0f3F800000, w2;
.extern .shared .align 8 .b8 dynamic[];
.common .global .b32 c;
.global .texref t;
.extern .func (.param .b32 r) vprintf (.param .b64 fmt, .param .b64 args);
.weak .func g() .noreturn;
.visible .func .attribute(.unified(1, 2)) (.reg .b32 out) f (.reg .b32 a, .param .align 8 .b8 s[16]) .abi_preserve 3 { ret; }
.alias g2, f;
.visible .entry k (
  .param .u64 .ptr .global .align 16 p, .param .align 4 .b8 blob[12], .param .u64 .ptr q, .param .texref tr)
  .maxntid 128, 2, 1 .minnctapersm 2 .maxnreg 64 .reqnctapercluster 2 .explicitcluster .pragma "nounroll";
{
  .reg .pred %p<4>;
  .reg .b32 %r<10>, x;
  .reg .v2 .f32 v;
  .local .align 8 .b8 depot[32];
  .loc 1 10 3
  .loc 1 11 3, function_name $L__info+4, inlined_at 1 20 5
  .pragma "nounroll";
$again:
  @%p1 bra.uni $again;
  { .reg .b32 x; mov.b32 x, -5; inner: bra inner; }
table: .branchtargets $again, out;
  brx.idx %r1, table;
proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;
who: .calltargets f, f;
  call (%r1), %rd1, (%rd2), proto;
  vadd.s32.u32.s32 %r1, %r2.b0, %r3.h1;
  mov.u32 %r1, {%r2, %r3};
  st.local.v2.f32 [depot+8], {0f3F800000, -1.25};
out:
  ret;
}
.section .debug_info
{
start:
.b8 1, 2, 255
.b32 .debug_abbrev
.b32 .debug_str+12
.b64 start+4
.b32 end-start
end:
}
@@DWARF .old line
`;

test("everything parses, and printing loses nothing", () => {
  const m = module(EVERYTHING);
  const again = module(print(m));
  expect(equalModules(m, again)).toBe(true);
  expect(print(again)).toBe(print(m));
  expect(m.items.map((i) => i.kind).filter((k, n, all) => all.indexOf(k) === n)).toEqual([
    "version",
    "target",
    "address_size",
    "file",
    "pragma",
    "declaration",
    "function",
    "alias",
    "section",
    "dwarf",
  ]);
});

test("equality sees every difference of content", () => {
  const m = module(EVERYTHING);
  for (const [from, to] of [
    ["0x2", "3"],
    ["@%p1", "@!%p1"],
    [".maxnreg 64", ".maxnreg 65"],
    ["depot+8", "depot+9"],
    ["-1.25", "1.25"],
    ["%r2.b0", "%r2.b1"],
    ["end-start", "end+start"],
    [".u64 .ptr q", ".u64 q"],
    ["$again, out", "out, out"],
  ] as const)
    expect(equalModules(m, module(EVERYTHING.replace(from, to)))).toBe(false);
});

test("initializers keep their expressions", () => {
  const m = module(EVERYTHING);
  const lut = m.items.find((i) => i.kind === "declaration" && i.variables[0]?.name === "lut");
  const init = lut?.kind === "declaration" ? lut.variables[0]?.init : null;
  expect(init?.kind === "list" && init.elements.map((e) => evaluate(e as Expr))).toEqual([
    { kind: "int", value: 1n, unsigned: false },
    { kind: "int", value: 2n, unsigned: false },
    { kind: "int", value: 14n, unsigned: false },
    { kind: "int", value: 1n, unsigned: true },
  ]);
});

test("one run reports several syntax errors, and keeps what it understood", () => {
  const r = parse(
    `${HEAD}.entry a()\n{\n add.s32 %r1 %r2;\n ret;\n mov.u32 %r1, ;\n}\n.bogus x;\n.entry b()\n{\n ret\n}\n`,
  );
  expect(r.ok).toBe(false);
  expect(r.diagnostics.map((d) => [d.severity, d.span?.line, d.message])).toEqual([
    ["fatal", 6, "Parsing error near '%r2': syntax error"],
    ["fatal", 8, "Parsing error near ';': syntax error"],
    ["fatal", 10, "Parsing error near '.bogus': syntax error"],
    ["fatal", 14, "Parsing error near '}': syntax error"],
  ]);
});

test.each(["sm_75", "sm_90", "sm_100"])("the corpus for %s survives printing", (target) => {
  const folder = join(__dirname, "../corpus/ptx", target);
  const files = readdirSync(folder).filter((f) => f.endsWith(".ptx"));
  expect(files.length).toBeGreaterThanOrEqual(20);
  for (const f of files) {
    const m = module(readFileSync(join(folder, f), "utf8"));
    expect(equalModules(m, module(print(m)))).toBe(true);
  }
});
