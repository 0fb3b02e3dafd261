/**
 * The clock of a GPU as an objective. One process per GPU (clock.py: Python's standard library and libcuda, started with the
 * first question) loads cubins, checks their results against the launch file, and times them in turn with the base. What is told
 * is microseconds of one run of all launches of the file between two events, part of a row of such runs on fresh buffers each;
 * median and least of the repetitions, and the median of the ratios to the base in the same repetition, which the drift of the
 * GPU's clock leaves alone.
 *
 * Only cubins in which the hazard checker finds nothing are sent; a wrong result, a fault or a hang is the outcome of that code
 * alone: the rest goes on in a new process.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { diagnostic } from "../../diagnostics.js";
import { type Cubin, readCubin } from "../../elf/index.js";
import { fail, ok, type Result } from "../../result.js";
import { type LaunchFile, parseLaunchFile } from "../../sim/index.js";
import { verifyCubin } from "../../verify.js";
import { besides, type Place, pathIn } from "../files.js";
import type { Candidate, Judgement, Objective } from "../objective.js";
import { median, quantile, spread } from "../statistics.js";
import type { ClockSettings, Measured } from "../types.js";
import { type JobLaunch, jobOf, launchesOf } from "./job.js";
import { type Answer, LineProcess } from "./process.js";

export interface ClockOptions extends ClockSettings {
  /**
   * How the process is started; the number of the device is added. Default: `python3` on clock.py. Its files need nothing else, so
   * they also run at the other end of an ssh connection.
   */
  readonly command?: readonly string[];
}

/** The file of the process; the same from lib/ and from dist/. */
const script: string = resolve(__dirname, "../../../lib/experiment/clock/clock.py");
/** Seconds that the driver may take to start. */
const START = 60;
/** Repetitions that do not count (case.py), and how much slower than the base a code may be before it is held to hang. */
const WARM_UP = 5;
const SLOWER = 4;

/** Stops a judgement with what is told of it. */
class NotJudged extends Error {}

function stop(why: string): never {
  throw new NotJudged(why);
}

interface Gpu {
  readonly card: string;
  readonly driver: string;
  readonly process: LineProcess;
}

/** The launches and the base that the process holds, how many runs it takes in a row, how long it may take over a code. */
interface Opened {
  readonly key: string;
  readonly inARow: number;
  readonly seconds: number;
}

/** Judges candidates by a GPU's clock: microseconds, each beside the base. Fails where there is no GPU. */
export function clock(options: ClockOptions = {}): Objective {
  return new Clock(options);
}

class Clock implements Objective {
  readonly name = "clock";
  private gpu: Gpu | null = null;
  private opened: Opened | null = null;
  /** Bases that cannot be one, and why. */
  private readonly unfit = new Map<string, string>();
  private readonly files = new Map<string, { readonly key: string; readonly file: LaunchFile }>();
  /** One question at a time. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly device: number;
  private readonly repetitions: number;
  private readonly inARow: number;
  private readonly seconds: number;
  private readonly command: readonly string[];

  constructor({ device = 0, repetitions = 30, inARow = 20, seconds = 20, command }: ClockOptions) {
    this.device = device;
    this.repetitions = repetitions;
    this.inARow = inARow;
    this.seconds = seconds;
    this.command = command ?? ["python3", "-B", script];
  }

  async open(): Promise<Result<string>> {
    const gpu = await this.inTurn(() => this.start());
    if (!gpu.ok) return gpu;
    const { card, driver } = gpu.value;
    return ok(JSON.stringify(["clock", card, driver, this.repetitions, this.inARow]));
  }

  judge(candidate: Candidate): Promise<Judgement> {
    return this.inTurn(() => this.judgeNow(candidate));
  }

  async close(): Promise<void> {
    await this.inTurn(async () => this.forget());
  }

  private inTurn<T>(what: () => Promise<T>): Promise<T> {
    const done = this.last.then(what);
    this.last = done.catch(() => {});
    return done;
  }

  private forget(): void {
    this.gpu?.process.stop();
    this.gpu = null;
    this.opened = null;
  }

  private async start(): Promise<Result<Gpu>> {
    if (this.gpu?.process.alive) return ok(this.gpu);
    this.forget();
    const process = new LineProcess([...this.command, String(this.device)]);
    const said = await process.ask(null, START);
    const { card, driver, unusable } = said as Answer;
    if (typeof card === "string" && typeof driver === "string") {
      this.gpu = { card, driver, process };
      return ok(this.gpu);
    }
    process.stop();
    const why = "ended" in said ? said.ended : unusable;
    return fail([diagnostic("error", `the clock needs a GPU, its driver (libcuda.so.1) and python3: ${why}`)]);
  }

  private async judgeNow(candidate: Candidate): Promise<Judgement> {
    try {
      return await this.measure(candidate);
    } catch (e) {
      if (!(e instanceof NotJudged)) throw e;
      return { outcome: e.message, results: "not run", estimated: null, measured: null };
    }
  }

  private async measure(candidate: Candidate): Promise<Judgement> {
    const { cubin: bytes, base, launch, place, hazards } = candidate;
    const cubin = safe(bytes, hazards);
    const { key, file } = this.launchFile(place, launch);
    const launches = launchesOf(file, cubin);
    if (typeof launches === "string") stop(`${launch}: ${launches}`);
    const baseHash = base === null ? null : hash(base);
    const wanted = JSON.stringify([key, launches, baseHash]);
    const unfit = this.unfit.get(wanted);
    if (unfit !== undefined) stop(unfit);
    const gpu = await this.start();
    if (!gpu.ok) stop(gpu.diagnostics[0]!.message);
    const { inARow, seconds } =
      this.opened?.key === wanted ? this.opened : await this.take(wanted, candidate, file, launches);
    const said = await this.ask({ cubin: base64(bytes), repetitions: this.repetitions }, seconds);
    if (wrongIn(said).length > 0) return { outcome: "ok", results: "different", estimated: null, measured: null };
    const { card, driver } = gpu.value;
    const measured = { card, driver, inARow, baseHash, ...figures(said) };
    return { outcome: "ok", results: "as expected", estimated: null, measured };
  }

  /** Gives the process launches and a base for the questions that follow. */
  private async take(
    key: string,
    { base, launch }: Candidate,
    file: LaunchFile,
    launches: readonly JobLaunch[],
  ): Promise<Opened> {
    const job = jobOf(file, launches);
    if (typeof job === "string") stop(`${launch}: ${job}`);
    this.opened = null;
    try {
      if (base !== null) safe(base, null);
      const question = { job, base: base === null ? null : base64(base), inARow: this.inARow };
      const said = await this.ask(question, this.seconds);
      const wrong = wrongIn(said);
      if (wrong.length > 0) stop(`different results: ${wrong.join("; ")}`);
      const inARow = Number(said.inARow);
      const all = 2e-6 * Number(said.once) * inARow * (this.repetitions + WARM_UP);
      this.opened = { key, inARow, seconds: this.seconds + SLOWER * all };
      return this.opened;
    } catch (e) {
      if (!(e instanceof NotJudged)) throw e;
      const why = `the base: ${e.message}`;
      this.unfit.set(key, why);
      return stop(why);
    }
  }

  private async ask(question: Answer, seconds: number): Promise<Answer> {
    const said = await this.gpu!.process.ask(question, seconds);
    if ("refused" in said) stop(String(said.refused));
    if (!("ended" in said) && !("fault" in said)) return said;
    this.forget();
    return stop(String("ended" in said ? said.ended : said.fault));
  }

  private launchFile(place: Place, name: string): { readonly key: string; readonly file: LaunchFile } {
    const path = pathIn(place, name);
    const text = readFileSync(path, "utf8");
    const key = JSON.stringify([path, hash(text)]);
    const known = this.files.get(path);
    if (known?.key === key) return known;
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch (e) {
      return stop(`${name}: ${(e as SyntaxError).message}`);
    }
    const file = parseLaunchFile(json, (p) => readFileSync(pathIn(place, besides(name, p))));
    if (typeof file === "string") return stop(`${name}: ${file}`);
    const made = { key, file };
    this.files.set(path, made);
    return made;
  }
}

const hash = (what: string | Uint8Array): string => createHash("sha256").update(what).digest("hex");
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const wrongIn = (said: Answer): readonly string[] => said.wrong as readonly string[];

/** The cubin, where it may run. */
function safe(bytes: Uint8Array, hazards: number | null): Cubin {
  const read = readCubin(bytes);
  if (!read.ok) return stop(read.diagnostics[0]!.message);
  const found = hazards ?? verifyCubin(read.value)?.length;
  if (found === undefined) return stop(`${read.value.target}: the hazard checker does not know this target`);
  return found === 0 ? read.value : stop(`${found} findings of the hazard checker`);
}

/** Enough digits for what an event can tell. */
const rounded = (x: number): number => Number(x.toPrecision(6));

function figures(said: Answer): Omit<Measured, "card" | "driver" | "inARow" | "baseHash"> {
  const times = said.candidate as readonly number[];
  const base = said.base as readonly number[] | undefined;
  const middle = median(times);
  const ratios = times.map((t, i) => t / (base === undefined ? middle : base[i]!));
  return {
    clockMhz: said.clockMhz as number | null,
    repetitions: times.length,
    median: rounded(middle),
    least: quantile(times, 0),
    ratio: base === undefined ? null : rounded(median(ratios)),
    spread: rounded(spread(ratios)),
  };
}
