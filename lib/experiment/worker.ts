/** The thread that `execute` starts. */
import { threadId } from "node:worker_threads";
import { worker } from "workerpool";
import { type Done, timed } from "./executor.js";
import type { Point } from "./types.js";

async function runPoints(points: readonly Point[], folder: string, key: string | null): Promise<readonly Done[]> {
  const done: Done[] = [];
  for (const p of points) done.push(await timed(p, folder, threadId, key));
  return done;
}

worker({ runPoints });
