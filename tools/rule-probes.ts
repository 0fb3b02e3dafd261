/**
 * node tools/run-ts.cjs tools/rule-probes.ts: for each rule that is a text, whether it fires on its own left side, and whether the left side
 * as PTX, where PTX can say it, gives the same mnemonics as ptxas -O3 (needs the real tools; copies count as one however they are
 * written, comparisons as their opposite, loads, stores and constants not at all). Of those that differ, how many of ours have fewer, as many and
 * more instructions: a rule that does more than ptxas makes fewer.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { disassemble } from "../lib/disassemble.js";
import { readCubin } from "../lib/elf/index.js";
import { unwrap } from "../lib/result.js";
import { textRules } from "../lib/rules/table.js";
import type { TargetName } from "../lib/target/index.js";
import { inScratch, tool } from "../test/oracle/tools.js";
import { type Bag, beyond, mnemonicsOf } from "./mnemonics.js";
import { firing } from "./rules/fires.js";
import { ptxOf } from "./rules/ptx.js";
import { literalSamples } from "./rules/samples.js";
import { targetFor } from "./rules/targets.js";

const kernel = (name: string, body: string): string => `.visible .entry ${name}(.param .u64 in, .param .u64 out) {
  .reg .b32 a, b, c, d, i, z, t<20>; .reg .b64 n, o, w; .reg .pred p, q, x<20>;
  ld.param.u64 n, [in]; ld.param.u64 o, [out]; mov.u32 i, %tid.x; mul.wide.u32 w, i, 32; add.s64 n, n, w; add.s64 o, o, w;
  ld.global.v4.u32 {a, b, c, d}, [n]; setp.lt.s32 p, c, d; setp.eq.s32 q, b, d;
  ${body}
  ret; }
`;

const branch = /^BRA/;

function codes(cubin: Uint8Array): Map<string, Bag> {
  return new Map(
    disassemble(unwrap(readCubin(cubin))).map((f) => [
      f.name,
      mnemonicsOf(f.instructions.map((i) => i.text).filter((t) => !branch.test(t.replace(/^@!?U?P\d+ /, "")))),
    ]),
  );
}

const byTarget = new Map<TargetName, { name: string; body: string }[]>();
let [rules, fire, asked, same] = [0, 0, 0, 0];
const others = { fewer: 0, "as many": 0, more: 0 };
const sizeOf = (bag: Bag): number => [...bag.values()].reduce((n, k) => n + k, 0);
for (const rule of textRules()) {
  rules++;
  const target = targetFor(rule);
  if (target === null) continue;
  const { fires } = firing(rule, target);
  if (fires) fire++;
  else console.log(`does not fire: ${rule.name}`);
  const body = ptxOf(rule, literalSamples(rule, 1)[0] as ReadonlyMap<string, number>);
  if (body === null) continue;
  byTarget.set(target, [...(byTarget.get(target) ?? []), { name: rule.name, body }]);
}
for (const [target, probes] of byTarget) {
  const head = `.version 8.6\n.target ${target}\n.address_size 64\n`;
  const frame = "and.b32 z, a, b; st.global.u32 [o], z;";
  const text = head + kernel("frame", frame) + probes.map((p, k) => kernel(`k${k}`, p.body)).join("");
  const made = compile(text, { target });
  if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  const theirs = inScratch((dir) => {
    writeFileSync(join(dir, "k.ptx"), text);
    const ran = tool("ptxas", [`-arch=${target}`, "-O3", "k.ptx", "-o", "k.cubin"], { cwd: dir });
    if (ran.status !== 0) throw new Error(ran.stderr);
    return codes(new Uint8Array(readFileSync(join(dir, "k.cubin"))));
  });
  const ours = codes(made.cubin);
  probes.forEach((p, k) => {
    asked++;
    const bags = [ours, theirs].map((c) => [c.get(`k${k}`) as Bag, c.get("frame") as Bag] as const);
    const [x, y] = bags.map(([bag, around]) => beyond(bag, around));
    if (x === y) same++;
    else {
      const [a, b] = bags.map(([bag, around]) => sizeOf(bag) - sizeOf(around)) as [number, number];
      const size = a < b ? "fewer" : a === b ? "as many" : "more";
      others[size]++;
      console.log(`${p.name} (${target}, ${size}): ${x} | ptxas ${y}`);
    }
  });
}
console.log(`${rules} rules that are texts; ${fire} fire on their left side`);
console.log(
  `${asked} of them as PTX: ${same} (${((100 * same) / asked).toFixed(1)} %) give the mnemonics of ptxas -O3`,
);
console.log(
  `of ${asked - same} others ${others.fewer} have fewer instructions, ${others["as many"]} as many, ${others.more} more`,
);
const good = same + others.fewer;
console.log(`the same or fewer: ${good} (${((100 * good) / asked).toFixed(1)} %)`);
