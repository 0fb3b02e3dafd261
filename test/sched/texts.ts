/** Scheduling on small texts: the order before, the policy, the order after. */
import { parseFunc } from "../../lib/ori/parse.js";
import type { Func } from "../../lib/ori/types.js";
import { buildDag, edgeKinds, type Policy, type ScheduleOptions, scheduleFunc } from "../../lib/sched/index.js";

/** A block of code on physical registers; an EXIT is added. */
export function physical(code: string, sm = "sm_90"): Func {
  const read = parseFunc(`func "k" entry ${sm} physical post-expanded\nb0\n${code}\nEXIT`);
  if (!read.ok) throw new Error(read.diagnostics.map((d) => `line ${d.span?.line}: ${d.message}`).join("\n"));
  return read.value;
}

/** Edges as `0 -> 2 RAW 4`: the instructions' positions, why, and how many cycles apart. Those to the EXIT are left out. */
export function edges(code: string, sm = "sm_90"): string[] {
  const func = physical(code, sm);
  const dag = buildDag(func.blocks[0]!, func);
  const out: string[] = [];
  for (let i = 0; i < dag.insts.length - 1; i++) {
    for (let e = dag.predStart[i]!; e < dag.predStart[i + 1]!; e++) {
      out.push(`${dag.pred[e]} -> ${i} ${edgeKinds[dag.predKind[e]!]} ${dag.predLatency[e]}`);
    }
  }
  return out;
}

/** The same without the cycles. */
export function kinds(code: string, sm = "sm_90"): string[] {
  return edges(code, sm).map((e) => e.replace(/ \d+$/, ""));
}

/** Old positions in the new order, the EXIT left out. */
export function orderOf(code: string, policy: Policy, options: ScheduleOptions & { sm?: string } = {}): number[] {
  const func = physical(code, options.sm);
  const before = func.blocks[0]!.insts.slice();
  scheduleFunc(func, policy, options);
  return func.blocks[0]!.insts.slice(0, -1).map((inst) => before.indexOf(inst));
}
