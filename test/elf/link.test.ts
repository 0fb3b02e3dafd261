import { heldInFile } from "../../lib/elf/elf64";
import { type Cubin, infoWords, link, readCubin } from "../../lib/elf/index";
import { noBounds } from "../../lib/ori/func";
import { reg } from "../../lib/ori/operand";
import type { Program } from "../../lib/ori/types";
import type { Code } from "../../lib/sass/code";
import { code, inst, param, program, variable } from "./program";

function linked(codes: readonly Code[], p: Program, options = {}): Cubin {
  const bytes = link(codes, p, options);
  if (!bytes.ok) throw new Error(bytes.diagnostics[0]!.message);
  const cubin = readCubin(bytes.value);
  if (!cubin.ok) throw new Error(cubin.diagnostics[0]!.message);
  return cubin.value;
}

const attributes = (c: Cubin, name: string): string[] =>
  c.functions
    .find((f) => f.name === name)!
    .info.map(
      (r) =>
        `${r.name} ${
          r.format === 4
            ? infoWords(r)
                .map((w) => w.toString(16))
                .join(" ")
            : r.value
        }`,
    );

test("executables hold kernels last first, objects in source order", () => {
  for (const t of ["sm_75", "sm_90", "sm_100"] as const) {
    const codes = [code("a", t), code("b", t), code("c", t)];
    const p = program(t, codes);
    expect(linked(codes, p).functions.map((f) => f.name)).toEqual(["c", "b", "a"]);
    expect(linked(codes, p, { relocatable: true }).functions.map((f) => f.name)).toEqual(["a", "b", "c"]);
  }
});

test("what goes in comes out", () => {
  const codes = [
    code("k", "sm_90", {
      registers: 42,
      frameBytes: 24,
      barriers: 3,
      params: [param(0, 8), param(8, 4)],
      paramBytes: 12,
      limits: { ...noBounds(), maxntid: [128, 2, 1] },
    }),
  ];
  const cubin = linked(codes, program("sm_90", codes), { commandLine: "-O 0 ", virtualSm: 80 });
  const f = cubin.functions[0]!;
  expect(cubin).toMatchObject({ target: "sm_90", kind: "executable", sm: 90 });
  expect(cubin.tool).toMatchObject({ name: "ptxas", options: "-O 0" });
  expect(f).toMatchObject({
    name: "k",
    kind: "entry",
    registers: 42,
    frameBytes: 24,
    stackBytes: 24,
    barriers: 3,
    paramBase: 0x210,
    paramBytes: 12,
    maxThreads: [128, 2, 1],
    reqThreads: null,
  });
  expect(f.params).toEqual([
    { ordinal: 0, offset: 0, size: 8 },
    { ordinal: 1, offset: 8, size: 4 },
  ]);
  expect(f.constant0!.length).toBe(0x21c);
  expect([...f.words]).toEqual([...codes[0]!.words]);
});

// Records of real cubins (test/oracle/ptx/attributes.ptx compiled by ptxas 13.0.88).
test("attributes in ptxas's order, parameters last first with what they point to", () => {
  const change = {
    insts: [inst("BSSY"), inst("SHFL.DOWN"), { ...inst("WARPSYNC"), srcs: [reg(3)] }, inst("VOTE.ANY"), inst("EXIT")],
    params: [
      param(0, 8, { space: "global", align: 16 }),
      param(8, 8, { space: "generic", align: 1 }),
      param(0x10, 20),
      param(0x24, 1),
      param(0x28, 8, { space: "shared", align: 4 }),
    ],
    paramBytes: 0x30,
    limits: { ...noBounds(), maxntid: [128, 2, 1] as const, minnctapersm: 4 },
  };
  const hopper = [code("k", "sm_90", change)];
  expect(attributes(linked(hopper, program("sm_90", hopper)), "k")).toEqual([
    "CUDA_API_VERSION 82",
    "KPARAM_INFO 0 280004 21f202",
    "KPARAM_INFO 0 240003 5f000",
    "KPARAM_INFO 0 100002 51f000",
    "KPARAM_INFO 0 80001 21f500",
    "KPARAM_INFO 0 0 21f404",
    "SPARSE_MMA_MASK 0",
    "MAXREG_COUNT 64",
    "MERCURY_ISA_VERSION 257",
    "COOP_GROUP_MASK_REGIDS ffffffff 5000003",
    "COOP_GROUP_INSTR_OFFSETS 10 30",
    "EXIT_INSTR_OFFSETS 40",
    "MAX_THREADS 80 2 1",
    "CRS_STACK_SIZE 0",
    "CBANK_PARAM_SIZE 48",
    "PARAM_CBANK 9 300210",
    "SW_WAR 8",
  ]);
  const turing = [code("k", "sm_75", { ...change, insts: [inst("EXIT")] })];
  expect(attributes(linked(turing, program("sm_75", turing)), "k").map((a) => a.split(" ")[0])).toEqual(
    `SW_WAR CUDA_API_VERSION PARAM_CBANK CBANK_PARAM_SIZE KPARAM_INFO KPARAM_INFO KPARAM_INFO KPARAM_INFO KPARAM_INFO
     MAXREG_COUNT MERCURY_ISA_VERSION EXIT_INSTR_OFFSETS MAX_THREADS`.split(/\s+/),
  );
});

test("above 4352 bytes parameters are described by the second form", () => {
  const codes = [code("k", "sm_90", { params: [param(0, 4352), param(4352, 4)], paramBytes: 4356 })];
  const cubin = linked(codes, program("sm_90", codes));
  expect(attributes(cubin, "k").filter((a) => a.startsWith("KPARAM"))).toEqual([
    "KPARAM_INFO_V2 0 11000001 4",
    "KPARAM_INFO_V2 0 0 1100",
  ]);
  expect(cubin.functions[0]!.params).toEqual([
    { ordinal: 0, offset: 0, size: 4352 },
    { ordinal: 1, offset: 4352, size: 4 },
  ]);
});

describe("addresses", () => {
  const relocs = [
    { offset: 0, symbol: "g", addend: 4, what: "32@lo" },
    { offset: 16, symbol: "g", addend: 4, what: "32@hi" },
    { offset: 32, symbol: "c", addend: 2, what: "32@lo" },
    { offset: 48, symbol: "s", addend: 1, what: "32@lo" },
    { offset: 64, symbol: "dyn", addend: 0, what: "" },
  ];
  const symbols = [
    variable("g", "global", { size: 16 }),
    variable("c0", "const", { init: Uint8Array.of(1, 2, 3, 4) }),
    variable("c", "const", { init: Uint8Array.of(5, 6, 7, 8) }),
    variable("s", "shared", { size: 8, users: ["k"] }),
    variable("dyn", "shared", { size: 0, linkage: "extern", users: ["k"] }),
    variable("p", "global", {
      size: 8,
      align: 8,
      init: new Uint8Array(8),
      pointers: [{ offset: 0, symbol: "g", addend: 12, bytes: 8 }],
    }),
  ];
  const codes = (t: "sm_75" | "sm_90"): Code[] => [
    code("k", t, { relocs, insts: "NOP NOP NOP NOP NOP EXIT".split(" ").map(inst) }),
  ];

  test.each([
    ["sm_75", 0],
    ["sm_90", 0x400],
  ] as const)("executable for %s: shared and constant ones are filled in", (t, reserved) => {
    const cubin = linked(codes(t), program(t, codes(t), symbols));
    const f = cubin.functions[0]!;
    expect([f.words[2 * 4 + 1], f.words[3 * 4 + 1], f.words[4 * 4 + 1]]).toEqual([6, reserved + 1, reserved + 16]);
    expect([f.sharedBytes, f.sharedReserved]).toEqual([reserved + 16, reserved]);
    const byOffset = [...f.relocs].sort((a, b) => a.offset - b.offset);
    expect(byOffset.map((r) => [r.offset, r.type, r.symbol.name, r.addend])).toEqual([
      [0, 56, "g", 4],
      [16, 57, "g", 4],
    ]);
    const bank = cubin.banks.find((b) => b.bank === 4)!;
    expect([...bank.relocs].reverse().map((r) => [r.offset, r.type, r.symbol.name])).toEqual([
      [0, 2, "g"],
      [8, 2, "p"],
    ]);
    expect([...cubin.banks.find((b) => b.bank === 3)!.bytes]).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const init = cubin.globals.find((g) => g.init !== null)!;
    expect(init.relocs.map((r) => [r.offset, r.type, r.symbol.name, r.addend])).toEqual([[0, 4, "g", 12]]);
  });

  test("in a relocatable object all stay symbolic", () => {
    const cubin = linked(codes("sm_90"), program("sm_90", codes("sm_90"), symbols), { relocatable: true });
    const f = cubin.functions[0]!;
    expect([...f.relocs].reverse().map((r) => [r.type, r.symbol.name, r.addend])).toEqual([
      [56, "g", 4],
      [57, "g", 4],
      [59, "c", 2],
      // 1024 bytes are the system's; the symbols count from after them.
      [55, "s", 1025],
      [55, "dyn", 1024],
    ]);
    expect(cubin.symbols.find((s) => s.name === "dyn")).toMatchObject({ section: 0, bind: 1 });
    expect(cubin.banks.map((b) => b.bank)).toEqual([3]);
  });

  test("global and shared memory of a relocatable object have no bytes in the file", () => {
    const large = [
      variable("big", "global", { size: 1 << 20 }),
      variable("own", "shared", { size: 1 << 12, users: ["k"] }),
    ];
    const cubin = linked(codes("sm_90"), program("sm_90", codes("sm_90"), [...symbols, ...large]), {
      relocatable: true,
    });
    expect(cubin.elf.bytes.length).toBeLessThan(1 << 16);
    const sizes = cubin.elf.sections
      .filter((s) => !heldInFile(s.type) && s.size > 0)
      .map((s) => [s.size, s.data.length]);
    expect(sizes.every(([, held]) => held === 0)).toBe(true);
    expect(sizes.some(([size]) => size! >= 1 << 20)).toBe(true);
  });

  test("an undefined symbol is reported", () => {
    const bad = [code("k", "sm_90", { relocs: [{ offset: 0, symbol: "nowhere", addend: 0, what: "" }] })];
    const result = link(bad, program("sm_90", bad));
    expect(result.ok).toBe(false);
    expect(result.diagnostics[0]!.message).toContain("nowhere");
  });
});

test("jump tables become offsets in bank 2 and targets of their branch", () => {
  const codes = [
    code("k", "sm_90", {
      insts: [inst("NOP"), inst("NOP"), inst("EXIT")],
      tables: [{ offset: 0, branch: 0x10, targets: [0x20, 0x10] }],
    }),
  ];
  const cubin = linked(codes, program("sm_90", codes));
  expect([...new Uint32Array(cubin.functions[0]!.constant2!.slice().buffer)]).toEqual([0x20, 0x10]);
  expect(attributes(cubin, "k")).toContain("INDIRECT_BRANCH_TARGETS 10 0 2 20 10");
});

test("lines of the PTX text can be found from the code", () => {
  const at = (line: number): Code["locs"][number] => ({ start: 0, end: 0, line, column: 1 });
  const insts = "NOP NOP NOP EXIT".split(" ").map(inst);
  const codes = [
    code("a", "sm_90", { insts, locs: [null, at(3), at(3), at(300)] }),
    code("b", "sm_90", { insts, locs: [at(9), at(8), null, at(7)] }),
  ];
  const cubin = linked(codes, program("sm_90", codes), {
    source: { text: ".version 9.0\n  .loc 1 2 3\n  // no\n  ret;\n", files: [], strings: null, places: [] },
  });
  expect(cubin.ptxText).toEqual([".version 9.0", "", "", "ret;"]);
  const lines = (name: string): number[][] =>
    cubin.functions.find((f) => f.name === name)!.ptxLines.map((l) => [l.offset, l.line]);
  expect(lines("a")).toEqual([
    [0, 3],
    [48, 300],
  ]);
  expect(lines("b")).toEqual([
    [0, 9],
    [16, 8],
    [48, 7],
  ]);
});

test("the same input gives the same bytes", () => {
  const make = (): Uint8Array => {
    const codes = [code("a", "sm_90"), code("b", "sm_90")];
    const bytes = link(codes, program("sm_90", codes, [variable("x", "global"), variable("y", "const")]));
    return bytes.ok ? bytes.value : new Uint8Array(0);
  };
  expect(Buffer.from(make())).toEqual(Buffer.from(make()));
});
