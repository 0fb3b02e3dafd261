/** Every option of `ptxas --help`: here under the same names, and taken as ptxas takes it, or --help says that it is not. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ptxas } from "../../lib/cli/index.js";
import { ptxasOptions } from "../../lib/cli/ptxas-options.js";
import { files } from "../cli/commands.js";
import { fakeHost } from "../cli/fake-host.js";
import { describeOracle, inScratch, tool } from "./tools.js";

interface Told {
  readonly long: string;
  readonly short: string;
}

/** The options that ptxas tells of: `--long <argument>   (-short)`. */
const told = (help: string): Told[] =>
  [...help.matchAll(/^--([\w-]+)(?: <[^>]*>[.,]*)?\s+\(-([\w-]+)\)/gm)].map((m) => ({ long: m[1]!, short: m[2]! }));

/** An argument of the option's kind that ptxas takes. */
const samples: Readonly<Record<string, string>> = {
  "Ofast-compile": "mid",
  "def-load-cache": "cg",
  "def-store-cache": "cg",
  "device-function-maxrregcount": "64",
  entry: "k",
  "force-load-cache": "cg",
  "force-store-cache": "cg",
  "gpu-name": "sm_90",
  machine: "64",
  maxntid: "128",
  maxrregcount: "64",
  minnctapersm: "2",
  "opt-level": "1",
  "options-file": "opts.txt",
  "output-file": "out.o",
  "register-usage-level": "3",
  sanitize: "memcheck",
  "split-compile": "2",
};
/** Not asked with an input: they answer at once, or are the input. */
const alone = ["help", "version", "list-version", "input-as-string"];
/** Only for objects, or for tensor memory. */
const beside: Readonly<Record<string, string>> = { "device-function-maxrregcount": "-c" };

describeOracle("options of ptxas", () => {
  const real = told(tool("ptxas", ["--help"]).stdout);

  test("are all here, long and short", () => {
    expect(real.length).toBeGreaterThan(50);
    const ours = ptxasOptions.map((o) => ({ long: o.long, short: o.short }));
    expect(real.filter((r) => !ours.some((o) => o.long === r.long && o.short === r.short))).toEqual([]);
  });

  test.each(real.filter((r) => !alone.includes(r.long)).map((r) => [r.long]))("--%s", (long) => {
    const option = ptxasOptions.find((o) => o.long === long)!;
    const value = option.kind === "bool" ? "true" : samples[long];
    const args = [
      `--${long}${value === undefined ? "" : `=${value}`}`,
      ...(beside[long] ? [beside[long]] : []),
      "ok.ptx",
    ];
    const host = fakeHost(files);
    const status = ptxas(args, host);
    if (option.effect === "refused") {
      const aborted = "ptxas fatal   : Ptx assembly aborted due to errors\n";
      expect([status, host.stderr]).toEqual([255, `ptxas error   : not supported yet: option '--${long}'\n${aborted}`]);
      return;
    }
    inScratch((dir) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
      const theirs = tool("ptxas", args, { cwd: dir });
      expect({ args, status }).toEqual({ args, status: theirs.status });
      if (long !== "verbose" && option.effect !== "lacking") expect(host.stderr).toBe(theirs.stderr);
    });
  });

  test("those without effect are told of in --help", () => {
    const host = fakeHost();
    expect(ptxas(["--help"], host)).toBe(0);
    const parts = host.stdout.split(/^(?=--)/m);
    for (const o of ptxasOptions.filter((x) => x.help !== null && (x.effect === "lacking" || x.effect === "refused")))
      expect(parts.find((p) => p.startsWith(`--${o.long} `))).toMatch(/without effect for now|Not supported yet/);
  });
});
