/** Progress of long steps: a bar on a terminal, a line now and then elsewhere. */
import cliProgress from "cli-progress";

export interface Progress {
  add(n?: number): void;
  stop(): void;
}

/** Seconds between lines where there is no terminal. */
const EVERY = 20;

export function progress(title: string, total: number, done = 0): Progress {
  if (process.stderr.isTTY) {
    const format = `${title} [{bar}] {value}/{total} {duration_formatted}, {eta_formatted} left`;
    const bar = new cliProgress.SingleBar({ format }, cliProgress.Presets.shades_classic);
    bar.start(total, done);
    return { add: (n = 1) => bar.increment(n), stop: () => bar.stop() };
  }
  const start = performance.now();
  let last = start;
  return {
    add: (n = 1) => {
      done += n;
      const now = performance.now();
      if (now - last < 1000 * EVERY && done < total) return;
      last = now;
      process.stderr.write(`${title} ${done}/${total}, ${((now - start) / 1000).toFixed(0)} s\n`);
    },
    stop: () => {},
  };
}
