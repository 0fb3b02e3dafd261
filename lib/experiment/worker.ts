/** The thread that `execute` starts. */
import { threadId } from "node:worker_threads";
import { worker } from "workerpool";
import { type Done, timed } from "./executor.js";
import type { Point } from "./types.js";

worker({ runPoint: (point: Point, folder: string): Promise<Done> => timed(point, folder, threadId) });
