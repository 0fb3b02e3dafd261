/** What a whole process takes, whatever else the machine does: processor time and peak memory, by the system's own account. */
import { spawnSync } from "node:child_process";

export interface Cost {
  /** Processor time of all its threads, milliseconds. */
  readonly ms: number;
  /** Most memory at once, MiB. */
  readonly mib: number;
}

const script = `import json, resource, subprocess, sys
ran = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([ran.returncode, 1000 * (used.ru_utime + used.ru_stime), used.ru_maxrss / 1024, ran.stderr.decode("latin1")[:500]]))`;

/** The least of some runs; throws where one fails. */
export function costOf(command: readonly string[], runs = 1): Cost {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  let least: Cost = { ms: Number.POSITIVE_INFINITY, mib: Number.POSITIVE_INFINITY };
  for (let run = 0; run < runs; run++) {
    const ran = spawnSync("python3", ["-c", script, ...command], { encoding: "utf8", env });
    if (ran.status !== 0) throw new Error(`python3: ${ran.stderr}`);
    const [status, ms, mib, text] = JSON.parse(ran.stdout) as [number, number, number, string];
    if (status !== 0) throw new Error(`${command[0]}: status ${status}: ${text}`);
    least = { ms: Math.min(least.ms, ms), mib: Math.min(least.mib, mib) };
  }
  return least;
}
