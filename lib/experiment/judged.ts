/** Rows judged by an objective that is asked in this thread, one code after the other, while the threads make the next. */
import { contentOf, type Place } from "./files.js";
import type { Objective } from "./objective.js";
import { load, type Ran, runPoint } from "./point.js";
import type { Point, Row } from "./types.js";

export class Judge {
  private readonly bases = new Map<string, Promise<Uint8Array | null>>();

  constructor(
    private readonly objective: Objective,
    private readonly key: string,
    private readonly place: Place,
  ) {}

  /** The row of a point, with what the objective says. */
  async row(point: Point, { row: made, cubin }: Ran): Promise<Row> {
    const row = { ...made, objective: this.objective.name };
    const { launch } = point.input;
    if (cubin === null || launch === undefined || row.outcome !== "ok") return row;
    if (row.hazards !== 0) {
      const why = row.hazards === null ? "unknown to" : `${row.hazards} findings of`;
      return { ...row, outcome: `not run: ${why} the hazard checker` };
    }
    const base = await this.baseOf(point);
    if (base === null) return { ...row, outcome: "not run: the base cannot be made" };
    const said = await this.objective.judge({ cubin, base, launch, place: this.place, hazards: row.hazards });
    return { ...row, outcome: said.outcome, results: said.results, ...said.estimated, ...said.measured };
  }

  /** What a point is compared with: the cubin as it was, or what the PTX becomes for the target by default. */
  private baseOf(point: Point): Promise<Uint8Array | null> {
    const { input, target } = point;
    const name = JSON.stringify([input, target]);
    const known = this.bases.get(name) ?? this.make(point);
    this.bases.set(name, known);
    return known;
  }

  private async make({ input, target }: Point): Promise<Uint8Array | null> {
    if (input.cubin !== undefined) return contentOf(this.place, input.cubin).bytes;
    const plain: Point = { input, target, level: 3, maxRegisters: 0, knobs: {}, moves: null };
    return runPoint(plain, this.place, await load(plain, this.key), this.key).cubin;
  }
}
