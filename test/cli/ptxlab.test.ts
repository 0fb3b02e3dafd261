import { ptxas, ptxlab } from "../../lib/cli/index";
import { readCubin } from "../../lib/elf/index";
import { decodeCode } from "../../lib/sass/decode";
import { target } from "../../lib/target/index";
import { corpusPtx } from "../corpus/cases";
import { files } from "./commands";
import { fakeHost } from "./fake-host";

function cubinOf(ptx: string, ...options: string[]): Uint8Array {
  const host = fakeHost({ "k.ptx": ptx });
  if (ptxas([...options, "k.ptx"], host) !== 0) throw new Error(host.stderr);
  return host.written.get("elf.o")!;
}

const cubin = cubinOf(files["two.ptx"]!, "-arch=sm_90", "-O0", "-lineinfo");

test("dis: every instruction of every function, with labels and control bits", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["dis", "--control", "k.cubin"], host)).toBe(0);
  const read = readCubin(cubin);
  if (!read.ok) throw new Error("unreadable");
  expect([...host.stdout.matchAll(/^(\w+): /gm)].map((m) => m[1])).toEqual(["k2", "k"]);
  const words = read.value.functions.reduce((n, f) => n + f.words.length / 4, 0);
  expect(host.stdout.match(/^ {8}\/\*[0-9a-f]{4}\*\//gm)).toHaveLength(words);
  expect(host.stdout).toMatch(/B[-0-5]{6} R[-0-5] W- [-Y] S\d\d +STG\.E desc\[UR\d+\]\[R\d+\.64\], R\d+ ;/);
  expect(host.stdout).toMatch(/\.L_x_0:\n +\/\*[0-9a-f]{4}\*\/ +B------ R- W- Y S00 +BRA `\(\.L_x_0\) ;/);
  expect(host.stderr).toBe("");
});

test("--arch takes the name of a family for its cubin, which does not say that it was made for one", async () => {
  const host = fakeHost({ "k.cubin": cubinOf(files["two.ptx"]!, "-arch=sm_100f") });
  expect([await ptxlab(["dis", "--arch", "sm_100f", "k.cubin"], host), host.stderr]).toEqual([0, ""]);
  expect(await ptxlab(["dis", "--arch", "sm_103f", "k.cubin"], host)).toBe(2);
});

test("dis --json: the same as data, with PTX lines", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["dis", "--json", "--kernel", "k", "k.cubin"], host)).toBe(0);
  const { target: name, functions } = JSON.parse(host.stdout);
  expect([name, functions.length, functions[0].name]).toEqual(["sm_90", 1, "k"]);
  const store = functions[0].instructions.find((i: { text: string }) => i.text.startsWith("STG"));
  // `st.global` stands in line 8 of the text.
  expect(store.line).toBe(8);
  const decoded = decodeCode(Uint32Array.from(store.words), target("sm_90"))[0]!;
  expect(decoded.form.op).toBe("STG");
});

test("dis: words that the table does not know are shown as words", async () => {
  const damaged = cubin.slice();
  const read = readCubin(damaged);
  if (!read.ok) throw new Error("unreadable");
  const text = read.value.elf.sections.find((s) => s.name === ".text.k")!;
  damaged.fill(0xff, text.offset, text.offset + 16);
  const host = fakeHost({ "k.cubin": damaged });
  expect(await ptxlab(["dis", "k.cubin"], host)).toBe(0);
  expect(host.stdout).toContain(`.word 0x${"f".repeat(32)} ;`);
  expect(host.stderr).toContain("1 instruction is not in the instruction table");
});

test("dis --lines: section, offset and text of every instruction, nothing else", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["dis", "--lines", "--kernel", "k", "k.cubin"], host)).toBe(0);
  const rows = host.stdout.trimEnd().split("\n");
  const read = readCubin(cubin);
  if (!read.ok) throw new Error("unreadable");
  const words = read.value.functions.find((f) => f.name === "k")!.words;
  expect(rows).toHaveLength(words.length / 4);
  rows.forEach((row, i) => {
    const [section, offset, text, ...rest] = row.split("\t");
    expect([section, Number.parseInt(offset!, 16), rest]).toEqual([".text.k", 16 * i, []]);
    expect(text).toMatch(/^(@!?U?P\d )?[A-Z][A-Z0-9_.]*/);
  });
});

test("dis --cfg: DOT with every instruction in one block", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["dis", "--cfg", "k.cubin"], host)).toBe(0);
  expect(host.stdout).toMatch(/^digraph code \{[\s\S]*\}\n$/);
  expect(host.stdout.match(/subgraph/g)).toHaveLength(2);
  // The tail is a block that goes to itself.
  expect(host.stdout).toMatch(/(f0b\d+) -> \1;/);
});

test("dis --html: one page; branches link to labels, instructions and modifiers tell what they are", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["dis", "--html", "k.cubin"], host)).toBe(0);
  const page = host.stdout;
  expect(page).toMatch(/^<!DOCTYPE html>[\s\S]*<\/html>\n$/);
  expect(page).not.toMatch(/<script|src=|href="[^#]/);
  // Every link leads somewhere, and every place is there once.
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map((m) => m[1]!);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, to] of page.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(to);
  expect(page).toMatch(
    /<tr id="(f0o[0-9a-f]+)"><td class="label" [^>]*>\.L_x_0:[\s\S]*BRA[^\n]*<a href="#\1">\.L_x_0<\/a>/,
  );
  const store = page.split("\n").find((l) => l.includes(">STG<"))!;
  expect(store).toMatch(/<td title="[^"]*Cycles before the next instruction of the warp: \d+&#10;/);
  expect(store).toMatch(/<span title="\w+ \(bits 72\), addresses of 64 bits: [^"]*\[\.E\]">\.E<\/span>/);
  expect(page).toContain('<td class="note">8: st.global.u32 [%rd1], 7;</td></tr>');
  expect(store).toMatch(/<td title="STG[^"]*&#10;Operands: [^"]*&#10;Modifiers:&#10;[^"]*">STG/);
});

test("dis --data: symbols, bytes, numbers, relocations, sizes", async () => {
  const ptx = `.version 9.0\n.target sm_90\n.address_size 64\n.const .align 4 .f32 table[3] = {0f3F800000, 0f40200000, 0f00000000};
.global .align 4 .u32 counter = 7;\n.global .align 8 .u64 where = generic(counter);
.visible .entry k(.param .u64 a)\n{\n .shared .align 4 .b8 s[64];\n .reg .b64 %rd<4>;\n .reg .b32 %r<2>;\n ld.param.u64 %rd1, [a];
 ld.const.u32 %r1, [table+4];\n st.shared.u32 [s], %r1;\n st.global.u32 [%rd1], %r1;\n ret;\n}\n`;
  const host = fakeHost({ "k.cubin": cubinOf(ptx, "-arch=sm_90") });
  expect([await ptxlab(["dis", "--data", "k.cubin"], host), host.stderr]).toEqual([0, ""]);
  const text = host.stdout;
  expect(text).toMatch(
    /\ntable:.*12 bytes.*\n {2}0000 {2}00 00 80 3f 00 00 20 40 00 00 00 00 +u32 1065353216 1075838976 0 {2}f32 1 2.5 0\n/,
  );
  expect(text).toMatch(/\ncounter:.*\n {2}\d{4} {2}07 00 00 00 +u32 7 /);
  expect(text).toMatch(/\/\/ 0x[0-9a-f]+: R_CUDA_\S+ counter\n/);
  expect(text).toMatch(/\.nv\.shared\.k: {2}\/\/ \d+ bytes, aligned to \d+, no bytes in the file\n/);
  expect(text).toMatch(/\/\/ parameter 0: 0x210, 8 bytes\n/);
});

test("dis --source: the PTX line before its instructions", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["dis", "--source", "--control", "--kernel", "k", "k.cubin"], host)).toBe(0);
  expect(host.stdout).toMatch(/\n {8}\/\/ PTX line 8: st\.global\.u32 \[%rd1\], 7;\n {8}\/\*[0-9a-f]{4}\*\/ /);
});

test("dis --live: counts before the text", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["dis", "--live", "--kernel", "k", "k.cubin"], host)).toBe(0);
  // R1 alone where the thread ends.
  expect(host.stdout).toMatch(/^ {10}1 {12}\/\*[0-9a-f]{4}\*\/ {2}EXIT ;$/m);
});

test("dis --info: attributes by name", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["dis", "--info", "k.cubin"], host)).toBe(0);
  expect(host.stdout).toMatch(/^\.nv\.info REGCOUNT k 0x[0-9a-f]+$/m);
  expect(host.stdout).not.toContain("section ");
});

test("dis --asm and asm --like: the same cubin again", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["dis", "--asm", "k.cubin"], host)).toBe(0);
  const damaged = cubin.slice();
  const read = readCubin(cubin);
  if (!read.ok) throw new Error("unreadable");
  const text = read.value.elf.sections.find((s) => s.name === ".text.k")!;
  damaged.fill(0, text.offset, text.offset + text.size);
  const second = fakeHost({ "k.sass": host.stdout, "k.cubin": damaged });
  expect([await ptxlab(["asm", "k.sass", "--like", "k.cubin", "-o", "out"], second), second.stderr]).toEqual([0, ""]);
  expect(Buffer.from(second.written.get("out")!).equals(cubin)).toBe(true);
  const third = fakeHost({ "k.sass": host.stdout.replace("EXIT", "EXITT") });
  expect(await ptxlab(["asm", "k.sass"], third)).toBe(1);
  expect(third.stderr).toContain('unknown instruction "EXITT"');
});

test("elf: sections, symbols, attributes", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["elf", "k.cubin"], host)).toBe(0);
  expect(host.stdout).toContain("section .text.k ");
  expect(host.stdout).toContain(".nv.info.k2 MAXREG_COUNT 0xff");
});

test.each([["cubin"], ["sass"], ["ori"], ["lowered"]])("compile --emit %s", async (emit) => {
  const host = fakeHost({ "k.ptx": files["two.ptx"]! });
  expect([await ptxlab(["compile", "k.ptx", "--arch", "sm_75", "--emit", emit], host), host.stderr]).toEqual([0, ""]);
  if (emit === "cubin") expect(readCubin(host.written.get("a.cubin")!).ok).toBe(true);
  else expect(host.stdout.match(/\bSTG\b/g)).toHaveLength(2);
});

test("compile --emit knobs: which were read, by whom, with which value", async () => {
  const host = fakeHost({ "k.ptx": files["two.ptx"]! });
  const knob = ["--knob", "RegAllocSortRegs=1", "--knob", "SchedTexLatency=9"];
  expect(await ptxlab(["compile", "k.ptx", "--emit", "knobs", ...knob], host)).toBe(0);
  expect(host.stdout).toMatch(/^RegAllocSortRegs +1 {2}set +AllocateRegisters$/m);
  expect(host.stdout).toMatch(/^SchedTexLatency +9 {2}set +nobody: no decision asked for it$/m);
  expect(host.stdout).toMatch(/^RegAllocNumNonSpillTrials +2 {2}default +AllocateRegisters$/m);
});

test("compile reports errors and fails", async () => {
  const host = fakeHost({ "k.ptx": files["bad.ptx"]! });
  expect(await ptxlab(["compile", "k.ptx"], host)).toBe(1);
  expect(host.stderr).toBe("ptxlab k.ptx, line 8; error   : Not a name of any known instruction: 'stt'\n");
  expect(host.written.size).toBe(0);
});

test.each([
  [[]],
  [["frobnicate"]],
  [["dis"]],
  [["dis", "missing.cubin"]],
  [["dis", "--lines", "--live", "k.cubin"]],
  [["dis", "--nonsense", "k.cubin"]],
  [["dis", "k.cubin", "--kernel", "nobody"]],
  [["dis", "k.ptx"]],
  [["run", "k.cubin"]],
  [["run", "k.cubin", "--launch", "k.ptx"]],
  [["compile", "k.ptx", "--arch", "sm_70"]],
  [["compile", "k.ptx", "--emit", "wasm"]],
])("unusable: %j", async (args) => {
  const host = fakeHost({ "k.cubin": cubin, "k.ptx": files["ok.ptx"]! });
  expect(await ptxlab(args, host)).toBe(2);
  expect(host.stderr).not.toBe("");
  expect(host.written.size).toBe(0);
});

describe("run", () => {
  const saxpy = cubinOf(corpusPtx("saxpy", "sm_90"), "-arch=sm_90");
  const launch = (expected: number): string =>
    JSON.stringify({
      buffers: { x: { type: "f32", values: [1, 2, 3] }, y: { type: "f32", values: [10, 20, 30] } },
      launches: [
        { kernel: "saxpy", grid: [1], block: [32], params: [{ s32: 3 }, { f32: 2 }, { buffer: "x" }, { buffer: "y" }] },
      ],
      print: ["y"],
      expect: { y: { values: [12, 24, expected] } },
    });

  test.each([
    [36, 0],
    [37, 1],
  ])("expecting %d ends with %d", async (value, status) => {
    const host = fakeHost({ "k.cubin": saxpy, "d/k.json": launch(value) });
    expect([await ptxlab(["run", "k.cubin", "--launch", "d/k.json"], host), host.stderr]).toEqual([status, ""]);
    expect(host.stdout).toContain("36");
  });

  const racy = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %ctaid.x;
  st.global.u32 [%rd1], %r1;
  ret;
}`;

  const ranRacy = async (...options: string[]): Promise<{ status: number; stdout: string }> => {
    const json = { buffers: { p: { type: "u32", length: 1 } }, launches: [{ grid: [2], params: [{ buffer: "p" }] }] };
    const cubin = cubinOf(racy, "-arch=sm_90", "-lineinfo");
    const host = fakeHost({ "k.cubin": cubin, "k.json": JSON.stringify(json) });
    const status = await ptxlab(["run", "k.cubin", "--launch", "k.json", ...options], host);
    expect(host.stderr).toBe("");
    return { status, stdout: host.stdout };
  };

  test("--races names both accesses and ends with 1", async () => {
    const { status, stdout } = await ranRacy("--races");
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^1 race, 0 uninitialised reads\nrace in global memory at 0x\w+, 1 time:\n {2}write by block \[0, 0, 0\], thread \[0, 0, 0\] at k\+0x\w+: STG.*\(PTX line 8\)\n {2}write by block \[1, 0, 0\]/,
    );
    const { findings, status: told } = JSON.parse((await ranRacy("--races", "--json")).stdout);
    expect([told, findings[0].races.length]).toEqual([1, 1]);
  });

  test("--profile counts by instruction and line, and tells what never ran", async () => {
    const { status, stdout } = await ranRacy("--profile");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ +2 +2 {2}k\+0x\w+ {2}STG.* global 2 requests, 8 bytes, 2 sectors$/m);
    expect(stdout).toMatch(/^ +\d+ +\d+ {2}line 8 .* global 2 requests/m);
    expect(stdout).toContain("every instruction ran\n");
    expect(JSON.parse((await ranRacy("--profile", "--json")).stdout).profiles[0].missed).toEqual([]);
  });

  test("budgets", async () => {
    const { status, stdout } = await ranRacy("--max-instructions", "1");
    expect([status, stdout]).toEqual([3, expect.stringContaining("no end after 1 warp-instructions")]);
    expect((await ranRacy("--max-seconds", "100")).status).toBe(0);
  });

  test("an estimate tells the counts of the whole grid, in words and as JSON", async () => {
    const said = async (...more: string[]): Promise<string> => {
      const host = fakeHost({ "k.cubin": saxpy, "d/k.json": launch(36) });
      expect(await ptxlab(["estimate", "k.cubin", "--launch", "d/k.json", ...more], host)).toBe(0);
      return host.stdout;
    };
    const [one] = JSON.parse(await said("--json")).launches;
    // One block of one warp: what it issues is what the grid issues.
    expect(one.gridWarpInstructions).toBe(one.issued);
    expect(one.gridThreadInstructions).toBeGreaterThan(one.issued);
    expect(await said()).toContain(
      `whole grid: ${one.gridWarpInstructions} warp-instructions issued, ${one.gridThreadInstructions} thread-instructions executed\n`,
    );
  });
});

test("names that do not exist", async () => {
  const host = fakeHost({ "k.ptx": files["two.ptx"]! });
  expect(await ptxlab(["compile", "--emit", "sass", "--kernel", "q", "k.ptx"], host)).toBe(1);
  expect(host.stderr).toContain("Unknown function q");
  expect(await ptxlab(["compile", "--emit", "ori", "--after", "allocateregister", "k.ptx"], host)).toBe(2);
  expect(host.stderr).toContain("unknown phase 'allocateregister' (did you mean AllocateRegisters");
  expect(await ptxlab(["compile", "-O1", "--emit", "ori", "--after", "PostSchedule", "k.ptx"], host)).toBe(2);
  expect(host.stderr).toContain("phase PostSchedule did not run: runs from -O2");
  expect(host.stdout).toBe("");
});

test("a file that is no cubin is named", async () => {
  const host = fakeHost({ "k.ptx": files["two.ptx"]! });
  expect(await ptxlab(["dis", "k.ptx"], host)).toBe(2);
  expect(host.stderr).toBe("ptxlab k.ptx; error: not an ELF file: bad magic number\n");
});

test("verify: our own code is clean; a wait taken away is found, with address and reason", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["verify", "k.cubin"], host)).toBe(0);
  expect(host.stdout).toBe("clean\n");
  const read = readCubin(cubin);
  if (!read.ok) throw new Error("unreadable");
  const f = read.value.functions.find((x) => x.name === "k")!;
  // The wait masks of all instructions: bits 121:116.
  const bytes = cubin.slice();
  const text = read.value.elf.sections[f.section]!;
  for (let i = 0; i < f.words.length / 4; i++) {
    const at = text.offset + 16 * i + 14;
    bytes[at] = bytes[at]! & 0x0f;
    bytes[at + 1] = bytes[at + 1]! & ~0x03;
  }
  const bad = fakeHost({ "k.cubin": bytes });
  expect(await ptxlab(["verify", "k.cubin"], bad)).toBe(1);
  expect(bad.stdout).toMatch(
    /^k \/\*[0-9a-f]{4}\*\/ STG.*: result: reads R\d+, which may still have to be written: SB0 tells when/m,
  );
  const json = fakeHost({ "k.cubin": bytes });
  expect(await ptxlab(["verify", "--json", "k.cubin"], json)).toBe(1);
  const out = JSON.parse(json.stdout);
  expect([out.clean, out.cubins[0].target]).toEqual([false, "sm_90"]);
  expect(out.cubins[0].findings[0]).toMatchObject({ function: "k", required: null });
  const none = fakeHost({ "k.cubin": new Uint8Array(10) });
  expect(await ptxlab(["verify", "k.cubin"], none)).toBe(2);
});
