import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ptxas, ptxlab } from "../../lib/cli/index";
import { type CompileOptions, compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import { files } from "./commands";
import { fakeHost } from "./fake-host";

async function said(...args: string[]): Promise<{ status: number; out: string; err: string }> {
  const host = fakeHost({ "k.ptx": "" });
  const status = await ptxlab(args, host);
  expect(host.written.size).toBe(0);
  return { status, out: host.stdout, err: host.stderr };
}

test.each([
  ["dis", "dis needs a file"],
  ["elf a b", "elf takes one file, not 2: a b"],
  ["dis --jsn a", "dis has no option --jsn (did you mean --json?); ptxlab dis --help lists them"],
  ["dis -x a", "dis has no option -x; ptxlab dis --help lists them"],
  ["dis --json=1 a", "--json takes no value"],
  ["dis a --arch", "--arch needs NAME"],
  ["dis --kernel --json a", "--kernel needs NAME before --json"],
  ["asm a -o --like", "-o needs FILE before --like"],
  ["estimate a --launch b --top many", "--top takes a whole number, not 'many'"],
  ["estimate a --launch b --top -1", "--top takes a whole number, not '-1'"],
  ["reschedule a --order neww", "--order takes new, keep, not 'neww' (did you mean new?)"],
  ["compile k.ptx --after AllocateRegisters --emit sass", "--after prints ori, not sass"],
  ["compile k.ptx -Ofast", "-O takes a whole number, not 'fast'"],
  ["compile k.ptx -maxrregcount x", "--maxrregcount takes a whole number, not 'x'"],
  ["compile k.ptx --knob x", "--knob takes NAME=VALUE, not 'x'"],
  ["complie a", "unknown command 'complie' (did you mean compile?); ptxlab help lists them"],
  ["help complie", "unknown command 'complie' (did you mean compile?); ptxlab help lists them"],
  ["toString a", "unknown command 'toString'; ptxlab help lists them"],
])("%s: %s", async (line, message) => {
  expect(await said(...line.split(" "))).toEqual({ status: 2, out: "", err: `ptxlab: ${message}\n` });
});

test("help: of all commands, of one of them, in lines of at most 120 columns", async () => {
  const all = await said("help");
  const one = await said("estimate", "--help");
  expect([all.status, one.status, all.err + one.err]).toEqual([0, 0, ""]);
  expect(one.out).toMatch(/^ {2}estimate FILE --launch FILE +Estimate the cycles[\s\S]*--top N[\s\S]*Exit status: /);
  expect(all.out).toContain(one.out);
  expect(Math.max(...all.out.split("\n").map((l) => l.length))).toBeLessThanOrEqual(120);
  expect((await said("help", "estimate")).out).toBe(one.out);
  const none = await said();
  expect([none.status, none.err]).toEqual([2, all.out]);
});

test.each<[string, string]>([
  ["run no.cubin --launch l.json", "ptxlab no.cubin; error: not an ELF file: bad magic number\n"],
  ["asm a.asm --like no.cubin", "ptxlab no.cubin; error: not an ELF file: bad magic number\n"],
  ["asm binary", "ptxlab: 'binary' is not text; dis --asm makes the text of a cubin\n"],
  ["run k.cubin", "ptxlab: the launches are missing: --launch FILE\n"],
  ["run k.cubin --launch l.json", 'ptxlab: l.json:1:14: launches[0]: no kernel "q" in the cubin; it has: k\n'],
  ["estimate k.cubin --launch l.json", 'ptxlab: l.json:1:14: launches[0]: no kernel "q" in the cubin; it has: k\n'],
  ["reschedule k.cubin -o /nowhere/a", "ptxlab: cannot write '/nowhere/a'\n"],
])("%s: the file with the fault is named", async (line, message) => {
  const made = fakeHost({ "k.ptx": files["ok.ptx"]! });
  expect(ptxas(["-arch=sm_90", "k.ptx", "-o", "k.cubin"], made)).toBe(0);
  const host = fakeHost({
    "k.cubin": made.written.get("k.cubin")!,
    "no.cubin": "x".repeat(100),
    "a.asm": ".target sm_90\n",
    binary: "\0\0",
    "l.json": JSON.stringify({ launches: [{ kernel: "q", grid: [1], block: [1], params: [] }] }),
  });
  expect([await ptxlab(line.split(" "), host), host.stdout, host.stderr]).toEqual([2, "", message]);
});

test("help answers for itself", async () => {
  expect(await said("help", "--help")).toEqual(await said("help"));
});

test("--version: of ptxlab and after every command, that of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8"));
  const text = `ptxlab ${version}\n`;
  for (const line of [["--version"], ["dis", "--version"], ["help", "--version"], ["compile", "k.ptx", "--version"]])
    expect(await said(...line)).toEqual({ status: 0, out: text, err: "" });
  expect(await said("complie", "--version")).toMatchObject({ status: 2, out: "" });
});

test("compile: level and registers as for ptxas; the library makes the same cubin", async () => {
  const text = files["two.ptx"]!;
  const host = fakeHost({ "k.ptx": text });
  const made = async (...args: string[]): Promise<Uint8Array | undefined> => {
    host.written.clear();
    expect(await ptxlab(["compile", "k.ptx", "-arch=sm_75", ...args], host)).toBe(0);
    return host.written.get("a.cubin");
  };
  const expected = (options: Partial<CompileOptions>): Uint8Array | null =>
    compile(text, { target: "sm_75", file: "k.ptx", ...options }).cubin;
  for (const args of [["-O2"], ["-O", "2"], ["--opt-level=2"]])
    expect(await made(...args)).toEqual(expected({ opt: 2 }));
  for (const args of [["-O4"], ["-O", "4"]]) expect(await made(...args)).toEqual(expected({ opt: 4 }));
  for (const args of [["-O-1"], ["-O", "-1"]]) expect(await made(...args)).toEqual(expected({ opt: -1 }));
  expect(await made("-maxrregcount", "32")).toEqual(expected({ maxRegisters: 32 }));
  expect(host.stderr).not.toContain("warning");
  expect(await made("--maxrregcount=16")).toEqual(expected({ maxRegisters: 24 }));
  expect(host.stderr).toMatch(
    /warning: For profile sm_75 adjusting per thread register count of 16 to lower bound of 24/,
  );
});

test("compile --knob: what there is the compiler says", async () => {
  const host = fakeHost({ "k.ptx": files["ok.ptx"]! });
  expect(await ptxlab(["compile", "k.ptx", "--knob", "NoSuchKnob=1"], host)).toBe(1);
  expect(host.stderr).toContain("NoSuchKnob");
});

test.each([4, -1])("opt: %s counts as 3", (opt) => {
  const made = compile(files["ok.ptx"]!, { target: "sm_75", opt });
  expect(made.functions[0]?.code?.words).toEqual(
    compile(files["ok.ptx"]!, { target: "sm_75" }).functions[0]?.code?.words,
  );
});

test.each([1.5, Number.NaN])("opt: %s is an error of the library", (opt) => {
  const made = compile(files["ok.ptx"]!, { target: "sm_75", opt });
  expect(made.cubin).toBeNull();
  expect(made.diagnostics.map((d) => d.message)).toEqual([`opt is a whole number, not ${opt}`]);
});

test("-O of ptxas takes any number: above 3 the code is that of 3", () => {
  const code = (level: string): string => {
    const host = fakeHost({ "k.ptx": files["two.ptx"]! });
    expect(ptxas([`-O${level}`, "k.ptx"], host)).toBe(0);
    const cubin = readCubin(host.written.get("elf.o")!);
    return cubin.ok ? cubin.value.functions.map((f) => f.words.join()).join("\n") : "";
  };
  expect(code("9")).toBe(code("3"));
});
