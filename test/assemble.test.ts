import { assembleCubin, assemblyText } from "../lib/assemble";
import { compile } from "../lib/compile";
import { readCubin } from "../lib/elf/index";
import { runLaunchFile } from "../lib/sim/index";
import { corpus, corpusPtx, corpusTargets } from "./corpus/cases";
import { random } from "./corpus/random";

function read(bytes: Uint8Array) {
  const cubin = readCubin(bytes);
  if (!cubin.ok) throw new Error(cubin.diagnostics[0]!.message);
  return cubin.value;
}

describe.each(corpusTargets)("our cubins for %s", (target) => {
  test("asm(dis(x)) is x when put into x, and runs the same when a cubin is made of the text alone", () => {
    let alone = 0;
    for (const c of corpus) {
      const bytes = compile(corpusPtx(c.name, target), { target, opt: 0 }).cubin!;
      const text = assemblyText(read(bytes));
      expect(text).not.toContain(".word");
      // The code must come from the text: the cubin it goes into has other words.
      const blank = bytes.slice();
      for (const f of read(bytes).functions) {
        const s = read(bytes).elf.sections[f.section]!;
        blank.fill(0, s.offset, s.offset + s.size);
      }
      const again = assembleCubin(text, blank);
      expect(again.ok && Buffer.from(again.value).equals(bytes)).toBe(true);
      const made = assembleCubin(text);
      if (!made.ok) throw new Error(`${c.name}: ${made.diagnostics[0]!.message}`);
      // With everything that is in the file, the text gives back the file.
      if (text.includes("\n.container "))
        expect([c.name, Buffer.from(made.value).equals(bytes)]).toEqual([c.name, true]);
      else alone++;
      expect(read(made.value).functions.map((f) => [f.name, [...f.words]])).toEqual(
        read(bytes).functions.map((f) => [f.name, [...f.words]]),
      );
      const run = runLaunchFile(made.value, c.launch, { readFile: () => null });
      expect([c.name, run.status, run.status === 0 ? [] : run.lines]).toEqual([c.name, 0, []]);
    }
    expect(alone).toBeGreaterThan(corpus.length / 2);
    expect(alone).toBeLessThan(corpus.length);
  });
});

const small = [
  ".target sm_90",
  ".entry k // a kernel",
  ".registers 10",
  ".param 0 8",
  ".code",
  "    B------ R- W- Y S05   MOV R1, R2 ;",
  "again: B------ R- W- Y S05  @!P0 BRA `(again) ;",
  "    B------ R- W- Y S05   EXIT ;",
  ".end",
];

test("written by hand", () => {
  const made = assembleCubin(small.join("\n"));
  if (!made.ok) throw new Error(made.diagnostics[0]!.message);
  const [k] = read(made.value).functions;
  expect([k!.name, k!.registers, k!.paramBytes, k!.words.length]).toEqual(["k", 10, 8, 12]);
  expect(assemblyText(read(made.value))).toContain("@!P0 BRA `(.L_x_0) ;");
});

test.each([
  [5, "    MOV R1, R2 ;", 6, "expected a control column"],
  [5, "    B1----- R- W- Y S05   MOV R1, R2 ;", 6, "bad control column"],
  [5, "    B------ R- W- Y S16   MOV R1, R2 ;", 6, "bad control column"],
  [5, "    B------ R- W- Y S05   MOVE R1, R2 ;", 6, "unknown instruction"],
  [6, "    B------ R- W- Y S05   BRA `(nowhere) ;", 7, "unknown label"],
  [7, "again: B------ R- W- Y S05   EXIT ;", 8, "label again stands twice"],
  [3, ".param 0", 4, "bad directive"],
  [2, ".registers 300", 3, "bad directive"],
  [0, ".target sm_70", 1, "unknown target"],
  [8, "", 2, "k has no .code"],
])("line %i: %j is told with its place", (at, line, where, message) => {
  const made = assembleCubin(small.with(at, line).join("\n"));
  expect(made.ok).toBe(false);
  expect(made.diagnostics.map((d) => [d.span?.line, d.message])).toContainEqual([
    where,
    expect.stringContaining(message),
  ]);
});

test("--like: another SM, another length, another name are refused", () => {
  const bytes = compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90", opt: 0 }).cubin!;
  for (const text of [
    small.join("\n"),
    small.join("\n").replace("sm_90", "sm_75"),
    small.join("\n").replace(".entry k", ".entry saxpy"),
  ])
    expect(assembleCubin(text, bytes).ok).toBe(false);
});

test("2,000 seeded mutations of a text: diagnostics, never an exception", () => {
  const original = assemblyText(read(compile(corpusPtx("reduction", "sm_90"), { target: "sm_90", opt: 0 }).cubin!));
  const snippets = [
    "`(",
    ")",
    "R255",
    "UR63",
    "c[0x0]",
    "-",
    "|",
    ".reuse",
    "B5",
    ",",
    "[",
    "]",
    "0x",
    ".E",
    "\n",
    ":",
    "@",
  ];
  let good = 0;
  for (let seed = 1; seed <= 2000; seed++) {
    const r = random(seed);
    // A piece of the text, so that each case is cheap.
    const lines = original.split("\n");
    const from = lines.indexOf(".code") + 1 + r.below(20);
    let text = [".target sm_90", ".entry k", ".registers 9", ".code", ...lines.slice(from, from + 6), ".end"].join(
      "\n",
    );
    for (let n = r.below(4); n > 0; n--) {
      const at = r.below(text.length);
      const cut = r.below(4);
      const put = r.below(2) === 0 ? snippets[r.below(snippets.length)]! : String.fromCharCode(r.below(128));
      text = text.slice(0, at) + put + text.slice(at + cut);
    }
    const made = assembleCubin(text);
    if (made.ok) good++;
    else expect(made.diagnostics.length).toBeGreaterThan(0);
  }
  expect(good).toBeGreaterThan(100);
  expect(good).toBeLessThan(1900);
});

describe("a text with its container", () => {
  const bytes = compile(corpusPtx("constant_memory", "sm_90"), { target: "sm_90", opt: 0 }).cubin!;
  const text = assemblyText(read(bytes));
  const codeLine = text.split("\n").findIndex((l) => l.includes(" NOP ;"));

  test("symbols, relocations and attributes stand as directives, and follow longer code", () => {
    expect(text).toMatch(/^\.symbol constant_memory .* in=\.text\.constant_memory value=0x0 size=all$/m);
    expect(text).toMatch(/^\.info REGCOUNT words /m);
    expect(text).toMatch(/^\.reloc 0x[0-9a-f]+ R_CUDA_\w+ \w+/m);
    const lines = text.split("\n");
    const longer = lines.toSpliced(codeLine, 0, ...Array.from({ length: 8 }, () => lines[codeLine]!)).join("\n");
    const made = assembleCubin(longer);
    if (!made.ok) throw new Error(made.diagnostics[0]!.message);
    const [before, after] = [read(bytes).functions[0]!, read(made.value).functions[0]!];
    expect(after.words.length).toBe(before.words.length + 32);
    expect(after.symbol.size).toBe(4 * after.words.length);
  });

  test.each([
    [/^\.symbol constant_memory bind=1/m, ".symbol constant_memory bind=77", "bad number"],
    [/^\.bytes ../m, ".bytes zz", "bad bytes"],
    [/^\.zero \d+/m, ".zero 999999999", "bad number"],
    [/^\.info REGCOUNT words/m, ".info REGCOUNT wards", "attributes are"],
    [/^\.info REGCOUNT/m, ".info REGCONT", "bad number"],
    [/ R_CUDA_\w+/, " R_CUDA_NO", "unknown relocation"],
    [/^\.body constant_memory/m, ".body other", "no code of other"],
    [/ link=\.strtab/, " link=.nothing", "nothing is named"],
    [/^\.code$/m, ".registers 9\n.code", "directives of constant_memory"],
    [/^\.container 2 0x\w+/m, ".container 2 0x6004b04", "for another SM"],
    [/^\.strings /m, ".stings ", "bad directive"],
    [/ align=128/, " align=127", "no power of two"],
  ])("%s is told: %s", (from, to, message) => {
    const made = assembleCubin(text.replace(from, to));
    expect(made.ok ? [] : made.diagnostics.map((d) => d.message)).toContainEqual(expect.stringContaining(message));
  });

  test("300 seeded mutations: diagnostics, never an exception", () => {
    const at = text.indexOf(".container");
    // The code itself is not read again and again.
    const nop = ".word 0x000fc000000000000000000000007918";
    const head = `.target sm_90\n.entry constant_memory\n.code\n${`${nop}\n`.repeat(128)}.end\n`;
    let good = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const r = random(seed);
      const lines = text.slice(at).split("\n");
      for (let n = 1 + r.below(3); n > 0; n--) {
        const i = r.below(lines.length);
        const line = lines[i]!;
        const where = r.below(line.length + 1);
        if (r.below(3) === 0) lines.splice(i, 1);
        else lines[i] = line.slice(0, where) + "0f=.#-% "[r.below(8)] + line.slice(where + r.below(3));
      }
      const made = assembleCubin(head + lines.join("\n"));
      if (made.ok) good++;
      else expect(made.diagnostics.length).toBeGreaterThan(0);
    }
    expect(good).toBeGreaterThan(20);
    expect(good).toBeLessThan(280);
  });
});
