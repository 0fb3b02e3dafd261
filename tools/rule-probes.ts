/**
 * node tools/run-ts.cjs tools/rule-probes.ts: for each rule that is a text, whether it fires on its own left side, and whether the left side
 * as PTX, where PTX can say it, gives the same mnemonics as ptxas -O3 (needs the real tools; copies count as one however they are
 * written, comparisons as their opposite, loads, stores and constants not at all) with the first literals that meet its conditions, or with others
 * (up to six choices) on which the rule fires; how many do with the first is told, too. Of those that differ, how many of ours have fewer, as many and
 * more instructions: a rule that does more than ptxas makes fewer.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../lib/compile.js";
import { disassemble } from "../lib/disassemble.js";
import { readCubin } from "../lib/elf/index.js";
import { unwrap } from "../lib/result.js";
import type { Rule } from "../lib/rules/syntax.js";
import { textRules } from "../lib/rules/table.js";
import type { TargetName } from "../lib/target/index.js";
import { inScratch, tool } from "../test/oracle/tools.js";
import { type Bag, beyond, mnemonicsOf } from "./mnemonics.js";
import { firing, hitsOn, TRIES } from "./rules/fires.js";
import { ptxOf } from "./rules/ptx.js";
import { literalSamples } from "./rules/samples.js";
import { targetFor } from "./rules/targets.js";

const kernel = (name: string, body: string): string => `.visible .entry ${name}(.param .u64 in, .param .u64 out) {
  .reg .b32 a, b, c, d, i, z, t<20>; .reg .f32 v<20>; .reg .b64 n, o, w; .reg .pred p, q, x<20>;
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

interface Probe {
  readonly rule: Rule;
  /** Choices of literals, the first one taken as it is. */
  readonly choices: readonly ReadonlyMap<string, number>[];
}

interface Answer {
  readonly ours: string;
  readonly ptxas: string;
  /** Instructions less those of ptxas. */
  readonly more: number;
}

const sizeOf = (bag: Bag): number => [...bag.values()].reduce((n, k) => n + k, 0);

const headOf = (target: TargetName): string => `.version 8.6\n.target ${target}\n.address_size 64\n`;

/** ptxas takes the body: not every literal stands where a register does. */
function isPtx(target: TargetName, body: string): boolean {
  return inScratch((dir) => {
    writeFileSync(join(dir, "k.ptx"), headOf(target) + kernel("k", body));
    return tool("ptxas", [`-arch=${target}`, "-O0", "k.ptx", "-o", "k.cubin"], { cwd: dir }).status === 0;
  });
}

/** Our code and ptxas's of bodies. */
function answers(target: TargetName, bodies: readonly string[]): Answer[] {
  const head = headOf(target);
  const frame = "and.b32 z, a, b; st.global.u32 [o], z;";
  const text = head + kernel("frame", frame) + bodies.map((body, k) => kernel(`k${k}`, body)).join("");
  const made = compile(text, { target });
  if (made.cubin === null) throw new Error(made.diagnostics.map((d) => d.message).join("\n"));
  const theirs = inScratch((dir) => {
    writeFileSync(join(dir, "k.ptx"), text);
    const ran = tool("ptxas", [`-arch=${target}`, "-O3", "k.ptx", "-o", "k.cubin"], { cwd: dir });
    if (ran.status !== 0) throw new Error(ran.stderr);
    return codes(new Uint8Array(readFileSync(join(dir, "k.cubin"))));
  });
  const both = [codes(made.cubin), theirs];
  return bodies.map((_, k) => {
    const bags = both.map((c) => [c.get(`k${k}`) as Bag, c.get("frame") as Bag] as const);
    const [ours, ptxas] = bags.map(([bag, around]) => beyond(bag, around)) as [string, string];
    const [a, b] = bags.map(([bag, around]) => sizeOf(bag) - sizeOf(around)) as [number, number];
    return { ours, ptxas, more: a - b };
  });
}

const byTarget = new Map<TargetName, Probe[]>();
let [rules, fire, asked, same, first] = [0, 0, 0, 0, 0];
const others = { fewer: 0, "as many": 0, more: 0 };
for (const rule of textRules()) {
  rules++;
  // On sm_80 ptxas makes a constant of the frame by HFMA2.MMA, and takes turns.
  const target = rule.on.includes("hfma2Mma") ? "sm_90" : targetFor(rule);
  if (target === null) continue;
  const { fires } = firing(rule, target);
  if (fires) fire++;
  else console.log(`does not fire: ${rule.name}`);
  const choices = literalSamples(rule, TRIES);
  const probe = ptxOf(rule, choices[0] as ReadonlyMap<string, number>);
  if (probe === null || !isPtx(target, probe)) continue;
  byTarget.set(target, [...(byTarget.get(target) ?? []), { rule, choices }]);
}
for (const [target, probes] of byTarget) {
  asked += probes.length;
  const told = new Map<Rule, Answer>();
  for (let k = 0; k < TRIES; k++) {
    const open = probes.flatMap(({ rule, choices }) => {
      const literals = choices[k];
      const known = told.get(rule);
      if (literals === undefined || (known !== undefined && known.ours === known.ptxas)) return [];
      if (k > 0 && !hitsOn(rule, target, literals).has(rule.name)) return [];
      const body = ptxOf(rule, literals);
      return body === null || !isPtx(target, body) ? [] : [{ rule, body }];
    });
    if (open.length === 0) continue;
    const found = answers(
      target,
      open.map((o) => o.body),
    );
    open.forEach(({ rule }, n) => {
      const answer = found[n] as Answer;
      const equal = answer.ours === answer.ptxas;
      if (equal) same++;
      if (equal && k === 0) first++;
      if (equal || k === 0) told.set(rule, answer);
    });
  }
  for (const [rule, { ours, ptxas, more }] of told) {
    if (ours === ptxas) continue;
    const size = more < 0 ? "fewer" : more === 0 ? "as many" : "more";
    others[size]++;
    console.log(`${rule.name} (${target}, ${size}): ${ours} | ptxas ${ptxas}`);
  }
}
console.log(`${rules} rules that are texts; ${fire} fire on their left side`);
console.log(
  `${asked} of them as PTX: ${same} (${((100 * same) / asked).toFixed(1)} %) give the mnemonics of ptxas -O3, ${first} with the first literals`,
);
console.log(
  `of ${asked - same} others ${others.fewer} have fewer instructions, ${others["as many"]} as many, ${others.more} more`,
);
const good = same + others.fewer;
console.log(`the same or fewer: ${good} (${((100 * good) / asked).toFixed(1)} %)`);
