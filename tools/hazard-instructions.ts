/**
 * The hazard checker on ptxas's code for single PTX instructions: every kernel of the harvest (about 16,000), for every SM.
 * It reaches instructions and operand kinds that no compiled program uses.
 *
 *   node tools/run-ts.cjs tools/hazard-instructions.ts [90a …] [--levels=03] [--show=20] [--only=REGEX] [--every=N]
 *
 * At -O0 the control words are also chosen again by our rule and compared. `--only`: kernels whose PTX fits; `--every`: each Nth.
 * A finding says that the checker or a latency table is wrong, or is one of the named exceptions below; findings are counted by
 * kind, opcodes, register file and distances. Exit 0: every finding is explained.
 */
import { type Cubin, readCubin } from "../lib/elf/index.js";
import { type Finding, findingText } from "../lib/hazard/index.js";
import { decodeInst } from "../lib/sass/decode.js";
import { controlO0 } from "../lib/sched/index.js";
import { targetOfSm } from "../lib/target/index.js";
import { verifyCubin } from "../lib/verify.js";
import { compileKernels, readBytes } from "./harvest/compile.js";
import { allKernels } from "./harvest/kernels/index.js";

const option = (name: string, otherwise: string): string =>
  process.argv.find((a) => a.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise;
const named = process.argv.slice(2).filter((a) => !a.startsWith("--"));
const all = ["75", "80", "86", "87", "88", "89", "90a", "100a", "103a", "110a", "120a", "121a"];
/** Kernels in a file. */
const PART = 500;

interface Seen {
  count: number;
  readonly first: string;
  readonly ptx: string;
}

/** What ptxas itself does and no rule of the machine excuses. */
interface Exception {
  readonly name: string;
  readonly reason: string;
  fits(f: Finding, ptx: string): boolean;
}

const exceptions: readonly Exception[] = [
  {
    name: "empty fence",
    reason:
      "before sm_90 ptxas makes of fence.acquire and fence.release a word of zeros, which nvdisasm refuses as well",
    fits: (f, ptx) => f.kind === "unknown" && /^fence\.(?:acquire|release)\b/.test(ptx),
  },
  {
    name: "stack pointer at an indirect call",
    reason:
      "a kernel that does not use R1 itself loads it without a scoreboard, and calls what may use it without waiting: only the cycles in between help",
    fits: (f) => f.kind === "call" && f.register === "R1" && /^LDC R1, c\[0x0\]/.test(f.since?.text ?? ""),
  },
];

/** The control word's 21 bits: stall, yield, write, read, wait, reuse from bit 0 up. */
const controlBits = (words: Uint32Array, at: number): number => (words[at + 3]! >>> 9) & 0x1fffff;
/** Stall 1, no scoreboards: what ptxas adds after everything else is scheduled. */
const UNSCHEDULED = 0x7e1;

/** Instructions that ptxas puts before a kernel on sm_87 (ISETP of UR2, BRA, BMOV of all barriers, UMOV UR2). */
const PROLOGUE = 20;

/** What explains a control word of -O0 that our rule chooses otherwise; "" where nothing does. */
function explainedControl(theirs: number, ours: number, prologue: boolean): string {
  const wait = theirs >>> 11;
  if (prologue)
    return "sm_87 begins its kernels with code that clears the convergence barriers, with control words of its own";
  if (wait === 0)
    return "put in after ptxas's control pass: it waits for nothing (LDS and DEPBAR beside cp.async, WARPSYNC)";
  const sb = (word: number, at: number): number => (word >>> at) & 7;
  const fewer = [5, 8].every((at) => sb(theirs, at) === 7 || sb(theirs, at) === sb(ours, at));
  // Stall, yield, wait and reuse.
  if (fewer && (theirs | 0x7e0) === (ours | 0x7e0))
    return "our rule goes by opcode and sets a scoreboard more than ptxas (no register to read, or to write)";
  return "";
}

/** Control words of -O0 that our rule chooses otherwise, by form, and by what explains them. */
function otherControls(cubin: Cubin, found: Map<string, number>, explained: Map<string, number>): number {
  const target = targetOfSm(cubin.sm)!;
  let compared = 0;
  for (const f of cubin.functions)
    for (let at = 0; at + 3 < f.words.length; at += 4) {
      const theirs = controlBits(f.words, at);
      const inst = decodeInst(f.words, at, target);
      // Padding, and the branch to itself before it, stall for 0 cycles.
      if (inst === null || (theirs & 15) === 0 || (inst.form.name === "NOP" && theirs === UNSCHEDULED)) continue;
      const c = controlO0.control({ ...inst, control: null }, target);
      const ours = c.stall | (c.yield << 4) | (c.writeSb << 5) | (c.readSb << 8) | (c.wait << 11) | (c.reuse << 17);
      compared++;
      if (ours === theirs) continue;
      const why = explainedControl(theirs, ours, cubin.sm === 87 && at < 4 * PROLOGUE);
      if (why !== "") {
        explained.set(why, (explained.get(why) ?? 0) + 1);
        continue;
      }
      const key = `${inst.form.name}: ${theirs.toString(16)}, ours ${ours.toString(16)}`;
      found.set(key, (found.get(key) ?? 0) + 1);
    }
  return compared;
}

const only = new RegExp(option("only", ""));
const kernels = allKernels().filter((k, i) => i % Number(option("every", "1")) === 0 && only.test(k.tested));
let total = 0;
for (const sm of named.length > 0 ? named : all)
  for (const level of option("levels", "03")) {
    let [functions, clean, instructions] = [0, 0, 0];
    const seen = new Map<string, Seen>();
    const excused = new Map<Exception, number>();
    const others = new Map<string, number>();
    const explained = new Map<string, number>();
    let compared = 0;
    for (let i = 0; i < kernels.length; i += PART)
      compileKernels(kernels.slice(i, i + PART), {
        sm,
        opt: level === "0" ? "-O0" : "-O3",
        refused: () => {},
        compiled: ({ cubin: path, kernels: made }) => {
          const cubin = readCubin(readBytes(path));
          if (!cubin.ok) throw new Error(`${path}: unreadable`);
          if (level === "0") compared += otherControls(cubin.value, others, explained);
          const lines = new Map(made.map((k) => [k.name, k.tested]));
          const findings = verifyCubin(cubin.value)!;
          functions += cubin.value.functions.length;
          instructions += cubin.value.functions.reduce((n, f) => n + f.words.length / 4, 0);
          const bad = new Set(findings.map((f) => f.function));
          clean += cubin.value.functions.length - bad.size;
          for (const f of findings) {
            const exception = exceptions.find((e) => e.fits(f, lines.get(f.function) ?? ""));
            if (exception) {
              excused.set(exception, (excused.get(exception) ?? 0) + 1);
              continue;
            }
            const text = findingText(f);
            const opcodes = [f.since, f.at].map((site) => site?.text.replace(/^@\S+ /, "").split(/[. ]/)[0] ?? "");
            const key = `${f.kind} ${opcodes.join(" → ")} ${f.register.replace(/\d+/, "")} ${f.actual ?? ""} of ${f.required ?? ""}`;
            const known = seen.get(key);
            if (known) known.count++;
            else seen.set(key, { count: 1, first: `${key}: ${text}`, ptx: lines.get(f.function) ?? "" });
          }
        },
      });
    const found = [...seen.values()].sort((a, b) => b.count - a.count);
    total += found.length + others.size;
    console.log(`sm_${sm} -O${level}: ${clean} of ${functions} functions clean, ${instructions} instructions`);
    const sum = (m: ReadonlyMap<string, number>): number => [...m.values()].reduce((n, k) => n + k, 0);
    if (level === "0")
      console.log(`    control words of our -O0 rule: ${sum(others) + sum(explained)} of ${compared} differ`);
    for (const [why, n] of explained) console.log(`        ${n} explained: ${why}`);
    for (const [key, n] of [...others].sort(([, a], [, b]) => b - a).slice(0, Number(option("show", "20"))))
      console.log(`        ${n}: ${key}`);
    for (const [e, n] of excused) console.log(`    ${n} explained, ${e.name}: ${e.reason}`);
    for (const f of found.slice(0, Number(option("show", "20"))))
      console.log(`    ${f.count}: ${f.first}\n        ${f.ptx}`);
  }
console.log(total === 0 ? "every finding is explained" : `${total} kinds of findings are not explained`);
process.exitCode = total === 0 ? 0 : 1;
