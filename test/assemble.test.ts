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
      if (!made.ok) {
        expect(made.diagnostics[0]!.message).toMatch(/^not supported yet: \.needs /);
        continue;
      }
      alone++;
      expect(read(made.value).functions.map((f) => [f.name, [...f.words]])).toEqual(
        read(bytes).functions.map((f) => [f.name, [...f.words]]),
      );
      const run = runLaunchFile(made.value, c.launch, { readFile: () => null });
      expect([c.name, run.status, run.status === 0 ? [] : run.lines]).toEqual([c.name, 0, []]);
    }
    expect(alone).toBeGreaterThan(corpus.length / 2);
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
  const bytes = compile(corpusPtx("saxpy", "sm_90"), { target: "sm_90" }).cubin!;
  for (const text of [
    small.join("\n"),
    small.join("\n").replace("sm_90", "sm_75"),
    small.join("\n").replace(".entry k", ".entry saxpy"),
  ])
    expect(assembleCubin(text, bytes).ok).toBe(false);
});

test("2,000 seeded mutations of a text: diagnostics, never an exception", () => {
  const original = assemblyText(read(compile(corpusPtx("reduction", "sm_90"), { target: "sm_90" }).cubin!));
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
