/**
 * Compilers of other makers that call `bin/ptxas` as they call ptxas: Triton, clang, GCC's nvptx. What they make with it is run in the simulator, or at
 * least taken. Each that is here is asked; tools/callers.ts says how to get the others.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Argument, simulate } from "../../lib/sim/index.js";

const root = resolve(__dirname, "../..");
const python = join(root, ".callers/bin/python");
const clangs = ["clang", ...Array.from({ length: 12 }, (_, i) => `clang-${25 - i}`)];

/** Where a caller works: an empty folder, and the ptxas that it is given, which writes down how it was called. */
export interface Workplace {
  readonly dir: string;
  readonly ptxas: string;
  readonly calls: () => readonly string[];
}

export interface Caller {
  readonly name: string;
  /** Null where it is here; else how to get it. */
  readonly missing: string | null;
  /** What comes out, case by case: "" where it is right, else what is not. */
  readonly run: (at: Workplace) => Readonly<Record<string, string>>;
}

export function workplace(dir: string): Workplace {
  const [ptxas, log] = [join(dir, "bin/ptxas"), join(dir, "calls")];
  mkdirSync(join(dir, "bin"));
  writeFileSync(log, "");
  writeFileSync(ptxas, `#!/bin/sh\necho "$*" >>'${log}'\nexec '${join(root, "bin/ptxas")}' "$@"\n`, { mode: 0o755 });
  return {
    dir,
    ptxas,
    calls: () =>
      readFileSync(log, "utf8")
        .split("\n")
        .filter((l) => l !== ""),
  };
}

const found = (command: string): boolean => spawnSync(command, ["--version"]).status === 0;

/** What a command complains of: "" where it ends well. */
function trouble(command: string, args: readonly string[], at: Workplace, env: NodeJS.ProcessEnv = {}): string {
  const r = spawnSync(command, args, { encoding: "utf8", cwd: at.dir, env: { ...process.env, ...env } });
  if (r.status === 0) return "";
  return `${command} ended with ${r.status ?? r.signal}: ${r.stderr.slice(-600)}`;
}

const compiledHere = (at: Workplace): string =>
  at.calls().some((c) => c.includes("gpu-name")) ? "" : "it did not call the ptxas it was given";

/** Runs a cubin, and compares what it leaves in the last buffer. */
function wrong(cubin: Uint8Array, kernel: string, launch: Launch, wanted: readonly number[]): string {
  const { grid, block, sharedBytes, params, out } = launch;
  const ran = simulate(cubin, { kernel, grid, block, sharedBytes, params });
  if (!ran.ok) return ran.diagnostics.map((d) => d.message).join("; ");
  if (ran.value.fault !== null) return ran.value.fault.message;
  const at = wanted.findIndex((w, i) => !(Math.abs(out[i]! - w) <= 1e-4 * Math.max(1, Math.abs(w))));
  return at < 0 ? "" : `${kernel}: result ${at} is ${out[at]}, not ${wanted[at]}`;
}

interface Launch {
  readonly grid: number;
  readonly block: number;
  readonly sharedBytes: number;
  readonly params: readonly Argument[];
  readonly out: Float32Array | Int32Array;
}

// ------------------------------------------------------------------------------------------------ Triton

const ROWS = 6;
const COLUMNS = 200;
const sum = (v: readonly number[]): number => v.reduce((a, b) => a + b, 0);

/** What the kernels of kernels.py compute of a row; `y` is the second operand's row. */
const rows: Readonly<Record<string, (x: readonly number[], y: readonly number[]) => number[]>> = {
  vector_add: (x, y) => x.map((v, i) => v + y[i]!),
  softmax: (x) => {
    const most = Math.max(...x);
    const all = sum(x.map((v) => Math.exp(v - most)));
    return x.map((v) => Math.exp(v - most) / all);
  },
  layer_norm: (x, y) => {
    const mean = sum(x) / x.length;
    const scale = 1 / Math.sqrt(sum(x.map((v) => (v - mean) ** 2)) / x.length + 1e-5);
    return x.map((v, i) => (v - mean) * scale * y[i]!);
  },
  reductions: (x) => [sum(x), Math.max(...x), x.indexOf(Math.max(...x)), sum(x.map((v, i) => (i % 2 === 0 ? v : -v)))],
};

function triton(at: Workplace, capability: number): Readonly<Record<string, string>> {
  const env = {
    TRITON_PTXAS_PATH: at.ptxas,
    TRITON_PTXAS_BLACKWELL_PATH: at.ptxas,
    TRITON_CACHE_DIR: join(at.dir, "cache"),
    TRITON_DEFAULT_FP_FUSION: "1",
  };
  const script = join(root, "tools/callers/kernels.py");
  const failed = trouble(python, [script, at.dir, `${capability}`], at, env) || compiledHere(at);
  if (failed !== "") return { [`sm_${capability}`]: failed };
  const made = JSON.parse(readFileSync(join(at.dir, "kernels.json"), "utf8")) as {
    readonly name: string;
    readonly warps: number;
    readonly shared: number;
  }[];
  const x = Float32Array.from({ length: ROWS * COLUMNS }, (_, i) => ((i * 37) % 101) / 8 - 5);
  const y = Float32Array.from({ length: ROWS * COLUMNS }, (_, i) => ((i * 53) % 89) / 16);
  return Object.fromEntries(
    made.map(({ name, warps, shared }) => {
      const one = name === "vector_add";
      const n = one ? ROWS * COLUMNS : COLUMNS;
      const out = new Float32Array(ROWS * COLUMNS);
      const wanted = Array.from({ length: one ? 1 : ROWS }, (_, r) =>
        rows[name]!([...x.subarray(r * n, (r + 1) * n)], [...y.subarray(0, n)]),
      ).flat();
      const grid = one ? Math.ceil(n / 256) : ROWS;
      // Two addresses of scratch memory follow, which these kernels do not use.
      const params = [x, y, out, { s32: n }, { u64: 0n }, { u64: 0n }];
      const cubin = new Uint8Array(readFileSync(join(at.dir, `${name}.cubin`)));
      const launch = { grid, block: 32 * warps, sharedBytes: shared, params, out };
      return [`sm_${capability} ${name}`, wrong(cubin, name, launch, wanted)];
    }),
  );
}

// ------------------------------------------------------------------------------------------------ clang

const INDIRECT = `
#define DEVICE __attribute__((device))
typedef int (*Op)(int, int);
DEVICE int plus(int a, int b) { return a + b; }
DEVICE int times(int a, int b) { return a * b; }
DEVICE int power(int a, int b) { return b <= 0 ? 1 : a * power(a, b - 1); }
DEVICE Op table[3] = {plus, times, power};
extern "C" __attribute__((global)) void apply(int *x, int n) {
  int i = __nvvm_read_ptx_sreg_tid_x() + __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
  if (i < n) x[i] = table[i % 3](x[i], i & 7);
}
`;

function clang(at: Workplace, command: string, options: readonly string[]): string {
  const source = join(at.dir, "indirect.cu");
  writeFileSync(source, INDIRECT);
  mkdirSync(join(at.dir, "cuda"), { recursive: true });
  const cuda = ["-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_75", "-nocudainc", "-nocudalib"];
  const paths = [`--cuda-path=${join(at.dir, "cuda")}`, `--ptxas-path=${at.ptxas}`, "-Wno-unknown-cuda-version"];
  const failed = trouble(command, [...cuda, ...paths, ...options, "-c", source, "-o", "indirect.o"], at);
  if (failed !== "" || compiledHere(at) !== "") return failed || compiledHere(at);
  const out = Int32Array.from({ length: 100 }, (_, i) => (i % 5) - 2);
  const wanted = [...out].map((v, i) => [v + (i & 7), v * (i & 7), v ** (i & 7)][i % 3]!);
  const launch = { grid: 4, block: 32, sharedBytes: 0, params: [out, { s32: 100 }], out };
  return wrong(new Uint8Array(readFileSync(join(at.dir, "indirect.o"))), "apply", launch, wanted);
}

// ------------------------------------------------------------------------------------------------ GCC

const OFFLOADED = `
static __attribute__((noinline)) int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static __attribute__((noinline)) double mean(const double *v, int n) { double s = 0; for (int i = 0; i < n; i++) s += v[i] / n; return s; }
int main(void) {
  int x[64]; double y[64];
  #pragma omp target teams distribute parallel for map(from: x, y)
  for (int i = 0; i < 64; i++) {
    double own[8];
    for (int k = 0; k < 8; k++) own[k] = i * k;
    x[i] = fibonacci(i % 12) * i;
    y[i] = mean(own, 1 + i % 8);
  }
  return x[63] == 126 && y[63] == 220.5 ? 0 : 1;
}
`;

function gcc(at: Workplace, options: readonly string[]): string {
  const source = join(at.dir, "offloaded.c");
  writeFileSync(source, OFFLOADED);
  const env = { PATH: `${join(at.dir, "bin")}:${process.env.PATH}` };
  const offload = ["-fopenmp", "-foffload=nvptx-none", "-foffload-options=nvptx-none=-misa=sm_75"];
  return trouble("gcc", [...options, ...offload, source, "-o", "offloaded"], at, env) || compiledHere(at);
}

export function callers(): readonly Caller[] {
  const llvm = clangs.find(found);
  return [
    {
      name: "Triton",
      missing: existsSync(python) ? null : "node tools/run-ts.cjs tools/callers.ts --setup",
      run: (at) => Object.assign({}, ...[75, 80, 90, 100, 120].map((sm) => triton(at, sm))) as Record<string, string>,
    },
    {
      name: "clang",
      missing: llvm === undefined ? "Debian: apt-get install clang" : null,
      run: (at) => ({
        "indirect calls, -O2": clang(at, llvm!, ["-O2"]),
        "indirect calls, -O0": clang(at, llvm!, ["-O0"]),
        "indirect calls, lines": clang(at, llvm!, ["-O2", "-g1"]),
      }),
    },
    {
      name: "GCC",
      missing: found("nvptx-none-as") ? null : "Debian: apt-get install gcc-offload-nvptx nvptx-tools",
      run: (at) => ({ "offloaded, -O0": gcc(at, ["-O0"]), "offloaded, -O2": gcc(at, ["-O2"]) }),
    },
  ];
}
