import type { CubinFunction } from "../../lib/elf/index.js";
import { tableFor } from "../../lib/isa/compiled.js";
import { decodeInst, renderInst } from "../../lib/sass/index.js";
import { GridMachine } from "../../lib/sim/machine.js";
import { GlobalMemory } from "../../lib/sim/memory.js";
import { programOf } from "../../lib/sim/prepare.js";
import { Random } from "../../lib/sim/random.js";
import { target } from "../../lib/target/index.js";

/**
 * Whatever the machine code is, the simulator ends with a result or a fault: random field values in every opcode of the
 * table, each instruction run by a warp, in a program that may also jump to it again.
 */
test.each(["sm_75", "sm_90", "sm_100"] as const)("random instructions of %s neither throw nor hang", (name) => {
  const sm = target(name);
  const random = new Random(sm.sm);
  const opcodes = tableFor(sm.isa).opcodes;
  const exit = new Uint32Array([0x0000794d, 0, 0x03800000, 0x000fea00]);
  const last = decodeInst(exit, 0, sm)!;
  expect(renderInst(last)).toContain("EXIT");
  const kinds = new Map<string, number>();
  let ran = 0;
  for (const opcode of opcodes)
    for (let i = 0; i < 12; i++) {
      const words = Uint32Array.from({ length: 4 }, () => random.word());
      words[0] = ((words[0]! & ~0xffff) | (opcode & 0xfff) | 0x7000) >>> 0;
      words[2] = ((words[2]! & ~(1 << 27)) | ((opcode >> 12) << 27)) >>> 0;
      const inst = decodeInst(words, 0, sm);
      if (inst === null) continue;
      const insts = [inst, last, last, last];
      const cubin = { name: "k", ranges: [], ptxLines: [] } as unknown as CubinFunction;
      const global = new GlobalMemory();
      global.allocate(4096);
      const machine = new GridMachine({
        program: programOf(sm, [{ cubin, first: 0, count: insts.length }], insts),
        kernel: "k",
        entry: 0,
        global,
        banks: [new Int32Array(1024)],
        grid: [1, 1, 1],
        block: [32, 1, 1],
        cluster: [1, 1, 1],
        sharedBytes: 4096,
        dynamicShared: 0,
        sharedReserved: 0,
        budget: 200,
        profile: false,
      });
      try {
        const run = machine.run();
        ran++;
        const kind = run.fault?.kind ?? "none";
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      } catch (e) {
        throw new Error(`${renderInst(inst)}: ${(e as Error).stack}`);
      }
    }
  expect(ran).toBeGreaterThan(1000);
  expect(kinds.get("none")).toBeGreaterThan(300);
});
