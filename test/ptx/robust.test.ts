import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { analyze, equalModules, parse, print } from "../../lib/ptx/index.js";
import { random } from "../corpus/random.js";

/** Nothing that is fed to the front end makes it throw, and what it accepts it can print and read again. */
function survives(text: string): void {
  const r = analyze(text, { target: "sm_90", file: "x.ptx" });
  if (!r.ok) expect(r.diagnostics.some((d) => d.severity === "error" || d.severity === "fatal")).toBe(true);
  const p = parse(text);
  if (!p.ok) return;
  const again = parse(print(p.value));
  expect(again.ok && equalModules(p.value, again.value)).toBe(true);
}

const HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n";
const WORDS: readonly string[] = (
  ".entry .func .visible .reg .global .param .u32 .b8 .f64 .v2 .align .pragma .loc .section .branchtargets .callprototype .attribute .pred " +
  "k %r1 %r<4> $L: _ add.u32 ld.global.v4.f32 setp.lt.and.s32 mov call bra ret tex.2d.v4.f32.f32 mma.sync { } ( ) [ ] < > ; , : ! | + - * / % ? = @ " +
  '0 1 08 0x 0xffU 1.5 0f3F800000 0d3FF0000000000000 99999999999999999999 "s" // /* */ . .. :: \\n'
).split(" ");

test("any string", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), survives), { seed: 1, numRuns: 400 });
});

test("any sequence of tokens, in a function and outside", () => {
  const tokens = fc.array(fc.constantFrom(...WORDS), { maxLength: 60 }).map((w) => w.join(" ").replaceAll("\\n", "\n"));
  fc.assert(
    fc.property(tokens, fc.boolean(), (t, inside) => survives(inside ? `${HEAD}.entry k()\n{\n${t}\n}\n` : HEAD + t)),
    {
      seed: 2,
      numRuns: 1500,
    },
  );
});

test("seeded damage to the corpus", () => {
  const folder = join(__dirname, "../corpus/ptx/sm_90");
  const texts = readdirSync(folder)
    .filter((f) => f.endsWith(".ptx"))
    .map((f) => readFileSync(join(folder, f), "latin1"));
  const r = random(3);
  for (let n = 0; n < 600; n++) {
    let t = texts[r.below(texts.length)] as string;
    for (let k = 1 + r.below(4); k > 0; k--) {
      const at = r.below(t.length);
      const piece = [String.fromCharCode(r.below(128)), WORDS[r.below(WORDS.length)] as string, ""][
        r.below(3)
      ] as string;
      t = t.slice(0, at) + piece + t.slice(at + r.below(12));
    }
    survives(t);
  }
});

test.each([
  ["blocks", "{".repeat(100_000)],
  ["parentheses", `mov.u32 %r1, ${"(".repeat(100_000)}`],
  ["signs", `mov.u32 %r1, ${"- ".repeat(100_000)}1;`],
  ["conditionals", `mov.u32 %r1, ${"1?".repeat(100_000)}`],
  ["digits", `mov.u32 %r1, ${"9".repeat(200_000)};`],
  ["comments", "/*/".repeat(50_000)],
  ["modifiers", `mov${".u32".repeat(50_000)} %r1, 1;`],
  ["modifiers apart", `mov${" .u32".repeat(50_000)} %r1, 1;`],
])("deep or long input ends: %s", (_name, text) => {
  survives(`${HEAD}.entry k()\n{\n${text}\n}\n`);
  survives(`${HEAD}.global .u32 x = ${text};`);
});
