/** The figures of docs/status.md that one command prints: the command, and what is taken from what it prints. */

export interface Figure {
  /** Run in the repository's root, after a build. `$FACTS`: a folder of facts that is not part of the repository (PTXLAB_FACTS). */
  readonly command: string;
  /** Name of a value → its text, the first group. */
  readonly takes: Readonly<Record<string, RegExp>>;
}

const script = (line: string): string => `node tools/run-ts.cjs tools/${line}`;

/** `make` of each SM, under its name. */
const perSm = (name: string, sms: readonly string[], make: (sm: string) => Figure): [string, Figure][] =>
  sms.map((sm) => [`${name}-${sm}`, make(sm)]);

/** Means of -O3 over ptxas -O3 as `fidelity` prints them, and on how many of the corpus no register is above ptxas's. */
const means = (): Readonly<Record<string, RegExp>> => {
  const of = (kernels: number, what: string): RegExp =>
    new RegExp(`ptxlab -O3 over ptxas -O3 \\(${kernels} kernels\\):.*?${what} ([\\d.]+)`);
  return {
    ...Object.fromEntries(["issued", "cycles", "registers"].map((what) => [what, of(20, what)])),
    ...Object.fromEntries(["issued", "cycles", "registers"].map((what) => [`triton-${what}`, of(5, what)])),
    "not-above": /ptxlab -O3 over ptxas -O3 \(20 kernels\).*\nregisters not above ptxas's: (\d+)/,
  };
};

export const figures: ReadonlyMap<string, Figure> = new Map<string, Figure>([
  ...perSm("fidelity", ["75", "80", "90", "100", "120"], (sm) => ({
    command: `npm run -s fidelity -- sm_${sm}`,
    takes: means(),
  })),
  ...perSm("programs", ["75", "90", "100"], (sm) => ({
    command: `npm run -s fidelity -- sm_${sm} --programs`,
    takes: Object.fromEntries(
      ["issued", "cycles", "registers"].map((what) => [what, new RegExp(`geometric means.*?${what} ([\\d.]+)`)]),
    ),
  })),
  ...perSm("bodies", ["75", "90", "100", "120"], (sm) => ({
    command: script(`bodies.ts compare --sm ${sm} --facts $FACTS/ptx-combos/combos.jsonl.gz`),
    takes: { same: /\(([\d.]+) %\)/, instructions: /instructions ([\d.]+) of/ },
  })),
  ...perSm("bodies-own", ["75", "90", "100", "120"], (sm) => ({
    command: script(`bodies.ts compare --sm ${sm} --seed 11 --count 1000`),
    takes: { same: /\(([\d.]+) %\)/, instructions: /instructions ([\d.]+) of/ },
  })),
  ...perSm("bodies-run", ["75", "90", "100", "120"], (sm) => ({
    command: script(`bodies.ts run --sm ${sm} --seed 12 --count 300`),
    takes: { bodies: /: (\d+) bodies/, differ: /, (\d+) differ/ },
  })),
  ...perSm("flow", ["75", "90", "100"], (sm) => ({
    command: script(`flow.ts compare --sm ${sm} --facts $FACTS/flow/flow.jsonl.gz`),
    takes: { same: /\(([\d.]+) %\)/ },
  })),
  ...perSm("flow-own", ["75", "90", "100"], (sm) => ({
    command: script(`flow.ts compare --sm ${sm} --seed 21 --count 300`),
    takes: { same: /\(([\d.]+) %\)/ },
  })),
  [
    "rules",
    {
      command: script("rule-probes.ts"),
      takes: {
        texts: /^(\d+) rules that are texts/m,
        fire: /; (\d+) fire/,
        asked: /^(\d+) of them as PTX/m,
        same: /\(([\d.]+) %\)/,
      },
    },
  ],
  [
    "compile-time",
    {
      command: script("compile-time.ts"),
      takes: { "75": /sm_75: ([\d.]+)/, "90": /sm_90: ([\d.]+)/, "100": /sm_100: ([\d.]+)/ },
    },
  ],
  ["start", { command: script("start.ts"), takes: { times: /bin\/ptxas: [\d.]+ ms, ([\d.]+) times/ } }],
  [
    "random-cuda",
    {
      command: script("random-cuda.ts 30 --from 2000 --sm 90,75 -O 3"),
      takes: { right: /^(\d+) of/m, all: /of (\d+) programs/ },
    },
  ],
  ["interpreter-fuzz", { command: script("interpreter.ts fuzz 2000 --from 30000"), takes: { said: /^(.*)$/m } }],
]);
