/** Programs in CUDA C++ whose results a C++ compiler of the host computed (tools/make-programs.cjs). */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LaunchFile } from "../corpus/cases.js";

export interface UserProgram {
  readonly name: string;
  /** nvcc's PTX for the lowest SM that the program is for. */
  readonly ptx: string;
  readonly sm: number;
  readonly launch: LaunchFile;
}

export const programs: readonly UserProgram[] = readdirSync(join(__dirname, "ptx"))
  .sort()
  .map((file) => {
    const name = file.slice(0, -".ptx".length);
    const ptx = readFileSync(join(__dirname, "ptx", file), "utf8");
    return {
      name,
      ptx,
      sm: Number(/^\.target sm_(\d+)/m.exec(ptx)![1]),
      launch: JSON.parse(readFileSync(join(__dirname, "launch", `${name}.json`), "utf8")) as LaunchFile,
    };
  });
