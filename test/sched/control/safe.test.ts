/** Whatever the policy chooses, the words are safe: random code and random rules, judged by the hazard checker. */
import * as fc from "fast-check";
import { findingText, verifyHazards } from "../../../lib/hazard/index.js";
import { encodeFunc } from "../../../lib/sass/index.js";
import { type AssignPolicy, assignControl, type Policy, scheduleFunc } from "../../../lib/sched/index.js";
import { target } from "../../../lib/target/index.js";
import { random } from "../../regalloc/random.js";
import { func } from "./words.js";

const arches = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"] as const;
type Arch = (typeof arches)[number];

/** Random blocks with branches forward and back, groups of asynchronous copies where the SM has them. */
function code(seed: number, arch: Arch): string {
  const pick = random(seed);
  const old = arch === "sm_75";
  const carries = arch === "sm_100" || arch === "sm_120" ? "PT, PT, " : "";
  const sys = old ? ".SYS" : "";
  const r = (): string => `R${4 + pick(10)}`;
  const pair = (): string => `R${4 + 2 * pick(5)}`;
  const at = (): string => (old ? `[${pair()}+${4 * pick(4)}]` : `desc[UR6][${pair()}.64+${4 * pick(4)}]`);
  const guard = (): string => ["", "", "@P0 ", "@!P0 ", "@P1 "][pick(5)]!;
  const kinds: (() => string)[] = [
    () => `IADD3 ${r()}, ${carries}${r()}, ${r()}, ${r()}`,
    () => `IMAD ${r()}, ${r()}, ${r()}, ${r()}`,
    () => `IMAD.WIDE ${pair()}, ${r()}, ${r()}, ${pair()}`,
    () => `FFMA ${r()}, ${r()}, ${r()}, ${r()}`,
    () => `DFMA ${pair()}, ${pair()}, ${pair()}, ${pair()}`,
    () => `MUFU.RCP ${r()}, ${r()}`,
    () => `ISETP.GE.AND P${pick(2)}, PT, ${r()}, ${r()}, PT`,
    () => `SEL ${r()}, ${r()}, ${r()}, P${pick(2)}`,
    () => `S2R ${r()}, SR_TID.X`,
    () => `R2UR UR8, ${r()}`,
    () => `IADD3 ${r()}, ${carries}${r()}, UR8, RZ`,
    () => `P2R ${r()}, PR, RZ, 0x7f`,
    () => `LDG.E${sys} ${r()}, ${at()}`,
    () => `LDG.E.64${sys} ${pair()}, ${at()}`,
    () => `STG.E${sys} ${at()}, ${r()}`,
    () => `LDS ${r()}, [${r()}]`,
    () => `STS [${r()}], ${r()}`,
    () => `SHFL.IDX PT, ${r()}, ${r()}, ${r()}, 0x1f`,
    () => `BAR.SYNC${old || arch === "sm_80" || arch === "sm_86" ? "" : ".DEFER_BLOCKING"} 0x0`,
  ];
  if (!old) {
    kinds.push(
      () => `LDGSTS.E [${r()}], ${at()}`,
      () => "LDGDEPBAR",
      () => `DEPBAR.LE SB0, 0x${pick(3)}`,
    );
  }
  const blocks = 2 + pick(4);
  const out: string[] = [];
  for (let b = 0; b < blocks; b++) {
    out.push(`b${b}`);
    for (let n = 2 + pick(10); n > 0; n--) {
      const made = kinds[pick(kinds.length)]!();
      out.push(/^(BAR|DEPBAR|LDGDEPBAR)/.test(made) ? made : guard() + made);
    }
    if (b < blocks - 1) out.push(`@P${pick(2)} BRA b${pick(blocks)}`);
  }
  return [...out, "EXIT"].join("\n");
}

function hazards(f: ReturnType<typeof func>, arch: Arch): string[] {
  const { words } = encodeFunc(f);
  return verifyHazards({ name: "k", words }, target(arch)).map(findingText);
}

/** Rules that choose at random, the same way each time. */
function anyRules(seed: number): AssignPolicy {
  const pick = random(seed | 1);
  return {
    name: "any",
    scoreboard: (_p, _request, { allowed }) => {
      let k = pick(6);
      while (((allowed >> k) & 1) === 0) k = (k + 1) % 6;
      return k;
    },
    branch: () => pick(2) === 0,
    yield: () => (pick(2) === 0 ? 1 : 0),
    reuse: () => pick(2) === 0,
  };
}

const cases = fc.record({ seed: fc.nat(1_000_000), arch: fc.constantFrom(...arches) });

test("as ptxas chooses, and as a coin chooses", () => {
  fc.assert(
    fc.property(cases, fc.nat(1_000_000), ({ seed, arch }, coin) => {
      for (const policy of [{}, anyRules(coin)]) {
        const f = func(code(seed, arch), arch);
        assignControl(f, { policy });
        expect(hazards(f, arch)).toEqual([]);
      }
    }),
    { seed: 11, numRuns: 150 },
  );
});

/** Any order the graph allows, each time the same. */
const chaos = (seed: number): Policy => ({
  name: "chaos",
  does: "",
  direction: seed % 2 === 0 ? "forward" : "backward",
  ladder: [{ why: "chance", by: (c) => Math.imul(c.node + 1, seed | 1) ^ (seed >>> 3) }],
});

test("in any order that the scheduler may give", () => {
  fc.assert(
    fc.property(cases, fc.nat(1_000_000), ({ seed, arch }, coin) => {
      const f = func(code(seed, arch), arch);
      scheduleFunc(f, chaos(coin));
      assignControl(f);
      expect(hazards(f, arch)).toEqual([]);
    }),
    { seed: 12, numRuns: 100 },
  );
});

test("the checker would tell: without its stalls and waits the same code is not safe", () => {
  let unsafe = 0;
  for (let seed = 0; seed < 20; seed++) {
    const f = func(code(seed, "sm_90"), "sm_90");
    assignControl(f);
    for (const b of f.blocks) for (const i of b.insts) i.control = { ...i.control!, wait: 0 };
    if (hazards(f, "sm_90").length > 0) unsafe++;
  }
  expect(unsafe).toBeGreaterThan(15);
});

test("a scoreboard that may not be used is refused: of none, of seven, of groups of copies", () => {
  const text = `LDGSTS.E [R4], desc[UR6][R6.64]
    LDGDEPBAR
    LDG.E R8, desc[UR6][R6.64]
    DEPBAR.LE SB0, 0x0
    IADD3 R8, R8, R8, RZ
    EXIT`;
  for (const chosen of [-1, 0, 6, 7])
    expect(() => assignControl(func(`b0\n${text}`), { policy: { scoreboard: () => chosen } })).toThrow(
      `the scoreboard rule chose ${chosen} for LDG`,
    );
});
