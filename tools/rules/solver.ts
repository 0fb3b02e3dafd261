/** z3 as a process: found on PATH or in .cache/z3, where it is installed from PyPI (z3-solver) the first time. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const VERSION = "5.4.1.0";

function solver(): string {
  const local = path.join(process.cwd(), ".cache/z3/bin/z3");
  if (fs.existsSync(local)) return local;
  if (spawnSync("z3", ["--version"]).status === 0) return "z3";
  execFileSync("python3", ["-m", "venv", ".cache/z3"], { stdio: "inherit" });
  execFileSync(".cache/z3/bin/pip", ["install", "-q", `z3-solver==${VERSION}`], { stdio: "inherit" });
  return local;
}

let found: string | null = null;

/** "unsat", "sat" or "unknown", which also stands for what takes longer than `seconds`. */
export function solve(formula: string, seconds: number): "unsat" | "sat" | "unknown" {
  found ??= solver();
  const ran = spawnSync(found, ["-in", `-T:${seconds}`], { input: formula, encoding: "utf8", maxBuffer: 1 << 26 });
  const answer = ran.stdout.trim().split("\n")[0];
  if (answer === "unsat" || answer === "sat") return answer;
  if (answer === "unknown" || answer === "timeout") return "unknown";
  throw new Error(`z3: ${ran.stdout.slice(0, 300)}${ran.stderr.slice(0, 300)}`);
}
