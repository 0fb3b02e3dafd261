/** The thread that `Threads` starts. */
import { threadId } from "node:worker_threads";
import { worker, workerEmit } from "workerpool";
import type { Place } from "./files.js";
import { type Done, timed } from "./threads.js";
import type { Point } from "./types.js";

async function runPoints(points: readonly Point[], place: Place, key: string | null): Promise<readonly Done[]> {
  const done: Done[] = [];
  for (const p of points) done.push(await timed(p, place, threadId, key, () => workerEmit("began")));
  return done;
}

worker({ runPoints });
