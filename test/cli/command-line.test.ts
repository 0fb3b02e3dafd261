import { ptxas, ptxlab } from "../../lib/cli/index";
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
