/**
 * ptxas's objects for linking (-c) with tables of branches: the words of a table stand in constant bank 2 as in an executable,
 * but where code reads them is a relocation. Moved and scheduled anew they are linked by nvlink, and compute what they should.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCubin } from "../../lib/elf/index.js";
import { encodeLifted, liftCubin, replaceCode } from "../../lib/lift/index.js";
import { reschedule } from "../../lib/reschedule.js";
import { unwrap } from "../../lib/result.js";
import { runLaunchFile } from "../../lib/sim/index.js";
import { verifyCubin } from "../../lib/verify.js";
import { corpus, corpusPtx, corpusTargets, type LaunchFile } from "../corpus/cases.js";
import { insertNops } from "../lift/nops.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const cases = ["a", "b", "c", "d"];
const multiply = (table: number): string =>
  cases.map((c, i) => `${c}${table}: mad.lo.s32 %r3, %r3, ${7 * i + 11 * table}, ${i};\nbra e${table};`).join("\n");
/** Two tables: the symbol of the second does not stand where the bank begins. */
const twoTables = (target: string): string => `.version 9.0
.target ${target}
.address_size 64
.visible .entry two(.param .u64 out) {
.reg .b32 %r<8>; .reg .b64 %rd<4>;
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd1, %rd1, %rd2;
ld.global.u32 %r3, [%rd1];
and.b32 %r4, %r1, 3;
t1: .branchtargets a1, b1, c1, d1;
brx.idx %r4, t1;
${multiply(1)}
e1: st.global.u32 [%rd1+128], %r3;
shr.u32 %r5, %r1, 2;
and.b32 %r5, %r5, 3;
t2: .branchtargets d2, c2, b2, a2;
brx.idx %r5, t2;
${multiply(2)}
e2: st.global.u32 [%rd1], %r3;
ret;
}
`;

function twoLaunch(): LaunchFile {
  const input = Array.from({ length: 32 }, (_, t) => 1000 - 37 * t);
  const first = input.map((x, t) => x * (7 * (t & 3) + 11) + (t & 3));
  const second = first.map((x, t) => {
    const i = 3 - ((t >> 2) & 3);
    return x * (7 * i + 22) + i;
  });
  return {
    buffers: { out: { type: "s32", values: [...input, ...input] } },
    launches: [{ kernel: "two", grid: [1], block: [32], params: [{ buffer: "out" }] }],
    expect: { out: { values: [...second, ...first] } },
  };
}

describeOracle("ptxas's objects with tables of branches", () => {
  const launch = corpus.find((c) => c.name === "switch_table")!.launch;
  const runs = corpusTargets.flatMap((target) => [0, 3].map((level) => [target, level] as const));
  test.each(runs)("%s -O%i", (target, level) => {
    const sources = [
      { ptx: corpusPtx("switch_table", target), launch, tables: 1 },
      { ptx: twoTables(target), launch: twoLaunch(), tables: 2 },
    ];
    inScratch((dir) => {
      for (const source of sources) {
        writeFileSync(join(dir, "k.ptx"), source.ptx);
        const made = tool("ptxas", [`-arch=${target}`, `-O${level}`, "-c", "-o", "k.o", "k.ptx"], { cwd: dir });
        expect(made.stderr).toBe("");
        const bytes = new Uint8Array(readFileSync(join(dir, "k.o")));
        const cubin = unwrap(readCubin(bytes));
        expect(verifyCubin(cubin)).toEqual([]);
        const lifted = unwrap(liftCubin(cubin));
        expect(lifted.map((l) => [l.pinned, l.tables.length])).toEqual([[[], source.tables]]);
        for (const l of lifted) expect(encodeLifted(l).words).toEqual(l.source.words);
        expect(Buffer.from(unwrap(replaceCode(bytes, lifted))).equals(Buffer.from(bytes))).toBe(true);

        lifted.forEach(insertNops);
        const objects = {
          longer: unwrap(replaceCode(bytes, lifted)),
          kept: unwrap(reschedule(bytes, { order: "keep", controls: "new" })).bytes,
          rescheduled: unwrap(reschedule(bytes)).bytes,
        };
        for (const [name, object] of Object.entries(objects)) {
          writeFileSync(join(dir, "new.o"), object);
          const linked = tool("nvlink", [`-arch=${target}`, "new.o", "-o", "new.cubin"], { cwd: dir });
          expect([name, linked.status, linked.stderr]).toEqual([name, 0, ""]);
          const executable = new Uint8Array(readFileSync(join(dir, "new.cubin")));
          const options = { ...source.launch, maxInstructions: 5_000_000 };
          const result = runLaunchFile(executable, options, { readFile: () => null });
          expect([name, result.status === 0 ? "" : result.lines.join("\n")]).toEqual([name, ""]);
          // What nvlink makes moves in its turn: it reads 0x8000 before the table.
          const again = unwrap(liftCubin(unwrap(readCubin(executable))));
          expect(again.map((l) => [l.pinned, l.tables.length])).toEqual([[[], source.tables]]);
        }
      }
    });
  });
});
