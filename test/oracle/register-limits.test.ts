/**
 * Register limits: a kernel with many live values is compiled under all kinds of directives and
 * options; ptxas's "Used N registers" and its messages must be those of `registerLimit`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderDiagnostic } from "../../lib/diagnostics";
import { noBounds } from "../../lib/ori/index";
import type { LaunchBounds } from "../../lib/ori/types";
import { adjustRegisterOption, registerLimit } from "../../lib/regalloc/index";
import { target as targetOf } from "../../lib/target/index";
import type { TargetName } from "../../lib/target/types";
import { describeOracle, inScratch, tool } from "./tools";

/** Values alive at once; limits above what they need cannot be told from none. */
const LIVE = 110;

function kernel(arch: string, bounds: Partial<LaunchBounds>): string {
  const shape = (name: string, s: readonly number[] | null | undefined): string =>
    s ? `.${name} ${s.join(", ")}\n` : "";
  const scalar = (name: string, n: number | undefined): string => (n ? `.${name} ${n}\n` : "");
  const lines = [".version 9.0", `.target ${arch}`, ".address_size 64", ".visible .entry k(.param .u64 p)"];
  lines.push(
    shape("maxntid", bounds.maxntid) +
      shape("reqntid", bounds.reqntid) +
      scalar("minnctapersm", bounds.minnctapersm) +
      scalar("maxnreg", bounds.maxnreg) +
      "{",
  );
  lines.push(`.reg .f32 %f<${LIVE}>;`, ".reg .b64 %a;", "ld.param.u64 %a, [p];");
  for (let i = 0; i < LIVE; i++) lines.push(`ld.global.f32 %f${i}, [%a+${4 * i}];`);
  lines.push("bar.sync 0;");
  for (let i = 0; i < LIVE; i++) lines.push(`st.global.f32 [%a+${4 * ((i * 7) % LIVE)}], %f${i};`);
  lines.push("ret;", "}", "");
  return lines.join("\n");
}

interface Case {
  readonly arch: TargetName;
  readonly bounds: Partial<LaunchBounds>;
  readonly option?: number;
  readonly override?: boolean;
}

const launches: readonly Partial<LaunchBounds>[] = [
  {},
  { maxntid: [1024, 1, 1] },
  { maxntid: [2048, 1, 1] },
  { maxntid: [4096, 1, 1] },
  { maxntid: [4096, 1, 1], minnctapersm: 2 },
  { maxntid: [32, 1, 1], minnctapersm: 16 },
  { maxntid: [32, 1, 1], minnctapersm: 32 },
  { maxntid: [33, 1, 1], minnctapersm: 24 },
  { maxntid: [1024, 1, 1], minnctapersm: 2 },
  { maxntid: [16, 16, 2], minnctapersm: 3 },
  { reqntid: [128, 1, 1], minnctapersm: 12 },
  { maxntid: [128, 1, 1], minnctapersm: 17 },
  { maxnreg: 10 },
  { maxnreg: 40 },
  { maxnreg: 300 },
  { maxntid: [512, 1, 1], minnctapersm: 4, maxnreg: 40 },
  { maxntid: [512, 1, 1], minnctapersm: 4, maxnreg: 28 },
  { maxntid: [1024, 1, 1], maxnreg: 100 },
];

const options: readonly Partial<Case>[] = [
  {},
  { option: 10 },
  { option: 48 },
  { option: 300 },
  { option: 60, override: true },
];

function ours(c: Case): { registers: number; messages: string[] } {
  const t = targetOf(c.arch);
  const adjusted = c.option === undefined ? null : adjustRegisterOption(t, c.option);
  const limit = registerLimit(
    "k",
    t,
    { ...noBounds(), ...c.bounds },
    {
      ...(adjusted && { maxrregcount: adjusted.value }),
      ...(c.override && { overrideDirectives: true }),
    },
  );
  const messages = [...(adjusted?.diagnostics ?? []), ...limit.diagnostics].map((d) => renderDiagnostic(d, "k.ptx"));
  return { registers: limit.registers, messages };
}

function theirs(c: Case, dir: string): { registers: number; messages: string[] } {
  const source = join(dir, "k.ptx");
  writeFileSync(source, kernel(c.arch, c.bounds));
  const args = ["-v", "-O0", `-arch=${c.arch}`, source, "-o", join(dir, "k.cubin")];
  if (c.option !== undefined) args.push("-maxrregcount", String(c.option));
  if (c.override) args.push("-override-directive-values");
  const { stderr, stdout } = tool("ptxas", args);
  const text = stderr + stdout;
  const used = /Used (\d+) registers/.exec(text);
  if (used === null) throw new Error(text);
  const messages = text.split("\n").filter((l) => /out of range|adjusting|Too (big|many)|Overriding/.test(l));
  return { registers: Number(used[1]), messages: messages.map((l) => l.trimEnd()) };
}

describeOracle("register limits are those of ptxas", () => {
  for (const arch of ["sm_75", "sm_86", "sm_90", "sm_100"] as const) {
    const tried = arch === "sm_90" ? options : options.slice(0, 2);
    test(`${arch}: ${launches.length * tried.length} combinations`, () => {
      const wrong: unknown[] = [];
      inScratch((dir) => {
        const most = theirs({ arch, bounds: {} }, dir).registers;
        for (const bounds of launches) {
          for (const o of tried) {
            const c: Case = { arch, bounds, ...o };
            const limit = ours(c);
            const a = { ...limit, registers: Math.min(most, limit.registers) };
            const b = theirs(c, dir);
            if (JSON.stringify(a) !== JSON.stringify(b)) wrong.push({ case: c, ours: a, theirs: b });
          }
        }
      });
      expect(wrong).toEqual([]);
    });
  }
});
