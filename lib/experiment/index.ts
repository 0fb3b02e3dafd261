/** Experiments: sweeps over inputs, targets, options, knobs and orders; search for better orders; tables of results. */
export { type BootstrapOptions, type Interval, pairedBootstrap } from "./bootstrap.js";
export { type ClockOptions, clock } from "./clock/clock.js";
export { type ExecuteOptions, execute, utilisation, type Work } from "./executor.js";
export type { Place } from "./files.js";
export { type Disagreement, disagreements, type Manifest, obstacles } from "./manifest.js";
export { movesText } from "./moves.js";
export { lacks, type Machine, machineHere, type Needs, needsText } from "./needs.js";
export { type Candidate, type Judgement, model, type Objective, scoreOf } from "./objective.js";
export { featureWeights, movesOf, orderSpace } from "./orders.js";
export { type Aim, paretoFront } from "./pareto.js";
export { pointId } from "./point.js";
export { type Provenance, provenance } from "./provenance.js";
export { type QueryOptions, type SqlRow, type SqlValue, table } from "./query.js";
export type { QueueOptions, WorkerInfo } from "./queue/connection.js";
export { serveQueue, type WorkerOptions } from "./queue/worker.js";
export { hash32, unit } from "./random.js";
export { type Reordered, reorderCubin } from "./reorder.js";
export { type SearchOptions, type SearchResult, search } from "./search.js";
export {
  type Factor,
  type FactorValue,
  type MorrisDesign,
  type MorrisEffect,
  morris,
  morrisDesign,
  type Setting,
  type SobolDesign,
  type SobolIndex,
  sobol,
  sobolDesign,
} from "./sensitivity.js";
export { objectiveOf, pointsOf, readSweep } from "./spec.js";
export {
  type Dimension,
  type Halving,
  type Judge,
  type Round,
  type Space,
  type StudyOptions,
  type StudyResult,
  study,
  successiveHalving,
  type Trial,
} from "./study.js";
export {
  type Merged,
  mergeShards,
  type SweepDone,
  type SweepOptions,
  type SweepResult,
  sweep,
  sweepToTable,
} from "./sweep.js";
export { readJournal, readTable, writeTable } from "./table.js";
export { type KeptThreads, keepThreads } from "./threads.js";
export type {
  Budget,
  Chosen,
  ClockSettings,
  Estimated,
  Measured,
  Move,
  Point,
  Row,
  SweepInput,
  SweepSpec,
} from "./types.js";
export {
  bisect,
  type Culprit,
  launchRunner,
  NotValidated,
  type PhaseVerdict,
  type Runner,
  type RunOutcome,
  type ValidateOptions,
  type Validation,
  type Verdict,
  validate,
} from "./validation.js";
