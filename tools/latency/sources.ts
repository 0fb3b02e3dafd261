/** Where observations come from: chain kernels, random programs, the test corpus, CUDA units, and folders of cubins. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCubin } from "../../lib/elf/index.js";
import { dependences, fileNames } from "../../lib/isa/latency/index.js";
import { targetOfSm } from "../../lib/target/index.js";
import type { Sm } from "../../lib/target/table.js";
import { generate, ptxText } from "../../test/fuzz/program.js";
import { chainHead, vocabularyOf, Walker } from "./chains.js";
import { directedKernels } from "./directed.js";
import { cellId, concerns, readSights, readStated } from "./evidence.js";
import { type Code, type Kept, Observations } from "./observations.js";
import { observe } from "./observe.js";
import { archOf, cache, compile, compileKernels, root } from "./ptxas.js";
import { cellsOf } from "./rules.js";

const KERNELS = 6;
const STEPS = 110;

export interface ChainOptions {
  readonly modules: number;
  readonly seed: number;
  readonly progress: (done: number, of: number) => void;
  /** Directed kernels go for all cells, not for those only that rest on less than a stall of their own. */
  readonly every?: boolean;
  /** Directed kernels go for cells of these ports (`FILE port`) alone; all when left out or empty. */
  readonly ports?: readonly string[];
}

/** Walks through PTX operations, each needing the one before or, in every other module, an older one; at -O3 and -O1. */
export function fromChains(sm: number, { modules, seed, progress }: ChainOptions): Observations {
  const arch = archOf(sm);
  const obs = new Observations();
  const walker = new Walker(vocabularyOf(arch), seed);
  for (let m = 0; m < modules; m++) {
    const kernels = Array.from({ length: KERNELS }, (_, k) =>
      walker.kernel(`c${m}_${k}`, STEPS, m % 2 === 0 ? "chain" : "mesh"),
    );
    for (const opt of [3, 1]) {
      const { cubin, ptx } = compileKernels(chainHead(arch), kernels, arch, opt);
      if (cubin) addCubin(cubin, obs, { ptx, arch, opt });
    }
    progress(m + 1, modules);
  }
  return obs;
}

/** Chain kernels for the cells that no stall has shown yet, or for all; at -O3 and -O1. */
function fromDirected(sm: number, { modules, seed, progress, every = false, ports = [] }: ChainOptions): Observations {
  const arch = archOf(sm);
  const obs = new Observations();
  const among = new Set(ports);
  const wanted = wantedCells(sm as Sm, every).filter((id) => among.size === 0 || concerns(among, id));
  const kernels = directedKernels(sm, vocabularyOf(arch), wanted, { seed, tries: modules });
  for (let k = 0; k < kernels.length; k += KERNELS) {
    for (const opt of [3, 1]) {
      const { cubin, ptx } = compileKernels(chainHead(arch), kernels.slice(k, k + KERNELS), arch, opt);
      if (cubin) addCubin(cubin, obs, { ptx, arch, opt });
    }
    progress(Math.min(kernels.length, k + KERNELS), kernels.length);
  }
  return obs;
}

/** All cells, or those that rest on less than a stall of their own. */
function wantedCells(sm: Sm, every: boolean): string[] {
  const evidence = { sights: readSights(), stated: readStated() };
  return fileNames.flatMap((file) =>
    dependences.flatMap((kind) =>
      [...cellsOf(evidence, file, kind)].flatMap(([key, cells]) => {
        const cell = cells.get(sm);
        if (cell === undefined || (cell.status === "tight" && !every)) return [];
        const [later, earlier] = key.split(" ");
        return [cellId(kind, file, earlier!, later!)];
      }),
    ),
  );
}

function addPtx(ptx: string, sm: number, opt: number, into: Observations): void {
  const { cubin } = compile(ptx, `sm_${sm}`, opt);
  if (cubin) addCubin(cubin, into, { ptx, arch: `sm_${sm}`, opt });
}

function addCubin(bytes: Uint8Array, into: Observations, asked: Code["asked"] = null): void {
  const c = readCubin(bytes);
  if (!c.ok) throw new Error(c.diagnostics.map((d) => d.message).join("; "));
  const t = targetOfSm(c.value.sm);
  if (!t) throw new Error(`cubin for sm_${c.value.sm}`);
  for (const f of c.value.functions) observe(f.words, t, into, { name: f.name, asked });
}

/** Programs of a module: a random program is about as long as a chain kernel. */
const PROGRAMS = 6;

/** Random programs with branches and loops, at -O3 and -O1. */
function fromRandom(sm: number, { modules, seed, progress }: ChainOptions): Observations {
  const obs = new Observations();
  for (let m = 0; m < modules; m++) {
    for (let k = 0; k < PROGRAMS; k++)
      for (const opt of [3, 1]) {
        addPtx(ptxText(generate(seed * 100_000 + m * PROGRAMS + k), `sm_${sm}`), sm, opt, obs);
      }
    progress(m + 1, modules);
  }
  return obs;
}

/** CUDA units that use much of the language, as PTX of the newest architecture that the SM takes. At -O1 and -O3. */
function fromUnits(sm: number, progress: (done: number, of: number) => void): Observations {
  const obs = new Observations();
  const files = templates(join(root, "tools", "hazard"), [100, 90, 75].find((v) => v <= sm)!);
  for (const [i, file] of files.entries()) {
    for (const opt of [1, 3]) {
      addPtx(readFileSync(file, "utf8"), sm, opt, obs);
    }
    progress(i + 1, files.length);
  }
  return obs;
}

/** PTX that nvcc made: of the test corpus, and of CUDA's templates where the headers are. At -O1, -O2 and -O3. */
function fromCorpus(sm: number, progress: (done: number, of: number) => void): Observations {
  const obs = new Observations();
  const versions = [75, 90, 100].filter((v) => v <= sm);
  const files: string[] = [];
  for (const v of versions) {
    const dir = join(root, "test", "corpus", "ptx", `sm_${v}`);
    if (existsSync(dir)) for (const f of readdirSync(dir).sort()) files.push(join(dir, f));
    files.push(...templates(join(__dirname, "kernels"), v));
  }
  let done = 0;
  for (const file of files) {
    for (const opt of [1, 2, 3]) {
      addPtx(readFileSync(file, "utf8"), sm, opt, obs);
    }
    progress(++done, files.length);
  }
  return obs;
}

/** PTX of a folder's CUDA files for a virtual architecture; none without nvcc or the headers. */
function templates(dir: string, version: number): string[] {
  const site = readdirSync(join(root, ".oracle", "lib")).find((d) => d.startsWith("python"));
  const include = join(root, ".oracle", "lib", site ?? "", "site-packages", "nvidia", "cu13", "include");
  const nvcc = join(root, ".oracle", "bin", "nvcc");
  if (!existsSync(join(include, "cccl")) || !existsSync(nvcc)) return [];
  const out: string[] = [];
  mkdirSync(join(cache, "ptx"), { recursive: true });
  for (const f of readdirSync(dir)
    .filter((x) => x.endsWith(".cu"))
    .sort()) {
    // A unit that needs a newer architecture names it.
    if (version < Number(/compute_(\d+)/.exec(readFileSync(join(dir, f), "utf8"))?.[1] ?? 0)) continue;
    const ptx = join(cache, "ptx", `${f.replace(/\.cu$/, "")}.${version}.ptx`);
    if (!existsSync(ptx)) {
      const options = ["-std=c++17", "--extended-lambda", "--expt-relaxed-constexpr", "-ptx"];
      const args = [...options, `-arch=compute_${version}`, `-I${join(include, "cccl")}`, `-I${include}`];
      const r = spawnSync(nvcc, [...args, join(dir, f), "-o", ptx], { encoding: "utf8" });
      if (r.status !== 0) throw new Error(`${f}: ${r.stderr.slice(0, 400)}`);
    }
    out.push(ptx);
  }
  return out;
}

/** All cubins below a folder that are for this SM. */
function fromFolder(sm: number, folder: string): Observations {
  const obs = new Observations();
  const walk = (dir: string): void => {
    for (const name of readdirSync(dir).sort()) {
      const path = join(dir, name);
      if (statSync(path).isDirectory()) walk(path);
      else if (name.endsWith(".cubin")) {
        const bytes = new Uint8Array(readFileSync(path));
        if (bytes.length > 64 && smOf(bytes) === sm) addCubin(bytes, obs);
      }
    }
  };
  walk(folder);
  return obs;
}

function smOf(bytes: Uint8Array): number {
  return bytes[0x31]!;
}

const fileOf = (sm: number, source: string): string => join(cache, "observed", `sm_${sm}.${source}.json`);

export function keep(sm: number, source: string, obs: Observations): void {
  mkdirSync(join(cache, "observed"), { recursive: true });
  writeFileSync(fileOf(sm, source), JSON.stringify(obs.kept()));
}

export function kept(sm: number, source: string): Kept | null {
  const f = fileOf(sm, source);
  return existsSync(f) ? (JSON.parse(readFileSync(f, "utf8")) as Kept) : null;
}

export const sources = ["chain", "directed", "corpus", "units", "random", "folder"] as const;
export type Source = (typeof sources)[number];

export function isSource(name: string): name is Source {
  return (sources as readonly string[]).includes(name);
}

export function observeSource(
  sm: number,
  source: Source,
  options: ChainOptions & { readonly folder: string },
): Observations {
  switch (source) {
    case "chain":
      return fromChains(sm, options);
    case "directed":
      return fromDirected(sm, options);
    case "random":
      return fromRandom(sm, options);
    case "corpus":
      return fromCorpus(sm, options.progress);
    case "units":
      return fromUnits(sm, options.progress);
    case "folder":
      return fromFolder(sm, options.folder);
    default:
      return source satisfies never;
  }
}
