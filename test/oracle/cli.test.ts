/** The expectations of the command's unit tests, asked of the real ptxas. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cases, files } from "../cli/commands";
import { describeOracle, inScratch, tool } from "./tools";

describeOracle("ptxas's answers to command lines", () => {
  test("are those that the unit tests expect", () => {
    inScratch((dir) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
      mkdirSync(join(dir, "folder"));
      const got = cases.map((c) => {
        const outputs = ["elf.o", "out.cubin", "out.o", "a", "b"].map((f) => join(dir, f));
        for (const f of outputs) rmSync(f, { force: true });
        const { status, stderr } = tool("ptxas", c.args, { cwd: dir });
        const output = outputs.find((f) => existsSync(f));
        return { args: c.args, status, stderr, output: output === undefined ? null : output.slice(dir.length + 1) };
      });
      expect(got).toEqual(cases);
    });
  });

  test("are recorded in the cubin as expected", () => {
    inScratch((dir) => {
      writeFileSync(join(dir, "k.ptx"), files["ok.ptx"]!);
      const recorded = (line: string): boolean => {
        tool("ptxas", [...line.split(" "), "k.ptx"], { cwd: dir });
        const expected: Record<string, string> = {
          "-O0 -arch=sm_90": "-O 0 -arch sm_90 ",
          "--compile-only -v --gpu-name sm_80 --maxrregcount=40 -O1 --warn-on-spills":
            "-v  -warn-spills  -maxrregcount 40 -O 1 -arch sm_80 -c  ",
          "-lineinfo -v -arch sm_90": "-v  -lineinfo  -arch sm_90 ",
          "-m64 -arch sm_90a --fmad=false": "-arch sm_90a -m 64 -fmad false ",
        };
        return readFileSync(join(dir, "elf.o"), "latin1").includes(`\0${expected[line]}\0`);
      };
      for (const line of [
        "-O0 -arch=sm_90",
        "--compile-only -v --gpu-name sm_80 --maxrregcount=40 -O1 --warn-on-spills",
        "-lineinfo -v -arch sm_90",
        "-m64 -arch sm_90a --fmad=false",
      ])
        expect([line, recorded(line)]).toEqual([line, true]);
    });
  });
});
