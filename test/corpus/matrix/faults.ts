/** Faults of waiting in the text of a kernel: a wait, fence, arrival or expected count removed or weakened, one at a time. */
export interface WaitFault {
  /** Line of the text, from 1. */
  readonly line: number;
  readonly what: string;
  readonly text: string;
}

type Change = readonly [name: string, change: (line: string) => string | null];

const when = (pattern: RegExp, change: (line: string, m: RegExpExecArray) => string): Change[1] => (line) => {
  const m = pattern.exec(line);
  return m === null ? null : change(line, m);
};

/** Guards stay; an instruction without effect keeps labels apart. */
const gone = (): string => "";

const changes: readonly Change[] = [
  ["wait removed", when(/^cp\.async\.(bulk\.)?wait_(group|all)/, gone)],
  ["wait for one group less", when(/^(cp\.async\.(?:bulk\.)?wait_group(?:\.read)?\s+)(\d+)/, (_, m) => `${m[1]}${Number(m[2]) + 1};`)],
  ["wait for all is none", when(/^cp\.async\.wait_all/, () => "cp.async.wait_group 9;")],
  ["commit removed", when(/^cp\.async\.(bulk\.)?commit_group/, gone)],
  ["arrival removed", when(/^(cp\.async\.)?mbarrier\.arrive/, gone)],
  ["no bytes expected", when(/^mbarrier\.arrive\.expect_tx\S*\s+(\S+), (\[\S+\]),/, (_, m) => `mbarrier.arrive.shared::cta.b64 ${m[1]}, ${m[2]};`)],
  ["fewer bytes expected", when(/^(mbarrier\.arrive\.expect_tx\S*\s+\S+, \[\S+\],) \S+;/, (_, m) => `${m[1]} 128;`)],
  ["phase not waited for", when(/^mbarrier\.try_wait\S*\s+(\w+),/, (_, m) => `setp.eq.u32 ${m[1]}, 0, 0;`)],
  ["the phase before is waited for", when(/^(mbarrier\.try_wait\S*\s+\w+, \[\S+\]), (%\w+);/, (_, m) => `xor.b32 ${m[2]}, ${m[2]}, 1; ${m[1]}, ${m[2]};  xor.b32 ${m[2]}, ${m[2]}, 1;`)],
  ["fence removed", when(/^fence\.proxy\.async/, gone)],
  ["fence of the other memory", when(/^fence\.proxy\.async\.shared::cta/, () => "fence.proxy.async.global;")],
  ["barrier removed", when(/^bar\.sync/, gone)],
  ["cluster does not wait", when(/^barrier\.cluster\.wait/, gone)],
  ["no arrival at the cluster", when(/^barrier\.cluster\.arrive/, gone)],
];

/** Those of one kernel of the text. */
export function waitFaults(text: string, kernel: string): readonly WaitFault[] {
  const lines = text.split("\n");
  let entry = "";
  return lines.flatMap((line, i) => {
    entry = /\.entry (\w+)\(/.exec(line)?.[1] ?? entry;
    if (entry !== kernel) return [];
    const guard = /^\s*(@!?%\w+\s+)?/.exec(line)![0];
    return changes.flatMap(([what, change]) => {
      const changed = change(line.slice(guard.length).trimEnd());
      if (changed === null) return [];
      const rest = changed === "" ? "" : guard + changed;
      return [{ line: i + 1, what, text: [...lines.slice(0, i), rest, ...lines.slice(i + 1)].join("\n") }];
    });
  });
}
