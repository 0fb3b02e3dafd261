/** Makes a program smaller while it still fails: statements go, and compound ones give way to what they hold. */
import type { CudaProgram, Statement } from "./generate.js";

/** Lists with one change each, the largest first. */
export function* lists(list: readonly Statement[]): Generator<readonly Statement[]> {
  for (let n = list.length >> 1; n > 1; n >>= 1)
    for (let i = 0; i + n <= list.length; i += n) yield [...list.slice(0, i), ...list.slice(i + n)];
  for (const [i, s] of list.entries()) {
    const around = (...inside: readonly Statement[]): readonly Statement[] => [
      ...list.slice(0, i),
      ...inside,
      ...list.slice(i + 1),
    ];
    yield around();
    for (const child of s.children) if (child.length > 0) yield around(...child);
    for (const [k, child] of s.children.entries())
      for (const less of lists(child)) yield around({ ...s, children: s.children.map((c, j) => (j === k ? less : c)) });
  }
}

function* programs(p: CudaProgram): Generator<CudaProgram> {
  for (let n = p.phases.length - 1; n >= 1; n--)
    yield { ...p, phases: p.phases.slice(0, n), meetings: p.meetings.slice(0, n - 1) };
  for (const [i, phase] of p.phases.entries())
    for (const less of lists(phase)) yield { ...p, phases: p.phases.map((x, j) => (i === j ? less : x)) };
  // What nobody calls any more goes as a whole.
  if (p.helpers.length > 0) yield { ...p, helpers: p.helpers.slice(0, -1) };
  for (const [i, h] of p.helpers.entries())
    for (const body of lists(h.body)) yield { ...p, helpers: p.helpers.map((x, j) => (i === j ? { ...x, body } : x)) };
}

/** Takes each change after which it still fails, until none does. */
export function smaller(program: CudaProgram, fails: (p: CudaProgram) => boolean): CudaProgram {
  for (const less of programs(program)) if (fails(less)) return smaller(less, fails);
  return program;
}
