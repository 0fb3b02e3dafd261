import { ptxas } from "../../lib/cli/index";
import { readCubin } from "../../lib/elf/index";
import { cases, files } from "./commands";
import { fakeHost } from "./fake-host";

const kernel = files["ok.ptx"]!;

test.each(cases.map((c) => [c.args.join(" "), c] as const))("ptxas %s", (_, c) => {
  const host = fakeHost(files);
  expect([ptxas(c.args, host), host.stderr, host.stdout]).toEqual([c.status, c.stderr, ""]);
  expect([...host.written.keys()]).toEqual(c.output === null ? [] : [c.output]);
});

test("--version answers what Triton and nvcc look for", () => {
  const host = fakeHost();
  expect(ptxas(["--version"], host)).toBe(0);
  expect(/release (\d+\.\d+)/.exec(host.stdout)![1]).toBe("13.0");
  expect(host.stdout).toContain("V13.0.88");
});

test("without input, help; it says what levels are worth", () => {
  const host = fakeHost();
  expect(ptxas([], host)).toBe(0);
  expect(host.stdout).toContain("--gpu-name <gpu name>");
  expect(host.stdout).toContain("Optimization level: 0 none, 1 some phases, 2 and above all");
});

test("-v: report per kernel, last first", () => {
  const host = fakeHost(files);
  expect(ptxas(["-v", "-arch=sm_75", "two.ptx"], host)).toBe(0);
  const shape = host.stderr.replace(/Used \d+ registers/g, "Used N registers").replace(/= [\d.]+ ms/g, "= T ms");
  const one = (name: string): string => `ptxas info    : Compiling entry function '${name}' for 'sm_75'
ptxas info    : Function properties for ${name}
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used N registers, used 0 barriers, 360 bytes cmem[0]
ptxas info    : Compile time = T ms
`;
  expect(shape).toBe(`ptxas info    : 0 bytes gmem\n${one("k2")}${one("k")}`);
});

// The recorded command lines of clients.
test.each([
  ["Triton", "-lineinfo -v --gpu-name=sm_90a k.ptx -o k.ptx.o", "k.ptx.o"],
  ["Triton, debugging", "-lineinfo -suppress-debug-info --fmad=false -v --gpu-name=sm_90a k.ptx -o k.ptx.o", "k.ptx.o"],
  ["Triton, -g", "-g -v --opt-level 0 --gpu-name=sm_90a k.ptx -o k.ptx.o", "k.ptx.o"],
  ["Triton 3.9", "--regAllocOptLevel=2 --gpu-name=sm_100a k.ptx -o k.ptx.o", "k.ptx.o"],
  ["nvcc", "-arch=sm_90a -m64 k.ptx -o k.cubin", "k.cubin"],
  ["nvcc -G", "-arch=sm_90 -m64 -g --dont-merge-basicblocks --return-at-end k.ptx -o k.cubin", "k.cubin"],
  ["nvcc -lineinfo", "-arch=sm_90 -m64 --generate-line-info k.ptx -o k.cubin", "k.cubin"],
  ["nvcc -dc", "-arch=sm_90 -m64 --compile-only k.ptx -o k.cubin", "k.cubin"],
  ["clang", "-m64 -O2 -lineinfo --gpu-name sm_80 --output-file k.o k.ptx -c", "k.o"],
  ["GCC", "-c -o /dev/null k.ptx --gpu-name sm_80 -O0", "/dev/null"],
])("serves %s", (_, line, output) => {
  const host = fakeHost({ "k.ptx": kernel });
  expect([ptxas(line.split(" "), host), [...host.written.keys()]]).toEqual([0, [output]]);
  const cubin = readCubin(host.written.get(output)!);
  expect(cubin.ok && cubin.value.functions.map((f) => f.name)).toEqual(["k"]);
});

// What ptxas writes into .note.nv.tkinfo (test/oracle/cli.test.ts asks it).
test.each([
  ["-O0 -arch=sm_90", "-O 0 -arch sm_90 "],
  [
    "--compile-only -v --gpu-name sm_80 --maxrregcount=40 -O1 --warn-on-spills",
    "-v  -warn-spills  -maxrregcount 40 -O 1 -arch sm_80 -c  ",
  ],
  ["-lineinfo -v -arch sm_90", "-v  -lineinfo  -arch sm_90 "],
  ["-m64 -arch sm_90a --fmad=false", "-arch sm_90a -m 64 -fmad false "],
])("the cubin records %s", (line, recorded) => {
  const host = fakeHost({ "k.ptx": kernel });
  ptxas([...line.split(" "), "k.ptx"], host);
  const note = Buffer.from(host.written.get("elf.o")!).toString("latin1");
  expect(note).toContain(`\0${recorded}\0`);
});

test("messages about several files name the file and its own line", () => {
  const second = kernel.replace("entry k(", "entry other(").replace("st.global", "foo.global");
  const host = fakeHost({ "a.ptx": `${kernel}// no end of line`, "b.ptx": second });
  expect(ptxas(["a.ptx", "b.ptx"], host)).toBe(255);
  expect(host.stderr).toContain("ptxas b.ptx, line 8; error   : Not a name of any known instruction: 'foo'");
});

test("a kernel that fails leaves the output alone", () => {
  const host = fakeHost(files);
  expect(ptxas(["both.ptx", "-o", "there.cubin"], host)).toBe(255);
  expect(host.written.size).toBe(0);
});

test("what would change the code and is not built is refused", () => {
  const host = fakeHost(files);
  expect(ptxas(["--sanitize=memcheck", "ok.ptx"], host)).toBe(255);
  expect(host.stderr).toContain("not supported yet: option '--sanitize'");
});
