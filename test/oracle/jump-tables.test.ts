/** Our tables as ptxas has them: section, attribute, and, in objects, what nvlink makes of them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../lib/compile.js";
import { type CubinFunction, infoWords, readCubin } from "../../lib/elf/index.js";
import { unwrap } from "../../lib/result.js";
import { simulate } from "../../lib/sim/index.js";
import { corpusTargets } from "../corpus/cases.js";
import { describeOracle, inScratch, tool } from "./tools.js";

const arms = (table: string, numbers: readonly number[], to: string): string =>
  numbers.map((n, i) => `${table}${i}: mad.lo.s32 %v, %v, 7, ${n}; bra ${to};`).join(" ");
const ptx = (target: string): string => `.version 9.0
.target ${target}
.address_size 64
.visible .entry k(.param .u64 out) { .reg .b32 %a, %b, %v, %t; .reg .b64 %o, %z;
ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %z, %t, 4; add.s64 %o, %o, %z; ld.global.u32 %v, [%o];
and.b32 %a, %t, 3; shr.u32 %b, %t, 3;
ta: .branchtargets A0, A1, A0, J;
tb: .branchtargets B0, B1, B2, B3;
brx.idx %a, ta; ${arms("A", [3, 5], "J")}
J: st.global.u32 [%o+128], %v; brx.idx %b, tb; ${arms("B", [2, 4, 6, 8], "K")}
K: st.global.u32 [%o], %v; ret; }
`;

const step = (v: number, n: number): number => (Math.imul(v, 7) + n) >>> 0;
const wanted = Array.from({ length: 32 }, (_, t) => {
  const v = (t & 3) === 3 ? t : step(t, (t & 3) === 1 ? 5 : 3);
  return step(v, 2 + 2 * (t >> 3));
});

function results(cubin: Uint8Array): number[] {
  const words = Uint32Array.from({ length: 64 }, (_, i) => i);
  const run = unwrap(simulate(cubin, { kernel: "k", block: 32, params: [words], maxInstructions: 100_000 }));
  expect(run.fault).toBeNull();
  return [...words.slice(0, 32)];
}

/** Places of the tables and numbers of their targets; the words as places in the list of targets in order of address. */
function tables(f: CubinFunction): unknown {
  const bank = new Uint32Array((f.constant2 as Uint8Array).slice().buffer);
  const order = [...new Set(bank)].sort((a, b) => a - b);
  const words = infoWords(f.info.find((r) => r.name === "INDIRECT_BRANCH_TARGETS")!);
  const branches: number[][] = [];
  for (let at = 0; at < words.length; at += 3 + words[at + 2]!)
    branches.push(words.slice(at + 3, at + 3 + words[at + 2]!).map((w) => order.indexOf(w)));
  return { bank: [...bank].map((w) => order.indexOf(w)), branches };
}

describeOracle("jump tables", () => {
  test.each(corpusTargets.flatMap((t) => [0, 3].map((opt) => [t, opt] as const)))("%s -O%i", (target, opt) => {
    inScratch((dir) => {
      writeFileSync(join(dir, "k.ptx"), ptx(target));
      const made = tool("ptxas", [`-arch=${target}`, `-O${opt}`, "k.ptx", "-o", "k.cubin"], { cwd: dir });
      expect(made.stderr).toBe("");
      const theirs = unwrap(readCubin(new Uint8Array(readFileSync(join(dir, "k.cubin"))))).functions[0]!;
      const ours = compile(ptx(target), { target, opt }).cubin as Uint8Array;
      expect(tables(unwrap(readCubin(ours)).functions[0]!)).toEqual(tables(theirs));
      expect(results(ours)).toEqual(wanted);

      const object = compile(ptx(target), { target, opt, relocatable: true }).cubin as Uint8Array;
      writeFileSync(join(dir, "k.o"), object);
      const linked = tool("nvlink", [`-arch=${target}`, "k.o", "-o", "linked.cubin"], { cwd: dir });
      expect([linked.status, linked.stderr]).toEqual([0, ""]);
      expect(results(new Uint8Array(readFileSync(join(dir, "linked.cubin"))))).toEqual(wanted);
    });
  });
});
