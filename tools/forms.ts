/**
 * What compiles of the forms that ptxas takes: `node tools/run-ts.cjs tools/forms.ts FAMILY [SM…] [--each N] [--list]`.
 *
 * The forms are the one-instruction kernels of `tools/harvest/kernels` whose tested line begins with FAMILY (a regular expression: `mma`,
 * `ldmatrix|stmatrix`, `cp.async.bulk`). Of those that ptxas -O3 takes: how many ours takes at -O2, how many have the same opcodes as often
 * (instructions of these families alone: copies, addresses and control flow aside), and how many leave the same memory after in the
 * simulator on the same random data. --list tells the rest.
 */
import { compile } from "../lib/compile.js";
import { disassemble } from "../lib/disassemble.js";
import { type Cubin, readCubin } from "../lib/elf/index.js";
import { unwrap } from "../lib/result.js";
import { Device } from "../lib/sim/index.js";
import { type TargetName, targetNames } from "../lib/target/index.js";
import { verifyCubin } from "../lib/verify.js";
import { numberOf, readArguments, smsOf, usage } from "./arguments.js";
import { compileKernels, moduleText, readBytes } from "./harvest/compile.js";
import { allKernels, type Kernel } from "./harvest/kernels/index.js";

const { values: options, positionals } = readArguments({
  each: { type: "string", default: "1" },
  list: { type: "boolean", default: false },
});
const [family, ...names] = positionals;
if (family === undefined) usage("no family: mma, ldmatrix, cp.async, mbarrier …");

const counted =
  /^([HIBQDO]MMA|[HIBQ]GMMA|LDSM|STSM|MOVM|LDGSTS|LDGDEPBAR|SYNCS|ARRIVES|ATOMS|UBLK\w+|UTMA\w+|STAS|REDAS|LDGMC|REDG|UCGABAR\w+|FENCE|F2FP|LDTM|STTM|UTC\w+|UGETNEXTWORKID|USTGR|UREDGR|UVIRTCOUNT|TEX|TLD|TLD4|TXD|TXQ|SULD|SUST|SURED)\b/;

/** Names of the instructions that count, sorted. */
function opcodes(cubin: Cubin, name: string): string {
  const f = disassemble(cubin).find((x) => x.name === name);
  return (f?.instructions ?? [])
    .map((i) => i.text.replace(/^@!?U?P\w+ /, "").split(" ")[0] as string)
    .filter((n) => counted.test(n))
    .sort()
    .join(" ");
}

/** Memory after a launch of one warp; an error text where it does not run. */
function memoryAfter(bytes: Uint8Array, name: string): Uint32Array | string {
  let x = 12345;
  const data = Uint32Array.from({ length: 4096 }, () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return ((x ^ (x >>> 15)) & 0x07ff07ff) >>> 0;
  });
  const device = new Device();
  const module = device.load(bytes);
  if (!module.ok) return "does not load";
  const run = device.launch(module.value, { kernel: name, block: 32, params: [data], maxInstructions: 100_000 });
  if (!run.ok) return run.diagnostics[0]?.message ?? "";
  return run.value.fault === null ? data : `${run.value.fault.kind}: ${run.value.fault.message}`;
}

interface Figures {
  taken: number;
  compiled: number;
  same: number;
  ran: number;
  equal: number;
  clean: number;
}

function judge(k: Kernel, sm: string, theirs: Uint8Array, cubin: Cubin, f: Figures): void {
  const tell = (what: string): void => {
    if (options.list) console.log(`  ${k.tested.slice(0, 130)}: ${what.slice(0, 200)}`);
  };
  f.taken++;
  const made = compile(moduleText([k], sm).text, { target: `sm_${sm}` as TargetName, opt: 2, verify: true });
  if (made.cubin === null) {
    tell(made.diagnostics[0]?.message ?? "refused");
    return;
  }
  f.compiled++;
  const own = unwrap(readCubin(made.cubin));
  if ((verifyCubin(own) ?? []).length === 0) f.clean++;
  else tell("hazards");
  const [a, b] = [opcodes(own, k.name), opcodes(cubin, k.name)];
  if (a === b) f.same++;
  else tell(`${a} | ptxas: ${b}`);
  const [ours, expected] = [memoryAfter(made.cubin, k.name), memoryAfter(theirs, k.name)];
  if (typeof expected === "string") return;
  f.ran++;
  const at = typeof ours === "string" ? 0 : ours.findIndex((x, i) => x !== expected[i]);
  if (at < 0) f.equal++;
  else tell(typeof ours === "string" ? ours : `word ${at} differs`);
}

/** Kernels asked for at once. */
const PART = 40;
/** The target with all that the SM has. */
const archOf = (sm: number): string => ((targetNames as readonly string[]).includes(`sm_${sm}a`) ? `${sm}a` : `${sm}`);

const asked = allKernels()
  .filter((k) => new RegExp(`(^|; )(${family})`).test(k.tested))
  .filter((_, i) => i % numberOf(options.each) === 0);
for (const number of smsOf(names)) {
  const sm = archOf(number);
  const f: Figures = { taken: 0, compiled: 0, same: 0, ran: 0, equal: 0, clean: 0 };
  for (let i = 0; i < asked.length; i += PART)
    compileKernels(asked.slice(i, i + PART), {
      sm,
      opt: "-O3",
      compiled: ({ cubin, kernels }) => {
        const bytes = readBytes(cubin);
        const read = unwrap(readCubin(bytes));
        for (const k of kernels) judge(k, sm, bytes, read, f);
      },
      refused: () => {},
    });
  console.log(
    `sm_${sm} ${family}: of ${f.taken} that ptxas takes ${f.compiled} compile, ${f.clean} without hazards, ` +
      `${f.same} with ptxas's opcodes; of ${f.ran} that run ${f.equal} leave the same memory`,
  );
}
