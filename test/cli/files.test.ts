/** Files and devices that commands meet: links, full disks, folders among the inputs, numbers that lie. */
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Host, processHost } from "../../lib/cli/host";
import { ptxas, ptxlab } from "../../lib/cli/index";
import { UsageError } from "../../lib/cli/usage";
import { compile } from "../../lib/compile";
import { readElf } from "../../lib/elf/elf64";
import { editElf } from "../../lib/elf/elf64-edit";
import { readCubin } from "../../lib/elf/index";
import { fakeHost } from "./fake-host";

const head = ".version 8.0\n.target sm_90\n.address_size 64\n";
const kernel = (name: string): string =>
  `.visible .entry ${name}(.param .u64 a)\n{\n .reg .b64 %rd<2>;\n ld.param.u64 %rd1, [a];\n st.global.u64 [%rd1], %rd1;\n ret;\n}\n`;
const ptx = head + kernel("k");
const cubin = compile(ptx, { target: "sm_90", opt: 0 }).cubin!;

describe("symbolic links as output", () => {
  const folder = mkdtempSync(join(tmpdir(), "ptxlab-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const at = (name: string): string => join(folder, name);

  test("the file after the link is written, with the mode that it had; the link stays", () => {
    writeFileSync(at("target"), "old", { mode: 0o640 });
    symlinkSync("target", at("link"));
    symlinkSync("link", at("second"));
    expect(processHost.write(at("second"), Buffer.from("new"))).toBe(true);
    expect(lstatSync(at("second")).isSymbolicLink() && lstatSync(at("link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(at("target"), "utf8")).toBe("new");
    expect(statSync(at("target")).mode & 0o777).toBe(0o640);
  });

  test("a link to what is not there makes it, seen from the link's own folder", () => {
    mkdirSync(at("inner"));
    symlinkSync("../made", at("inner/link"));
    expect(processHost.write(at("inner/link"), Buffer.from("new"))).toBe(true);
    expect(lstatSync(at("inner/link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(at("made"), "utf8")).toBe("new");
  });

  test("a link to itself, and one into a folder that does not exist, are not written", () => {
    symlinkSync("loop", at("loop"));
    symlinkSync("nowhere/file", at("lost"));
    expect([at("loop"), at("lost")].map((path) => processHost.write(path, Buffer.from("new")))).toEqual([false, false]);
  });
});

test("output that takes nothing is told, by every command in its own words", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  const full: Host = {
    ...host,
    out: () => {
      throw new UsageError("cannot write to the standard output: no space left on device");
    },
  };
  expect(await ptxlab(["dis", "k.cubin"], full)).toBe(2);
  expect(host.stderr).toBe("ptxlab: cannot write to the standard output: no space left on device\n");
  host.stderr = "";
  expect(ptxas(["--help"], full)).toBe(255);
  expect(host.stderr).toBe("ptxas fatal   : cannot write to the standard output: no space left on device\n");
});

// What ptxas 13.0.88 answers for these lists of files.
test.each([
  [["folder", "k.ptx"], ["folder, line 1; fatal   : Missing .version directive at start of file 'folder'"]],
  [["k.ptx", "folder"], ["folder, line 1; fatal   : Missing .version directive at start of file 'folder'"]],
  [
    ["k.ptx", "empty", "junk"],
    [
      "empty, line 1; fatal   : Missing .version directive at start of file 'empty'",
      "junk, line 1; fatal   : Missing .version directive at start of file 'junk'",
    ],
  ],
  [["k.ptx", "k2"], ["k2, line 2; fatal   : Missing .version directive at start of file 'k2'"]],
])("ptxas %j: each file needs its own header", (names, lines) => {
  const host = fakeHost({
    "k.ptx": ptx,
    empty: "",
    junk: "foo\n",
    k2: `.target sm_90\n.address_size 64\n${kernel("k2")}`,
  });
  expect(ptxas(["-arch=sm_90", ...names], host)).toBe(255);
  const told = [...lines.map((l) => `ptxas ${l}`), "ptxas fatal   : Ptx assembly aborted due to errors", ""];
  expect(host.stderr).toBe(told.join("\n"));
});

test("a section whose alignment lies is refused where the file must be laid out anew", () => {
  const bytes = cubin.slice();
  const read = readCubin(bytes);
  if (!read.ok) throw new Error("unreadable");
  const { elf, functions } = read.value;
  const edit = { contents: new Map([[functions[0]!.section, new Uint8Array(4096)]]) };
  expect(editElf(elf, edit).ok).toBe(true);
  const v = new DataView(bytes.buffer, bytes.byteOffset);
  v.setBigUint64(Number(v.getBigUint64(40, true)) + (elf.sections.length - 1) * 64 + 48, 1n << 39n, true);
  const damaged = readElf(bytes);
  if (!damaged.ok) throw new Error("unreadable");
  const made = editElf(damaged.value, edit);
  expect(made.diagnostics.map((d) => d.message).join()).toMatch(
    /^the sections take \d+ bytes with the alignments that they have; \S+ is aligned to 549755813888$/,
  );
});

describe("addresses in launch files", () => {
  const run = async (command: string, param: string): Promise<[number, string]> => {
    const launch = `{"buffers":{"x":{"type":"u64","length":4}},"launches":[{"kernel":"k","params":[${param}]}]}`;
    const host = fakeHost({ "k.cubin": cubin, "l.json": launch });
    return [await ptxlab([command, "k.cubin", "--launch", "l.json"], host), host.stdout + host.stderr];
  };

  test.each(["0x4ffffffffffff000", "0x7ffffffffffffff0", "0xffffffffffffff00"])("estimate ends at %s", async (at) => {
    const [status, text] = await run("estimate", `{"u64":"${at}"}`);
    expect(status).toBe(3);
    expect(text).toContain("fault: out-of-bounds in kernel k");
  });

  test.each(["1e300", "0.5"])("an offset of %s is refused", async (offset) => {
    const [status, text] = await run("run", `{"buffer":"x","offset":${offset}}`);
    expect(status).toBe(2);
    expect(text).toContain("launches[0].params[0].offset: an integer of at most 53 bits is expected");
  });
});

test("one byte is one byte", async () => {
  const one = compile(`${head}.visible .global .u8 x = 7;\n`, { target: "sm_90", opt: 0 }).cubin!;
  const host = fakeHost({ "k.cubin": one });
  expect(await ptxlab(["dis", "--data", "k.cubin"], host)).toBe(0);
  expect(host.stdout).toContain("1 byte");
  expect(host.stdout).not.toContain("1 bytes");
});
