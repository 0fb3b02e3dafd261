/** A thread that runs blocks: says its number before anything asks for it (wasm/layout.ts), then waits for launches (runner.ts). */
import { workerData } from "node:worker_threads";
import { threadSymbol } from "../wasm/host.js";

(globalThis as { [threadSymbol]?: number })[threadSymbol] = (workerData as { thread: number }).thread;
void import("./runner.js");
