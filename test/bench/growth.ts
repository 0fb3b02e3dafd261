/**
 * How -O2 grows with the kernel: three shapes at n, 2n and 4n, milliseconds of the SSA window (GenerateMovPhi and
 * ConvertAllMovPhiToMov), of all phases, and of the whole compiler. A linear stage takes 2 and 4 times as long.
 */
import { type Compilation, compile, type Stage } from "../../lib/compile.js";
import { median, row } from "./measure.js";

const window: readonly string[] = ["GenerateMovPhi", "ConvertAllMovPhiToMov"];

function kernel(body: readonly string[], registers: number): string {
  return `.version 9.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<${registers}>;\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\nld.global.u32 %r0, [%rd1];\nld.global.u32 %r1, [%rd1+4];\n${body.join("\n")}\nret;\n}\n`;
}

const each = (n: number, line: (i: number) => string): string[] => Array.from({ length: n }, (_, i) => line(i));

/** Shapes by name; n counts their steps. */
export const shapes: Readonly<Record<string, (n: number) => string>> = {
  /** Straight-line code in which every step has a register of its own. */
  values: (n) =>
    kernel(
      [...each(n, (i) => `mad.lo.s32 %r${i + 2}, %r${i + 1}, %r${i}, ${i};`), `st.global.u32 [%rd1], %r${n + 1};`],
      n + 2,
    ),
  /** A chain of early ways out, all to one block: its phi has n + 1 sources. */
  joins: (n) =>
    kernel(
      [
        ...each(n, (i) => `add.s32 %r0, %r0, %r1; setp.eq.s32 %p1, %r0, ${i}; @%p1 bra OUT;`),
        "OUT: st.global.u32 [%rd1], %r0;",
      ],
      2,
    ),
  /** One diamond after the other; each gives a register two values. */
  diamonds: (n) =>
    kernel(
      [
        ...each(
          n,
          (i) =>
            `setp.lt.s32 %p1, %r0, ${i}; @%p1 bra THEN${i}; mad.lo.s32 %r0, %r0, %r1, ${i}; bra.uni ENDS${i};\nTHEN${i}: xor.b32 %r0, %r0, %r1;\nENDS${i}: add.s32 %r1, %r1, %r0;`,
        ),
        "st.global.u32 [%rd1], %r0;",
      ],
      2,
    ),
  /** Diamonds on which lanes part, with work in both arms that only one way reads. */
  arms: (n) =>
    kernel(
      [
        "mov.u32 %r0, %tid.x;",
        ...each(
          n,
          (i) =>
            `setp.lt.s32 %p1, %r0, ${i}; add.s32 %r2, %r0, ${i}; @%p1 bra THEN${i};\n${[0, 1, 2, 3, 4, 5, 6, 7].map((k) => `mad.lo.s32 %r${3 + ((i + k) % 5)}, %r${3 + (k % 5)}, %r2, ${i + k};`).join(" ")} st.global.u32 [%rd1+${4 * (i % 999)}], %r4; bra.uni ENDS${i};\nTHEN${i}: ${[0, 1, 2, 3, 4, 5, 6, 7].map((k) => `xor.b32 %r${3 + ((i + k) % 5)}, %r${3 + (k % 5)}, %r1;`).join(" ")} st.global.u32 [%rd1+${4 * (i % 999)}], %r5;\nENDS${i}: add.s32 %r1, %r1, %r3;`,
        ),
        "st.global.u32 [%rd1], %r1;",
      ],
      8,
    ),
  /** Diamonds that give twenty registers two values each, all of them read after the last one. */
  phis: (n) =>
    kernel(
      [
        ...each(20, (k) => `ld.global.u32 %r${k + 2}, [%rd1+${4 * k}];`),
        ...each(
          n,
          (i) =>
            `setp.lt.s32 %p1, %r0, ${i}; add.s32 %r0, %r0, %r2; @%p1 bra THEN${i};\n${each(20, (k) => `mad.lo.s32 %r${k + 2}, %r${((k + 1) % 20) + 2}, %r1, ${i + k};`).join(" ")} st.global.u32 [%rd1+4], %r3; bra.uni ENDS${i};\nTHEN${i}: ${each(20, (k) => `xor.b32 %r${k + 2}, %r${((k + i) % 20) + 2}, %r1;`).join(" ")} st.global.u32 [%rd1+8], %r4;\nENDS${i}:`,
        ),
        ...each(20, (k) => `st.global.u32 [%rd1+${4 * k}], %r${k + 2};`),
      ],
      22,
    ),
  /** Loops one after the other, of two blocks each. */
  loops: (n) =>
    kernel(
      [
        ...each(
          n,
          (i) =>
            `L${i}: mad.lo.s32 %r0, %r0, %r1, ${i}; st.global.u32 [%rd1+${4 * (i % 99)}], %r0; setp.gt.s32 %p1, %r0, ${i}; @%p1 bra M${i}; ld.global.u32 %r1, [%rd1+8];\nM${i}: setp.lt.s32 %p1, %r0, %r1; @%p1 bra L${i};`,
        ),
        "st.global.u32 [%rd1], %r0;",
      ],
      2,
    ),
  /** One indirect branch with n targets, which all go on at one place. */
  targets: (n) =>
    kernel(
      [
        `T: .branchtargets ${each(n, (i) => `C${i}`).join(", ")};`,
        `rem.u32 %r2, %r0, ${n}; brx.idx %r2, T;`,
        ...each(n, (i) => `C${i}: mad.lo.s32 %r1, %r1, %r0, ${i}; bra.uni OUT;`),
        "OUT: st.global.u32 [%rd1], %r1;",
      ],
      3,
    ),
  /** Functions that call the next, the last one the first. */
  calls: (n) => {
    const func = (i: number): string => `.func (.param .b32 out) f${i} (.param .b32 in)`;
    const call = (i: number, to: number): string =>
      `{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r${i}; call (b), f${to}, (a); ld.param.b32 %r1, [b]; }`;
    const body = (i: number): string =>
      `${func(i)}\n{\n.reg .pred %p1;\n.reg .b32 %r<4>;\nld.param.b32 %r0, [in];\nsetp.eq.s32 %p1, %r0, 0;\nmov.u32 %r1, ${i};\n@%p1 bra OUT;\nsub.s32 %r2, %r0, 1;\n${call(2, (i + 1) % n)}\nadd.s32 %r1, %r1, %r0;\nOUT: st.param.b32 [out], %r1;\nret;\n}\n`;
    const text = kernel([call(0, 0), "st.global.u32 [%rd1], %r1;"], 2);
    const at = text.indexOf(".visible");
    return `${text.slice(0, at)}${each(n, (i) => `${func(i)};\n`).join("")}${each(n, body).join("")}${text.slice(at)}`;
  },
};

interface Times {
  readonly window: number;
  readonly phases: number;
  readonly total: number;
}

function once(text: string): Times {
  let began = 0;
  let spent = 0;
  const c: Compilation = compile(text, {
    target: "sm_90",
    opt: 2,
    observe: (e) => {
      if (!window.includes(e.phase)) return;
      if (e.kind === "before") began = performance.now();
      else spent += performance.now() - began;
    },
  });
  if (!c.ok) throw new Error(c.diagnostics.map((d) => d.message).join("\n"));
  const total = (Object.keys(c.times) as Stage[]).reduce((sum, s) => sum + c.times[s], 0);
  return { window: spent, phases: c.times.phases, total };
}

function measured(text: string, runs: number): Times {
  const all = Array.from({ length: runs }, () => once(text));
  const of = (key: keyof Times): number => median(all.map((t) => t[key]));
  return { window: of("window"), phases: of("phases"), total: of("total") };
}

export function benchGrowth(): void {
  for (const make of Object.values(shapes)) for (let i = 0; i < 3; i++) once(make(200));
  console.log(
    "\ngrowth, sm_90 -O2: milliseconds (median of 3), and how many times those of the first row of the shape",
  );
  row(["shape", "steps", "SSA window", "phases", "total", "window ×", "phases ×", "total ×"]);
  for (const [name, make] of Object.entries(shapes)) {
    const times: Times[] = [];
    [1000, 2000, 4000].forEach((n, k) => {
      const t = measured(make(n), 3);
      times.push(t);
      const first = times[0]!;
      const grown = (key: keyof Times): string => (k === 0 ? "1" : (t[key] / first[key]).toFixed(1));
      row([
        name,
        String(n),
        t.window.toFixed(1),
        t.phases.toFixed(0),
        t.total.toFixed(0),
        grown("window"),
        grown("phases"),
        grown("total"),
      ]);
    });
  }
}
