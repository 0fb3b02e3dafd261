/** `ptxlab view`: a compilation phase by phase as one HTML page. */
import { basename } from "node:path";
import { compileWatched } from "../compile.js";
import { PipelineRecorder, pipelineData } from "../present/pipeline.js";
import { type PipelineOptions, pipeline } from "../view/index.js";
import { readCommandLine } from "./command-line.js";
import { compilerOptions } from "./compiled.js";
import { printAll } from "./cubins.js";
import type { Host } from "./host.js";
import { bytesOf, save } from "./usage.js";

/** Exit status 0, 1 when the PTX has mistakes (the page shows what was reached), 2 when a file or an option cannot be used. */
export async function viewCommand(args: readonly string[], host: Host): Promise<number> {
  const { file, values } = readCommandLine("view", args);
  const { cuda, output = `${file.replace(/\.ptx$/, "")}.html` } = values;
  const { text, options } = compilerOptions(file, values, host);
  const source = cuda === undefined ? null : Buffer.from(bytesOf(cuda, host)).toString("utf8");
  const shown: PipelineOptions = {
    why: values.why === true,
    times: values.times === true,
    ...(source !== null && { cuda: { name: basename(cuda ?? ""), text: source } }),
  };
  const recorder = new PipelineRecorder(shown);
  const c = compileWatched(text, options, recorder.watch);
  printAll(c.diagnostics, file, host);
  const page = await pipeline(pipelineData(c, shown, undefined, recorder));
  const status = save(output, Buffer.from(page.html, "utf8"), host);
  return status === 0 && !c.ok ? 1 : status;
}
