/** A kernel named `k`, compiled at -O0 and run in the simulator. */
import { compile } from "../../lib/compile";
import { type Argument, simulate } from "../../lib/sim/index";
import type { TargetName } from "../../lib/target/index";

export interface Launch {
  readonly grid?: number;
  readonly block?: number;
  readonly sharedBytes?: number;
  readonly params: readonly Argument[];
}

export function run(target: TargetName, text: string, launch: Launch): void {
  const made = compile(`.version 9.0\n.target ${target}\n.address_size 64\n${text}`, { target, opt: 0, verify: true });
  if (made.cubin === null) {
    throw new Error(
      [
        ...made.diagnostics.map((d) => `${d.span?.line}: ${d.message}`),
        ...made.internalErrors.map((e) => e.stack),
      ].join("\n"),
    );
  }
  const ran = simulate(made.cubin, { kernel: "k", ...launch });
  if (!ran.ok) throw new Error(ran.diagnostics.map((d) => d.message).join("\n"));
  expect(ran.value.fault).toBeNull();
}

export const registers = `
  .reg .pred %p<20>;
  .reg .b16 %h<20>;
  .reg .b32 %r<40>;
  .reg .f32 %f<20>;
  .reg .f64 %d<20>;
  .reg .b64 %rd<40>;`;

export const lanes = (f: (i: number) => number, n = 32): number[] => Array.from({ length: n }, (_, i) => f(i));
