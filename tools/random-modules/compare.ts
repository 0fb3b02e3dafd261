/** A random module in the interpreter, in our code and in ptxas's. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TargetName } from "../../lib/target/index.js";
import { compiled, difference, interpreted, type Left, ofCubin } from "../../test/fuzz/modules/run.js";

const work = mkdtempSync(join(tmpdir(), "ptxlab-modules-"));
process.on("exit", () => {
  rmSync(work, { recursive: true, force: true });
});

/** One module in so many is verified after every phase. */
const VERIFIED = 8;

export interface Verdict {
  readonly who: string;
  readonly what: string;
}

export const numberOfTarget = (target: TargetName): number => Number(/\d+/.exec(target)![0]);

/** null where ptxas itself ends by a signal, as 13.0.88 does on some functions that call themselves. */
function byPtxas(text: string, seed: number, target: TargetName, level: number): Left | null {
  const [source, cubin] = [join(work, "m.ptx"), join(work, "m.cubin")];
  writeFileSync(source, text);
  const ptxas = join(__dirname, "../../.oracle/bin/ptxas");
  const r = spawnSync(ptxas, [`-arch=${target}`, `-O${level}`, source, "-o", cubin], { encoding: "utf8" });
  if (r.status === null || r.status > 128) return null;
  if (r.status !== 0) return { kind: "refused", why: r.stderr.trim().split("\n")[0]! };
  return ofCubin(new Uint8Array(readFileSync(cubin)), seed);
}

function caught<T extends Left | null>(what: () => T): T | Left {
  try {
    return what();
  } catch (error) {
    return { kind: "fault", why: `internal: ${String(error).slice(0, 400)}` };
  }
}

/** What differs from the interpreter's; null where the module runs too long for it. */
export function everybody(
  text: string,
  seed: number,
  target: TargetName,
  levels: readonly number[],
  ptxas: boolean,
): readonly Verdict[] | null {
  const wanted = caught(() => interpreted(text, seed));
  if (wanted.kind === "fault" && /budget|instructions/.test(wanted.why)) return null;
  if (wanted.kind !== "words") return [{ who: "interpreter", what: `${wanted.kind}: ${wanted.why}` }];
  const found: Verdict[] = [];
  const judge = (who: string, got: Left | null): void => {
    const what = got === null ? "" : difference(got, wanted);
    if (what !== "") found.push({ who, what });
  };
  for (const level of levels)
    judge(
      `ours -O${level}`,
      caught(() => compiled(text, seed, target, level, seed % VERIFIED === 0)),
    );
  if (ptxas)
    for (const level of [0, 3])
      judge(
        `ptxas -O${level}`,
        caught(() => byPtxas(text, seed, target, level)),
      );
  return found;
}
