/** What is told of translated code is what closures tell: profiles, races, recorded traces of the corpus, and blocks of which some are recorded. */
import { compile } from "../../../lib/compile.js";
import { type EngineChoice, type LaunchOptions, type Run, runLaunchFile } from "../../../lib/sim/index.js";
import { type Column, TraceRecorder } from "../../../lib/sim/trace.js";
import { corpus, corpusPtx } from "../../corpus/cases.js";

const compiled = new Map<string, Uint8Array>();

function cubinOf(name: string): Uint8Array {
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const { cubin } = compile(corpusPtx(name as never, "sm_90"), { target: "sm_90", lineInfo: true });
  if (cubin === null) throw new Error("not compiled");
  compiled.set(name, cubin);
  return cubin;
}

/** The runs of a kernel's launches. */
function runs(name: string, engine: EngineChoice, more: () => Partial<LaunchOptions>): Run[] {
  const c = corpus.find((k) => k.name === name)!;
  const cubin = cubinOf(name);
  const all: Run[] = [];
  const done = runLaunchFile(cubin, c.launch, {
    readFile: () => null,
    launch: (device, module, options) => {
      const ran = device.launch(module, { ...options, engine, ...more() });
      if (ran.ok) all.push(ran.value);
      return ran;
    },
  });
  expect(done.status).toBe(0);
  return all;
}

const numbers = ({ data, length }: Column): Int32Array => data.slice(0, length);

/** All that recorders have, as plain data. */
function recorded(recorders: readonly TraceRecorder[]): unknown {
  return recorders.map(({ warps, accesses }) => [
    warps.map(({ block, index, pcs, accesses: touched }) => [block, index, numbers(pcs), numbers(touched)]),
    Object.values(accesses).map((column) => (typeof column === "boolean" ? column : numbers(column))),
  ]);
}

const names = corpus.map((c) => c.name);

test.each(names)("%s: the same profile", (name) => {
  const closures = runs(name, "closures", () => ({ profile: true }));
  expect(closures.length).toBeGreaterThan(0);
  expect(runs(name, "wasm", () => ({ profile: true }))).toEqual(closures);
});

test.each(names)("%s: the same findings", (name) => {
  const closures = runs(name, "closures", () => ({ races: true }));
  expect(runs(name, "wasm", () => ({ races: true }))).toEqual(closures);
});

test.each(names)("%s: the same trace", (name) => {
  const trace = (engine: EngineChoice): unknown => {
    const recorders: TraceRecorder[] = [];
    const made = runs(name, engine, () => {
      const tracer = new TraceRecorder(new Set([0, 2]));
      recorders.push(tracer);
      return { tracer };
    });
    return [made, recorded(recorders)];
  };
  const closures = trace("closures");
  expect(trace("wasm")).toEqual(closures);
  expect(trace("auto")).toEqual(closures);
});
