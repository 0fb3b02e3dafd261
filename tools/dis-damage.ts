/**
 * Damaged and hostile files through every view of `ptxlab dis`:
 *
 *     node tools/run-ts.cjs tools/dis-damage.ts [--files 10000] [--seed 1]
 *
 * Originals: ptxas's executables and relocatable objects, with and without debug information, fat binaries in every
 * compression mode, an object of nvcc with one embedded (where there is a host compiler), and cubins of our own. Each file is
 * one of them cut off, with bits flipped, with numbers of its headers set to extremes, or with pieces moved. What must not happen:
 * an exception, a failure without a message, more than --seconds (default 10) for a file, memory that grows without end.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ptxlab } from "../lib/cli/index.js";
import { compile } from "../lib/compile.js";
import { corpusPtx, corpusTargets } from "../test/corpus/cases.js";
import { type Random, random } from "../test/corpus/random.js";
import { tool } from "../test/oracle/tools.js";

const views = [
  [],
  ["--control"],
  ["--lines"],
  ["--live"],
  ["--cfg"],
  ["--html"],
  ["--data"],
  ["--source"],
  ["--info"],
  ["--asm"],
  ["--json"],
];

interface Original {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const kernel = `__constant__ float k[4]; __device__ int hits;
__device__ __noinline__ float f(float x) { return x > 1 ? f(x / 2) + k[1] : k[0]; }
__global__ void g(float* p) { p[threadIdx.x] = f(p[threadIdx.x]); atomicAdd(&hits, 1); }`;

function originals(dir: string): Original[] {
  const out: Original[] = [];
  const run = (name: Parameters<typeof tool>[0], args: readonly string[]): boolean =>
    tool(name, args, { cwd: dir }).status === 0;
  const take = (name: string, file: string): void => {
    out.push({ name, bytes: new Uint8Array(readFileSync(join(dir, file))) });
  };
  for (const arch of corpusTargets) {
    writeFileSync(join(dir, "k.ptx"), corpusPtx("switch_table", arch));
    for (const flags of [["-O3"], ["-c"], ["-lineinfo"], ["-O0", "-c"]])
      if (run("ptxas", [`-arch=${arch}`, ...flags, "k.ptx", "-o", `${arch}.cubin`]))
        take(`ptxas ${flags.join(" ")} ${arch}`, `${arch}.cubin`);
    out.push({ name: `ours ${arch}`, bytes: compile(corpusPtx("saxpy", arch), { target: arch, opt: 0 }).cubin! });
  }
  const images = corpusTargets.map((arch) => `--image3=kind=elf,sm=${arch.slice(3)},file=${arch}.cubin`);
  for (const mode of ["none", "speed", "size"])
    if (run("fatbinary", ["--create=k.fatbin", "-64", "--compress-all", `--compress-mode=${mode}`, ...images]))
      take(`fat binary ${mode}`, "k.fatbin");
  writeFileSync(join(dir, "k.cu"), kernel);
  if (run("nvcc", ["-c", "-rdc=true", "-arch=sm_90", "k.cu", "-o", "k.o"])) take("host object", "k.o");
  else console.log("no host object: nvcc finds no host compiler");
  return out;
}

const extremes = [0, 1, 0x7f, 0x80, 0xff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff];

function damaged(original: Uint8Array, r: Random): Uint8Array {
  let bytes = original.slice(0, r.below(5) === 0 ? r.below(original.length) : original.length);
  const v = new DataView(bytes.buffer);
  // Section headers stand at the end of a cubin, the file header in front.
  const place = (n: number): number => {
    const region = r.below(3);
    if (region === 0) return r.below(Math.max(1, Math.min(128, bytes.length - n)));
    return region === 1 ? Math.max(0, bytes.length - n - r.below(2048)) : r.below(Math.max(1, bytes.length - n));
  };
  for (let n = r.below(6); n >= 0 && bytes.length > 8; n--) {
    const at = place(8);
    switch (r.below(5)) {
      case 0:
        v.setUint32(at, extremes[r.below(extremes.length)]!, true);
        break;
      case 1:
        v.setBigUint64(at & ~7, BigInt(extremes[r.below(extremes.length)]!) << BigInt(8 * r.below(5)), true);
        break;
      case 2:
        bytes[at] = bytes[at]! ^ (1 << r.below(8));
        break;
      case 3:
        bytes[at] = r.below(256);
        break;
      default:
        bytes.copyWithin(at, place(64), place(64) + r.below(64));
    }
  }
  if (r.below(20) === 0) bytes = Uint8Array.from([...bytes, ...bytes.subarray(0, r.below(4096))]);
  return bytes;
}

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    seconds: { type: "string", default: "10" },
    keep: { type: "string" },
  },
});

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), "ptxlab-"));
  const all = originals(dir);
  rmSync(dir, { recursive: true, force: true });
  let [shown, refused, bad, slowest, most] = [0, 0, 0, 0, 0];
  for (let k = 0; k < Number(values.files); k++) {
    const r = random(Number(values.seed) * 1_000_003 + k);
    const original = all[k % all.length]!;
    const view = views[Math.floor(k / all.length) % views.length]!;
    const bytes = damaged(original.bytes, r);
    let [printed, complaint] = [0, ""];
    const host = {
      read: () => bytes,
      isDirectory: () => false,
      write: () => false,
      out: (text: string) => {
        printed += text.length;
      },
      err: (text: string) => {
        complaint += text;
      },
    };
    const start = process.hrtime.bigint();
    let wrong = "";
    try {
      const status = await ptxlab(["dis", ...view, "k"], host);
      if (status === 0) shown++;
      else if (status === 2 && complaint !== "") refused++;
      else wrong = `status ${String(status)}: ${complaint}`;
    } catch (e) {
      wrong = e instanceof Error ? (e.stack ?? e.message) : String(e);
    }
    const seconds = Number(process.hrtime.bigint() - start) / 1e9;
    slowest = Math.max(slowest, seconds);
    most = Math.max(most, printed);
    if (seconds > Number(values.seconds)) wrong ||= `${seconds.toFixed(1)} seconds`;
    if (wrong === "") continue;
    bad++;
    if (bad <= 10) console.log(`${original.name} ${view.join(" ")} (file ${k}): ${wrong}`);
    if (values.keep === undefined) continue;
    mkdirSync(values.keep, { recursive: true });
    writeFileSync(join(values.keep, `${k}.bin`), bytes);
  }
  const memory = process.resourceUsage().maxRSS / 1024;
  console.log(
    `${values.files} files of ${all.length} originals: ${shown} shown, ${refused} refused with a message, ${bad} wrong; ` +
      `slowest ${slowest.toFixed(2)} s, most printed ${(most / 1e6).toFixed(1)} MB, memory at most ${memory.toFixed(0)} MiB`,
  );
  if (bad > 0) process.exitCode = 1;
}

void main();
