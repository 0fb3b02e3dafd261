/** GPUs of a worker as judges: one clock for each way of asking and GPU that points need, kept while the worker lives. */
import { clock } from "../clock/clock.js";
import type { Place } from "../files.js";
import { Judge } from "../judged.js";
import { needsKey } from "../needs.js";
import type { Objective } from "../objective.js";
import type { Ran } from "../point.js";
import type { Point, Row } from "../types.js";
import type { QueueJudge } from "./connection.js";

/** No GPU of this machine can be opened as points need it: they are left to other workers. */
export class NoGpu extends Error {}

/** Judges rows by GPUs of this machine. */
export interface ClockJudges {
  /** The rows of points that threads have made, measured one after the other. Throws `NoGpu` where none answers. */
  readonly rows: (judge: QueueJudge, points: readonly Point[], place: Place, made: readonly Ran[]) => Promise<Row[]>;
  /** Ends the processes that measure. */
  readonly close: () => Promise<void>;
}

/** Clocks of so many GPUs, started when first needed. */
export function clockJudges(gpus: number): ClockJudges {
  const open = new Map<string, Promise<Objective>>();
  const objective = (judge: QueueJudge, point: Point): Promise<Objective> => {
    const name = JSON.stringify([judge.key, needsKey(point.needs)]);
    const known = open.get(name) ?? opened(judge, point.needs?.gpu ?? true, gpus);
    open.set(name, known);
    // Whoever asks next tries again.
    known.catch(() => open.delete(name));
    return known;
  };
  return {
    rows: async (judge, points, place, made) => {
      const rows: Row[] = [];
      for (const [i, ran] of made.entries()) {
        const point = points[i]!;
        rows.push(await new Judge(await objective(judge, point), judge.key, place).row(point, ran));
      }
      return rows;
    },
    close: async () => {
      for (const clock of open.values()) await (await clock.catch(() => null))?.close();
    },
  };
}

/** The clock of the first GPU that is what points need: the driver counts them in an order of its own. */
async function opened({ clock: settings }: QueueJudge, gpu: true | string, gpus: number): Promise<Objective> {
  const devices = settings.device === undefined ? Array.from({ length: gpus }, (_, i) => i) : [settings.device];
  let why = "the worker has no GPU";
  for (const device of devices) {
    const made = clock({ ...settings, device });
    const said = await made.open();
    if (said.ok) {
      const [, card] = JSON.parse(said.value) as readonly [string, string];
      if (gpu === true || card.toLowerCase().includes(gpu.toLowerCase())) return made;
      why = `GPU ${device} is a ${card}`;
    } else why = said.diagnostics[0]!.message;
    await made.close();
  }
  throw new NoGpu(why);
}
