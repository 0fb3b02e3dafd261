/** `ptxlab estimate`: cycles of the launches of a launch file by the timing model, and where they go. */
import { counted } from "../inspect.js";
import { type Estimate, estimateLaunch, stallReasons } from "../timing/index.js";
import { readCommandLine } from "./command-line.js";
import { oneCubinOf } from "./cubins.js";
import type { Host } from "./host.js";
import { runLaunches } from "./launched.js";
import { save, UNUSABLE, UsageError } from "./usage.js";

const DEFAULT_TOP = 12;

/** Exit status as for `run`: the launches are executed too. */
export async function estimateCommand(args: readonly string[], host: Host): Promise<number> {
  const { file, values } = readCommandLine("estimate", args);
  const { blocks, top = DEFAULT_TOP } = values;
  if (blocks === 0) throw new UsageError("--blocks takes a number from 1 on");
  const estimates: Estimate[] = [];
  const result = runLaunches({ file, launch: values.launch, arch: values.arch }, host, {
    launch: (device, module, options) => {
      const made = estimateLaunch(device, module, { ...options, ...(blocks !== undefined && { blocks }) });
      if (!made.ok) return made;
      estimates.push(made.value);
      return { ok: true, value: made.value.run, diagnostics: made.diagnostics };
    },
  });
  if (result === null) return UNUSABLE;
  if (values.html !== undefined) {
    const written = await savePage(values.html, { file, arch: values.arch }, estimates, host);
    if (written !== 0) return written;
  }
  if (values.json) {
    const launches = estimates.map(({ run: _, timeline: __, ...rest }) => rest);
    host.out(`${JSON.stringify({ status: result.status, error: result.json.error, launches }, null, 1)}\n`);
    return result.status;
  }
  for (const e of estimates) host.out(`${estimateText(e, top).join("\n")}\n`);
  if (result.json.error !== null) return result.status;
  const rest = result.lines.filter((l) => result.status !== 0 || !l.endsWith(": as expected"));
  if (rest.length > 0) host.out(`${rest.join("\n")}\n`);
  return result.status;
}

/** One page with the source page of every launch. */
async function savePage(
  path: string,
  { file, arch }: { readonly file: string; readonly arch: string | undefined },
  estimates: readonly Estimate[],
  host: Host,
): Promise<number> {
  const cubin = oneCubinOf(file, arch, host, ": choose with --arch");
  if (cubin === null) return UNUSABLE;
  const [{ sourcePage }, { escapeHtml }] = await Promise.all([
    import("../present/shown.js"),
    import("../view/html.js"),
  ]);
  const pages = estimates.map((e) => sourcePage(cubin.bytes, e).html);
  const html = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(file)}: where the cycles go</title>
</head>
<body style="font-family:sans-serif;margin:16px">
${pages.join("\n<hr>\n")}
</body>
</html>
`;
  return save(path, Buffer.from(html, "utf8"), host);
}

/** The estimate in lines: the launch, the reasons, the instructions where most warp-cycles are spent. */
export function estimateText(e: Estimate, top: number): string[] {
  const all = stallReasons.reduce((n, r) => n + e.reasons[r], 0);
  const share = (n: number): string => `${((100 * n) / Math.max(1, all)).toFixed(1)} %`;
  const of = (reasons: Readonly<Partial<Record<string, number>>>): string =>
    Object.entries(reasons)
      .filter(([name, n]) => name !== "selected" && (n ?? 0) > 0)
      .sort(([, a], [, b]) => (b ?? 0) - (a ?? 0))
      .slice(0, 3)
      .map(([name, n]) => `${name} ${share(n ?? 0)}`)
      .join(", ");
  const worst = [...e.instructions].sort((a, b) => b.cycles - a.cycles || a.address - b.address).slice(0, top);
  return [
    `${e.kernel} on ${e.target} (${e.parameters.sms} SMs at ${e.parameters.clock} GHz): ${counted(e.cycles, "cycle")}, ${e.microseconds.toFixed(2)} us`,
    `  ${counted(e.blocksPerSm, "block")} per SM, ${e.blocks} played back in ${counted(e.simulatedCycles, "cycle")}, ${counted(e.occupancy.warpsPerSm, "warp")} resident at most; ${counted(e.issued, "instruction")} issued, ${e.ipc.toFixed(3)} per cycle`,
    ...(e.gridWarpInstructions === null || e.gridThreadInstructions === null
      ? []
      : [
          `  whole grid: ${counted(e.gridWarpInstructions, "warp-instruction")} issued, ${counted(e.gridThreadInstructions, "thread-instruction")} executed`,
        ]),
    `  warp-cycles: ${of(e.reasons)}, selected ${share(e.reasons.selected)}`,
    `  L1 hits ${e.memory.l1Hits}, L2 hits ${e.memory.l2Hits}, misses ${e.memory.misses}, shared-memory conflicts ${e.memory.conflicts}`,
    ...worst.map(
      (i) =>
        `  ${share(i.cycles).padStart(7)}  ${i.function}+0x${i.address.toString(16).padStart(4, "0")}  ${i.instruction.padEnd(44)} ${of(i.reasons)}`,
    ),
  ];
}
