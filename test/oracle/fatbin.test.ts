/** Fat binaries of nvcc and fatbinary, in every compression mode, and host objects with embedded ones. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCubins, readFatbin } from "../../lib/elf/index.js";
import { corpusPtx } from "../corpus/cases.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const arches = ["sm_75", "sm_90", "sm_100"] as const;

describeOracle("fat binaries", () => {
  test.each(["none", "speed", "size", "balance"])("fatbinary --compress-mode=%s", (mode) => {
    inScratch((dir) => {
      const images = arches.map((arch) => {
        writeFileSync(join(dir, "k.ptx"), corpusPtx("reduction", arch));
        const made = tool("ptxas", [`-arch=${arch}`, "-O3", "k.ptx", "-o", `${arch}.cubin`], { cwd: dir });
        expect(made.stderr).toBe("");
        return `--image3=kind=elf,sm=${arch.slice(3)},file=${arch}.cubin`;
      });
      const ran = tool(
        "fatbinary",
        ["--create=k.fatbin", "-64", "--compress-all", `--compress-mode=${mode}`, ...images],
        {
          cwd: dir,
        },
      );
      expect(ran.stderr).toBe("");
      const file = new Uint8Array(readFileSync(join(dir, "k.fatbin")));
      const members = readFatbin(file);
      expect(members.ok && members.value.map((m) => `sm_${m.sm}`).sort()).toEqual([...arches].sort());
      const sizes = new Map(arches.map((a) => [a, readFileSync(join(dir, `${a}.cubin`))]));
      if (members.ok) for (const m of members.value) expect(m.size).toBe(sizes.get(`sm_${m.sm}` as "sm_75")!.length);
      const read = readCubins(file);
      expect(read.ok && read.value.length).toBe(3);
      if (read.ok) for (const f of read.value) expect(sizes.get(f.cubin.target as "sm_75")!.equals(f.bytes)).toBe(true);
    });
  });
});
