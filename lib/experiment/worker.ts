/** The thread that `execute` starts. */
import { threadId } from "node:worker_threads";
import { worker } from "workerpool";
import type { Done } from "./executor.js";
import { runPoint } from "./point.js";
import type { Point } from "./types.js";

worker({
  runPoint: (point: Point, folder: string): Done => {
    const start = performance.now();
    const row = runPoint(point, folder);
    return { row, thread: threadId, time: performance.now() - start };
  },
});
