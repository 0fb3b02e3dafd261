import { edges, kinds } from "./texts.js";

describe("registers", () => {
  test("a read after its definition, at the distance of the latency tables", () => {
    expect(edges("IADD3 R0, R1, R2, RZ\nIADD3 R3, R0, R2, RZ")).toEqual(["0 -> 1 RAW 4"]);
    expect(edges("IADD3 R0, R1, R2, RZ\nFFMA R3, R0, R2, R2")).toEqual(["0 -> 1 RAW 5"]);
  });

  test("a guard is a read; it stands farther apart than an operand", () => {
    const [edge] = edges("ISETP.GE.AND P0, PT, R1, R2, PT\n@P0 IADD3 R0, R1, R2, RZ");
    expect(edge).toBe("0 -> 1 RAW 13");
  });

  test("a definition after the reads of the old value and after the old definition", () => {
    expect(kinds("MOV R0, 0x1\nIADD3 R1, R0, R2, RZ\nIADD3 R3, R0, R2, RZ\nMOV R0, 0x2")).toEqual([
      "0 -> 1 RAW",
      "0 -> 2 RAW",
      "2 -> 3 WAR",
      "1 -> 3 WAR",
      "0 -> 3 WAW",
    ]);
  });

  test("a guarded definition keeps the old value: its reader waits for it, and it for the old definition", () => {
    expect(kinds("MOV R0, 0x1\n@P0 MOV R0, 0x2\nIADD3 R1, R0, R2, RZ")).toEqual(["0 -> 1 WAW", "1 -> 2 RAW"]);
  });

  test("registers of wide operands count one by one", () => {
    expect(kinds("MOV R1, 0x1\nMOV R3, 0x1\nDADD R4, R0, R0")).toEqual(["0 -> 2 RAW"]);
  });

  test("uniform registers, uniform predicates and register indices of constants", () => {
    expect(kinds("UMOV UR4, 0x1\nIADD3 R0, R1, UR4, RZ\nUISETP.GE.AND UP0, UPT, UR4, UR5, UPT")).toEqual([
      "0 -> 1 RAW",
      "0 -> 2 RAW",
    ]);
  });

  test("instructions on all predicates at once", () => {
    expect(kinds("R2P PR, R0, 0x7f\n@P3 MOV R1, 0x1\nP2R R2, PR, RZ, 0x7f\nISETP.GE.AND P6, PT, R1, R2, PT")).toEqual([
      "0 -> 1 RAW",
      "0 -> 2 RAW",
      "1 -> 3 RAW",
      "2 -> 3 RAW",
      "0 -> 3 WAW",
    ]);
  });

  test("RZ and PT carry nothing", () => {
    expect(edges("ISETP.GE.AND PT, PT, R1, R2, PT\nIADD3 RZ, R1, R2, RZ\nIADD3 R0, RZ, RZ, RZ")).toEqual([]);
  });
});

describe("memory", () => {
  const load = (d: string, base: string, off = ""): string => `LDG.E ${d}, desc[UR4][${base}.64${off}]`;
  const store = (base: string, data: string, off = ""): string => `STG.E desc[UR4][${base}.64${off}], ${data}`;

  test("loads pass each other, not stores to unknown places", () => {
    expect(kinds(`${load("R0", "R2")}\n${load("R1", "R4")}`)).toEqual([]);
    expect(kinds(`${store("R2", "R0")}\n${load("R1", "R4")}`)).toEqual(["0 -> 1 memory"]);
    expect(kinds(`${load("R1", "R4")}\n${store("R2", "R0")}`)).toEqual(["0 -> 1 memory"]);
  });

  test("the same base with offsets that do not overlap is another place, also when the base moves on", () => {
    expect(kinds(`${store("R2", "R0")}\n${load("R1", "R2", "+0x4")}`)).toEqual([]);
    expect(kinds(`${store("R2", "R0", "+0x2")}\n${load("R1", "R2", "+0x4")}`)).toEqual(["0 -> 1 memory"]);
    const moved = (by: string): string => `${store("R2", "R0")}\nIADD3 R2, R2, ${by}, RZ\n${load("R1", "R2")}`;
    expect(kinds(moved("0x4"))).not.toContain("0 -> 2 memory");
    for (const by of ["0x3", "-0x3", "R6"]) expect(kinds(moved(by))).toContain("0 -> 2 memory");
  });

  test("a base that is scaled is another base", () => {
    expect(kinds("STS [R2.X4], R0\nLDS R1, [R2.X4+0x4]")).toEqual([]);
    expect(kinds("STS [R2.X4], R0\nLDS R1, [R2+0x4]")).toEqual(["0 -> 1 memory"]);
  });

  test("state spaces do not meet, generic addresses meet all but constants", () => {
    expect(kinds(`${store("R2", "R0")}\nLDS R1, [R4]\nLDL R5, [R6]`)).toEqual([]);
    expect(kinds(`STS [R4], R0\nLD.E R1, desc[UR4][R2.64]`)).toEqual(["0 -> 1 memory"]);
    expect(kinds(`STL [R4], R0\nLD.E R1, desc[UR4][R2.64]`)).toEqual(["0 -> 1 memory"]);
    expect(kinds(`${store("R2", "R0")}\nLDC R1, c[0x0][0x210]`)).toEqual([]);
    expect(kinds(`${store("R2", "R0")}\nLDG.E.CONSTANT R1, desc[UR4][R6.64]`)).toEqual([]);
  });

  test("barriers and fences order all memory but the thread's own, and let arithmetic pass", () => {
    const code = `LDS R0, [R4]\nLDL R5, [R6]\nIADD3 R7, R8, R9, RZ\nBAR.SYNC.DEFER_BLOCKING 0x0\nSTS [R4], R1\nSTL [R6+0x8], R1`;
    expect(kinds(code)).toEqual(["0 -> 3 memory", "3 -> 4 memory"]);
    expect(kinds(`${load("R0", "R2")}\nDEPBAR.LE SB0, 0x0\n${load("R1", "R4")}`).length).toBe(2);
  });

  test("what is one instruction in Mercury stays together: nothing passes the words of a fence, BAR of registers, BAR.RED and B2R", () => {
    const add = (d: string): string => `IADD3 ${d}, R8, R9, RZ`;
    for (const op of [
      "MEMBAR.SC.GPU",
      "ERRBAR",
      "CCTL.IVALL",
      "BAR.SYNC R2, R2",
      "BAR.RED.POPC 0x0, PT",
      "B2R.RESULT R3",
    ])
      expect([op, kinds(`${add("R0")}\n${op}\n${add("R1")}`)]).toEqual([op, ["0 -> 1 order", "1 -> 2 order"]]);
  });

  test("a strong load holds back what follows, a strong store what precedes it", () => {
    expect(kinds(`LDG.E.STRONG.GPU R0, desc[UR4][R2.64]\n${load("R1", "R4")}`)).toEqual(["0 -> 1 memory"]);
    expect(kinds(`${load("R1", "R4")}\nLDG.E.STRONG.GPU R0, desc[UR4][R2.64]`)).toEqual([]);
    expect(kinds(`LDS R1, [R6]\nSTG.E.STRONG.GPU desc[UR4][R2.64], R0`)).toEqual(["0 -> 1 memory"]);
  });

  test("NOP stands where ptxas needed no code for a fence", () => {
    expect(kinds(`${load("R0", "R2")}\nNOP\n${load("R1", "R4")}`)).toEqual(["0 -> 1 memory", "1 -> 2 memory"]);
  });

  test("asynchronous copies write shared memory, and their group is closed after them", () => {
    const copy = "LDGSTS.E [R6], desc[UR4][R2.64]";
    expect(kinds(`${copy}\nLDGDEPBAR\nDEPBAR.LE SB0, 0x0\nLDS R0, [R8]`)).toEqual([
      "0 -> 1 memory",
      "0 -> 2 memory",
      "1 -> 2 memory",
      "2 -> 3 memory",
    ]);
  });

  test("a group has the copies that it had; other accesses pass the place where it is closed, not the wait", () => {
    const copy = (at: string): string => `LDGSTS.E [${at}], desc[UR4][R2.64]`;
    const groups = `${copy("R6")}\nLDGDEPBAR\n${copy("R6+0x4")}\nLDGDEPBAR\nDEPBAR.LE SB0, 0x1\nLDS R0, [R9]`;
    expect(kinds(groups)).toEqual([
      "0 -> 1 memory",
      "1 -> 2 memory",
      "0 -> 3 memory",
      "1 -> 3 memory",
      "2 -> 3 memory",
      "0 -> 4 memory",
      "1 -> 4 memory",
      "2 -> 4 memory",
      "3 -> 4 memory",
      "4 -> 5 memory",
    ]);
    expect(kinds(`${copy("R6")}\nLDGDEPBAR\n${load("R1", "R4")}\nIADD3 R14, R15, R16, RZ`)).toEqual(["0 -> 1 memory"]);
  });

  test("of the two addresses of a copy only the shared one is compared", () => {
    const copy = "LDGSTS.E [R6], desc[UR4][R2.64]";
    expect(kinds(`${copy}\nSTS [R6+0x4], R0`)).toEqual([]);
    expect(kinds(`${copy}\nSTS [R6], R0`)).toEqual(["0 -> 1 memory"]);
    expect(kinds(`${copy}\nSTS [R7+0x4], R0`)).toEqual(["0 -> 1 memory"]);
    expect(kinds(`${copy}\nSTG.E desc[UR4][R2.64+0x10], R0`)).toEqual(["0 -> 1 memory"]);
  });

  test("bulk copies, their groups and mbarriers keep their order with every access; arithmetic passes them", () => {
    const code = `UTMALDG.2D [UR8], [UR4]\nSYNCS.ARRIVE.TRANS64 RZ, [UR6], R2\nLDS R0, [R8]\nIADD3 R9, R10, R11, RZ`;
    expect(kinds(code)).toEqual(["0 -> 1 memory", "1 -> 2 memory"]);
    expect(kinds("UTMASTG.2D [UR8], [UR4]\nUTMACMDFLUSH\nDEPBAR.LE SB0, 0x0\nSTS [R8], R0")).toEqual([
      "0 -> 1 memory",
      "1 -> 2 memory",
      "2 -> 3 memory",
    ]);
  });
});

describe("order", () => {
  test("nothing passes a warp synchronization", () => {
    expect(kinds("IADD3 R0, R1, R2, RZ\nWARPSYNC.ALL\nIADD3 R3, R4, R5, RZ")).toEqual(["0 -> 1 order", "1 -> 2 order"]);
  });

  test("clocks are read where they stand", () => {
    expect(kinds("CS2R R0, SR_CLOCKLO\nLDS R4, [R6]\nCS2R R2, SR_CLOCKLO")).toEqual([
      "0 -> 1 memory",
      "0 -> 2 memory",
      "1 -> 2 memory",
    ]);
  });

  test("with many accesses the edges stay few", () => {
    const many = Array.from({ length: 300 }, (_, i) => `LDG.E R${i % 100}, desc[UR4][R${100 + 2 * (i % 60)}.64]`);
    const stores = Array.from({ length: 300 }, (_, i) => `STG.E desc[UR4][R240.64+${4 * i}], R241`);
    expect(edges([...many, ...stores].join("\n")).length).toBeLessThan(300 * 70);
  });
});
