/** `ptxlab worker`: runs points of sweeps that other machines put on a queue. */
import { needsText, serveQueue } from "../experiment/index.js";
import { counted } from "../inspect.js";
import { readCommandLine } from "./command-line.js";
import type { Host } from "./host.js";
import { UsageError } from "./usage.js";

/** Exit status: 0 interrupted, 2 no queue. */
export async function workerCommand(args: readonly string[], host: Host): Promise<number> {
  const { values } = readCommandLine("worker", args);
  const url = values.queue ?? process.env.PTXLAB_QUEUE;
  if (url === undefined) throw new UsageError("worker needs --queue URL (or the variable PTXLAB_QUEUE)");
  if (values.threads === 0) throw new UsageError("worker needs at least one thread");
  const stop = new AbortController();
  const interrupt = (): void => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  let points = 0;
  try {
    await serveQueue({
      url,
      signal: stop.signal,
      ...(values.threads !== undefined && { threads: values.threads }),
      onPortion: (n) => {
        points += n;
        if (!values.quiet) host.err(`${counted(points, "point")}\n`);
      },
      onLeft: (needs, why) => host.err(`points that need ${needsText(needs)} are left to other workers: ${why}\n`),
    });
  } catch (e) {
    throw new UsageError((e as Error).message);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
  return 0;
}
