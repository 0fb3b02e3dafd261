import type { CubinFunction, CubinParam } from "../../lib/elf/index.js";
import { parseInst } from "../../lib/sass/index.js";
import { GridMachine } from "../../lib/sim/machine.js";
import { GlobalMemory, LOCAL_TOP, LOCAL_WINDOW, SHARED_WINDOW } from "../../lib/sim/memory.js";
import { programOf } from "../../lib/sim/prepare.js";
import type { EngineChoice, Run } from "../../lib/sim/types.js";
import { target } from "../../lib/target/index.js";

export interface Assembled {
  readonly run: Run;
  /** The output buffer afterwards. */
  readonly out: Int32Array;
}

export interface Setup {
  readonly sm?: "sm_75" | "sm_80" | "sm_90" | "sm_120";
  readonly grid?: readonly [number, number, number];
  readonly block?: readonly [number, number, number];
  readonly cluster?: readonly [number, number, number];
  readonly sharedBytes?: number;
  /** Words of the output buffer, whose address is the first parameter. */
  readonly words?: number;
  readonly input?: readonly number[];
  readonly budget?: number;
  /** Words of constant bank 0: offset and value. */
  readonly constants?: readonly (readonly [offset: number, word: number])[];
  readonly profile?: boolean;
  readonly races?: boolean;
  readonly registers?: boolean;
  readonly engine?: EngineChoice;
}

/**
 * Runs SASS text, one instruction per line (`name:` lines are labels), on sm_75 unless told otherwise. The address of
 * the output buffer is in c[0x0][0x160] and c[0x0][0x164] (sm_75), of the input buffer in c[0x0][0x168].
 */
export function runText(text: string, setup: Setup = {}): Assembled {
  const sm = target(setup.sm ?? "sm_75");
  const lines = text
    .split("\n")
    .map((l) => l.trim())
    .filter((l) => l !== "" && !l.startsWith("//"));
  const labels = new Map<string, number>();
  const code: string[] = [];
  for (const line of lines) {
    if (line.endsWith(":")) labels.set(line.slice(0, -1), code.length * 16);
    else code.push(line);
  }
  const insts = code.map((line) => {
    const resolved = line.replace(/\b[a-z]\w*$/, (name) => {
      const at = labels.get(name);
      return at === undefined ? name : `0x${at.toString(16)}`;
    });
    const parsed = parseInst(resolved, { isa: sm.isa });
    if (!parsed.ok) throw new Error(`${line}: ${parsed.message}`);
    return parsed.inst;
  });
  const global = new GlobalMemory();
  const words = setup.words ?? 64;
  const out = global.allocate(words * 4);
  const input = global.allocate(Math.max(4, (setup.input?.length ?? 0) * 4));
  if (setup.input) global.write(input, new Uint8Array(Int32Array.from(setup.input).buffer));
  const bank = new Int32Array(0x200);
  const c = sm.constants;
  const put = (at: number, ...values: number[]): void => bank.set(values, at >> 2);
  const block = setup.block ?? [32, 1, 1];
  const grid = setup.grid ?? [1, 1, 1];
  put(c.ntid, ...block);
  put(c.nctaid, ...grid);
  put(c.stackPointer, LOCAL_TOP);
  put(c.sharedWindow, 0, SHARED_WINDOW);
  put(c.localWindow, 0, LOCAL_WINDOW);
  put(c.paramBase, out | 0, Math.floor(out / 2 ** 32), input | 0, Math.floor(input / 2 ** 32));
  for (const [at, word] of setup.constants ?? []) put(at, word);
  const cubin = { name: "k", ranges: [], ptxLines: [{ offset: 16, file: 1, line: 7 }], params: [] as CubinParam[] };
  const placed = { cubin: cubin as unknown as CubinFunction, first: 0, count: insts.length };
  const machine = new GridMachine({
    program: programOf(sm, [placed], insts),
    kernel: "k",
    entry: 0,
    global,
    banks: [bank],
    grid,
    block,
    cluster: setup.cluster ?? [1, 1, 1],
    sharedBytes: setup.sharedBytes ?? 1024,
    dynamicShared: 0,
    sharedReserved: 0,
    budget: setup.budget ?? 100_000,
    profile: setup.profile ?? false,
    races: setup.races ?? false,
    registers: setup.registers ?? false,
    ...(setup.engine && { engine: setup.engine }),
  });
  const run = machine.run();
  return { run, out: new Int32Array(global.read(out, words * 4).buffer) };
}

/** Text that leaves the address of word `tid.x` of the output in R2:R3 and of the input in R4:R5, tid.x in R0. */
export const prologue = `
  S2R R0, SR_TID.X
  MOV R6, 0x4
  IMAD.WIDE.U32 R2, R0, R6, c[0x0][0x160]
  IMAD.WIDE.U32 R4, R0, R6, c[0x0][0x168]`;
