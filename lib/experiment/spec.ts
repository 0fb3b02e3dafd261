/** Sweep files: read, judged, spread out into points. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { readKnobs } from "../knobs/index.js";
import { policyNamed, schedulePolicies } from "../sched/index.js";
import { isTargetName } from "../target/index.js";
import { clock } from "./clock/clock.js";
import { needsProblem } from "./needs.js";
import { model, type Objective } from "./objective.js";
import type { Move, Point, SweepInput, SweepSpec } from "./types.js";

const KEYS = [
  "name",
  "inputs",
  "targets",
  "levels",
  "maxRegisters",
  "knobs",
  "policies",
  "shuffles",
  "objective",
  "budget",
  "needs",
];
const BUDGET = ["instructions", "cycles", "seconds", "memory"];
const CLOCK = ["device", "repetitions", "inARow", "seconds"];

const isObject = (x: unknown): x is Record<string, unknown> => typeof x === "object" && x !== null && !Array.isArray(x);
const isList = <T>(x: unknown, of: (e: unknown) => e is T): x is T[] => Array.isArray(x) && x.length > 0 && x.every(of);
const isText = (x: unknown): x is string => typeof x === "string";
const isWhole = (x: unknown): x is number => typeof x === "number" && Number.isInteger(x) && x >= 0;

/** A sweep of parsed JSON, or what is wrong with it. `folder` is where its paths start. */
export function readSweep(json: unknown, folder: string): SweepSpec | string {
  if (!isObject(json)) return "a sweep is an object";
  const strange = Object.keys(json).find((k) => !KEYS.includes(k));
  if (strange !== undefined) return `unknown field "${strange}": a sweep has ${KEYS.join(", ")}`;
  const { name, inputs, targets, levels, maxRegisters, knobs, policies, shuffles, objective, budget, needs } = json;
  if (!isText(name)) return "name: wants a text";
  if (!isList(inputs, isObject)) return "inputs: wants a list of objects";
  for (const [i, input] of inputs.entries()) {
    const problem = inputProblem(input, folder);
    if (problem !== "") return `inputs[${i}]: ${problem}`;
  }
  if (targets !== undefined && !isList(targets, isText)) return "targets: wants a list of names";
  const target = (targets as string[] | undefined)?.find((t) => !isTargetName(t));
  if (target !== undefined) return `targets: no such target ${target}`;
  if (levels !== undefined && !isList(levels, isWhole)) return "levels: wants a list of numbers";
  if (maxRegisters !== undefined && !isList(maxRegisters, isWhole)) return "maxRegisters: wants a list of numbers";
  if (knobs !== undefined) {
    if (!isObject(knobs)) return "knobs: wants an object of lists";
    for (const [k, v] of Object.entries(knobs)) {
      if (!Array.isArray(v) || v.length === 0) return `knobs.${k}: wants a list of values`;
      const read = v.map((value) => readKnobs({ [k]: value as string | number | boolean })).find((r) => !r.ok);
      if (read !== undefined) return `knobs.${k}: ${read.diagnostics[0]?.message}`;
    }
  }
  if (policies !== undefined && !isList(policies, isText)) return "policies: wants a list of names";
  const policy = (policies as string[] | undefined)?.find((p) => p !== "keep" && p !== "control" && !policyNamed(p));
  if (policy !== undefined)
    return `policies: no policy ${policy}; there are keep, control, ${schedulePolicies.map((p) => p.name).join(", ")}`;
  if (shuffles !== undefined && !(isObject(shuffles) && isList(shuffles.seeds, isWhole) && isWhole(shuffles.reach)))
    return "shuffles: wants { seeds: [numbers], reach: number }";
  if (budget !== undefined) {
    const said = `wants whole numbers from 1 for some of ${BUDGET.join(", ")}`;
    if (!isObject(budget)) return `budget: ${said}`;
    for (const [k, v] of Object.entries(budget))
      if (!BUDGET.includes(k) || !isWhole(v) || v === 0) return `budget.${k}: ${said}`;
  }
  const lacking = needsProblem(needs);
  if (lacking !== "") return `needs: ${lacking}`;
  const judge = objectiveProblem(objective);
  if (judge !== "") return `objective: ${judge}`;
  return json as unknown as SweepSpec;
}

function objectiveProblem(objective: unknown): string {
  if (objective === undefined || objective === "model" || objective === "clock") return "";
  const wanted = `wants "model", "clock" or { "clock": { ${CLOCK.join(", ")} } }`;
  if (!isObject(objective) || !isObject(objective.clock) || Object.keys(objective).length !== 1) return wanted;
  for (const [name, value] of Object.entries(objective.clock)) {
    if (!CLOCK.includes(name)) return wanted;
    if (!isWhole(value) || (value === 0 && name !== "device")) return `clock.${name}: wants a whole number`;
  }
  return "";
}

/** Who judges the points of a sweep: a value of its own for each call, to be closed. */
export function objectiveOf({ objective = "model" }: Pick<SweepSpec, "objective">): Objective {
  if (objective === "model") return model;
  return clock(objective === "clock" ? {} : objective.clock);
}

/**
 * What tells rows of a sweep that is judged on a queue from others, null for the timing model. Which card measures is its worker's affair and stands
 * in the row; the id holds what was asked.
 */
export function queueKey({ objective = "model" }: Pick<SweepSpec, "objective">): string | null {
  if (objective === "model") return null;
  const { device = null, repetitions = null, inARow = null } = objective === "clock" ? {} : objective.clock;
  return JSON.stringify(["clock on a queue", device, repetitions, inARow]);
}

function inputProblem(input: Record<string, unknown>, folder: string): string {
  const { ptx, cubin, launch, needs } = input;
  const lacking = needsProblem(needs);
  if (lacking !== "") return `needs: ${lacking}`;
  if ((ptx === undefined) === (cubin === undefined)) return "wants either ptx or cubin";
  for (const path of [ptx, cubin, launch]) {
    if (path === undefined) continue;
    if (!isText(path)) return "paths are texts";
    if (statSync(resolve(folder, path), { throwIfNoEntry: false })?.isFile() !== true) return `cannot read '${path}'`;
  }
  return "";
}

/** All points of a sweep, in the order of its lists. */
export function pointsOf(spec: SweepSpec, folder: string): Point[] {
  const points = spec.inputs.flatMap((input) =>
    input.ptx === undefined ? cubinPoints(spec, input) : ptxPoints(spec, input, folder),
  );
  const { budget, needs } = spec;
  return points.map((p) => {
    const wanted = p.input.needs ?? needs;
    return { ...p, ...(budget !== undefined && { budget }), ...(wanted !== undefined && { needs: wanted }) };
  });
}

function ptxPoints(spec: SweepSpec, input: SweepInput, folder: string): Point[] {
  const text = readFileSync(resolve(folder, input.ptx!), "latin1");
  const own = /^\s*\.target\s+(sm_\w+)/m.exec(text)?.[1] ?? "sm_75";
  let knobs: Record<string, string | number | boolean>[] = [{}];
  for (const [name, values] of Object.entries(spec.knobs ?? {}))
    knobs = knobs.flatMap((k) => values.map((v) => ({ ...k, [name]: v })));
  const points: Point[] = [];
  for (const target of spec.targets ?? [own])
    for (const level of spec.levels ?? [3])
      for (const maxRegisters of spec.maxRegisters ?? [0])
        for (const k of knobs) points.push({ input, target, level, maxRegisters, knobs: k, moves: null });
  return points;
}

function cubinPoints(spec: SweepSpec, input: SweepInput): Point[] {
  const at = (moves: readonly Move[] | null): Point => ({
    input,
    target: "",
    level: 0,
    maxRegisters: 0,
    knobs: {},
    moves,
  });
  const policies = spec.policies ?? (spec.shuffles === undefined ? ["keep"] : []);
  const named = policies.map((p) => at(p === "keep" ? null : p === "control" ? [] : [{ policy: p }]));
  const { seeds = [], reach = 0 } = spec.shuffles ?? {};
  return [...named, ...seeds.map((seed) => at([{ shuffle: seed, reach, share: 1 }]))];
}
