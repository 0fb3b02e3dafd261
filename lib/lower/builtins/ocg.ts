/**
 * The 44 built-in operations `__nv_ptx_builtin_ocg_NAME_WORD…` (wiki page 54) as data, and calls of them. PTX declares such a function
 * `.extern` and calls it; ptxas 13.0.88 makes the machine instruction of it. Six extrema, `viadd_32` and `add_s32` are lowered, to the
 * same instruction; below sm_90, where ptxas puts words that nvdisasm does not read, and all others are refused by name: `ptx` is the
 * instruction of PTX that makes the same.
 *
 * What is wrong with a call is said as ptxas says it (measured), which is fatal: C7300 an unknown operation, C7301 another number of
 * parameters, C7305 a word that the operation has not, C7308 `relu` with unsigned types.
 */
import { diagnostic } from "../../diagnostics.js";
import { not, PT, RZ } from "../../ori/operand.js";
import type { Operand } from "../../ori/types.js";
import type { Operand as PtxOperand } from "../../ptx/ast.js";
import type { Context } from "../context.js";
import { actual } from "../inline.js";
import { Refusal } from "../refusal.js";
import { storePart, wordAt } from "../slots.js";
import { U32 } from "../types.js";

/** What names of built-ins begin with. */
export const OCG_PREFIX = "__nv_ptx_builtin_ocg_";

/** name | words after it | machine instruction | instruction of PTX that makes the same, "-" for none. */
const rows = `
add|s32 f32 s64 f64 sat|IADD3, FADD|add
cp_async_commit|mem bulk shared global|LDGDEPBAR|cp.async.commit_group
cp_async_wait|mem bulk shared global read write|DEPBAR|cp.async.wait_group
cache|tensor pf iv ivall|CCTL|prefetch
ld_mc|add min max f32add and or xor f16x2 f16x4 f16x8 bf16x2 bf16x4 bf16x8 f32 f32x2 f32x4 f64 u32 s32 s64 u64|LDGMC|multimem.ld_reduce
ldc|u32 u64|LDC|ld.const
s2r||S2R|mov from a special register
acqblk||ACQBLK|griddepcontrol.wait
mnmx|s32 u32 s64 u64|VIMNMX|min, max
red_async|release shared global gpu sys mmio v2 v4 u32 s32 u64 add min max inc dec and or xor|REDAS|red.async
cp_async_bulk|mbarrier counted shared global multicast sequenced bytemask|UBLKCP|cp.async.bulk
cp_red_async_bulk|mbarrier counted shared global u32 s32 u64 s64 f16 f32 f32ftz f64 bf16 add min max inc dec and or xor|UBLKRED|cp.reduce.async.bulk
cp_async_tensor|mbarrier shared global 1d 2d 3d 4d 5d im2col multicast|UTMALDG, UTMASTG|cp.async.bulk.tensor
cp_async_prefetch_tensor|global 1d 2d 3d 4d 5d im2col|UTMAPF|cp.async.bulk.prefetch.tensor
fence_view_async|all global shared dshared tensor|FENCE.VIEW.ASYNC|fence.proxy.async
viadd|32 f16x2|VIADD|add
viaddmax|s32 u32 s16x2 u16x2 relu|VIADDMNMX|max of an add
viaddmin|s32 u32 s16x2 u16x2 relu|VIADDMNMX|min of an add
vimax|s32 u32 s16x2 u16x2 relu|VIMNMX|max
vimin|s32 u32 s16x2 u16x2 relu|VIMNMX|min
vimax3|s32 u32 s16x2 u16x2 relu|VIMNMX3|max of a max
vimin3|s32 u32 s16x2 u16x2 relu|VIMNMX3|min of a min
write_async|release shared global gpu sys mmio v2 v4 u8 s8 u16 s16 b32 b64 u32 f64|STAS|st.async
cctl_c|ldc ldcu shallow deep iv ivall|CCTL.C|-
getnextworkid|selfcast broadcast|UGETNEXTWORKID|clusterlaunchcontrol.try_cancel
fadd2|ftz rn rm rp rz|FADD2|add.f32x2
ffma2|ftz rn rm rp rz|FFMA2|fma.f32x2
fmul2|ftz rn rm rp rz|FMUL2|mul.f32x2
preexit||PREEXIT|griddepcontrol.launch_dependents
fmax3|ftz nan|FMNMX3|max.f32 of three
fmin3|ftz nan|FMNMX3|min.f32 of three
tcbar|cta1 cta2 a1t0 a0tx flush multicast b32|UTCBAR|tcgen05.commit
mmareadshma||UTCBAR|tcgen05.mma
tccp|128dp256bit 4dp256bit 128dp128bit 2x64dp128bitlw02lw13 2x64dp128bitlw01lw23 4x32dp128bit u4x16p64 u6x16p32 cta1 cta2 b32 b64|UTCCP|tcgen05.cp
tcmma|gdesc tmem h i q o mxq cta1 cta2 ashift scale lutb areuse akeep breuse bkeep ws buffer0 buffer1 buffer2 buffer3 2x 4x blockscale impl b32 b64 u32|UTCHMMA, UTCQMMA, UTCIMMA, UTCOMMA|tcgen05.mma
tcshift|cta1 cta2 b32|UTCSHIFT|tcgen05.shift
virtcount|u32|UVIRTCOUNT|-
tcatomsws|and or findandset align cas cta1 cta2|UTCATOMSWS|tcgen05.alloc
tcldsws|cta1 cta2|UTCLDSWS|-
tcstsws|cta1 cta2 b32 b64|UTCSTSWS|-
memclear|b32 b64|UMEMSETS|st.bulk
acqshminit||ACQSHMINIT|-
ldtm|16dp128bit 16dp256bit 32dp32bit 16dp64bit 16dp32bitt0t15 16dp32bitt16t31 x1 x2 x4 x8 x16 x32 x64 x128 pack16bit fused stat nan max maxabs min minabs u32 s32 f32 b32 sparsify u2 spfactor2to4|LDTM|tcgen05.ld
sttm|16dp128bit 16dp256bit 32dp32bit 16dp64bit 16dp32bitt0t15 16dp32bitt16t31 x1 x2 x4 x8 x16 x32 x64 x128 expand16bit fused b32|STTM|tcgen05.st
`;

/** One of the operations. */
export interface OcgBuiltin {
  readonly name: string;
  /** Words that may follow its name. */
  readonly words: readonly string[];
  /** Mnemonics of the machine. */
  readonly sass: string;
  /** Instruction of PTX that makes the same; null for none. */
  readonly ptx: string | null;
  /** Calls of it are lowered. */
  readonly lowered: boolean;
}

type Emit = (c: Context, args: readonly Operand[], words: readonly string[]) => Operand;

/** `.S16x2.RELU`. A signed word has no name before sm_120. */
function suffix(c: Context, words: readonly string[]): string {
  const type = words.find((w) => w !== "relu") ?? "s32";
  const named =
    type !== "s32" || c.target.has("vimnmxTypes") ? `.${type.slice(0, 1).toUpperCase()}${type.slice(1)}` : "";
  return `${named}${words.includes("relu") ? ".RELU" : ""}`;
}

/** Extrema of two or three numbers, of a sum and a number. */
function extremum(op: string, feature: "vimnmx" | "viaddmnmx", max: boolean): Emit {
  return (c, args, words) => {
    if (!c.target.has(feature)) throw new Refusal();
    return c.op(`${op}${suffix(c, words)}`, [...args, max ? not(PT()) : PT()]);
  };
}

const emits: Readonly<Record<string, { readonly parameters: number; readonly emit: Emit }>> = {
  vimax: { parameters: 2, emit: extremum("VIMNMX", "vimnmx", true) },
  vimin: { parameters: 2, emit: extremum("VIMNMX", "vimnmx", false) },
  vimax3: { parameters: 3, emit: extremum("VIMNMX3", "viaddmnmx", true) },
  vimin3: { parameters: 3, emit: extremum("VIMNMX3", "viaddmnmx", false) },
  viaddmax: { parameters: 3, emit: extremum("VIADDMNMX", "viaddmnmx", true) },
  viaddmin: { parameters: 3, emit: extremum("VIADDMNMX", "viaddmnmx", false) },
  viadd: {
    parameters: 2,
    emit: (c, args, words) => {
      if (!c.target.has("viadd") || words.join() !== "32") throw new Refusal();
      return c.op("VIADD", args);
    },
  },
  add: {
    parameters: 2,
    emit: (c, [a, b], words) => {
      if (words.join() !== "s32") throw new Refusal();
      return c.op("IADD3", [a as Operand, b as Operand, RZ()]);
    },
  },
};

/** All of them, in ptxas's order. */
export const ocgBuiltins: readonly OcgBuiltin[] = rows
  .trim()
  .split("\n")
  .map((line) => {
    const [name, words, sass, ptx] = line.split("|") as [string, string, string, string];
    const list = words === "" ? [] : words.split(" ");
    return { name, words: list, sass, ptx: ptx === "-" ? null : ptx, lowered: emits[name] !== undefined };
  });

/** ptxas ends where it finds such a thing. */
function fatal(c: Context, text: string): void {
  c.diagnostics.push(diagnostic("fatal", text), diagnostic("fatal", "Ptx assembly aborted due to errors"));
}

/** A word of 32 bits. */
function argument(c: Context, o: PtxOperand): Operand {
  const { value, slots } = actual(c, o);
  if (slots === null) return c.materialize((value as (t: typeof U32) => Operand)(U32));
  if (slots.memory !== null || slots.bytes !== 4) throw new Refusal();
  return wordAt(c, slots, 0);
}

/** The operation that the name begins with; the longest, since some begin with others. */
function operationOf(text: string): OcgBuiltin | null {
  const found = ocgBuiltins.filter(({ name }) => text === name || text.startsWith(`${name}_`));
  return found.sort((a, b) => b.name.length - a.name.length)[0] ?? null;
}

/** Lowers a call of a built-in. */
export function callBuiltin(
  c: Context,
  symbol: string,
  given: readonly PtxOperand[],
  wanted: readonly PtxOperand[],
): void {
  const text = symbol.slice(OCG_PREFIX.length);
  const builtin = operationOf(text);
  if (builtin === null) {
    fatal(c, `(C7300) Unexpected instrinsic name (${symbol})`);
    return;
  }
  const lowered = emits[builtin.name];
  if (lowered === undefined) throw new Refusal(symbol);
  const words = text.length === builtin.name.length ? [] : text.slice(builtin.name.length + 1).split("_");
  const unknown = words.find((w) => !builtin.words.includes(w));
  const [to] = wanted;
  if (unknown !== undefined) fatal(c, `(C7305) Unexpected instrinsic subop (${unknown})`);
  else if (given.length !== lowered.parameters)
    fatal(c, `(C7301) Unexpected instrinsic param number (${given.length + wanted.length})`);
  else if (words.includes("relu") && words.some((w) => w.startsWith("u")))
    fatal(c, '(C7308) Instrinsic - ".RELU not allowed with unsigned type"');
  else if (wanted.length !== 1 || to === undefined) throw new Refusal(symbol);
  else {
    const d = lowered.emit(
      c,
      given.map((o) => argument(c, o)),
      words,
    );
    const { slots } = actual(c, to);
    if (slots !== null) storePart(c, slots, 0, d, 4);
    else if (to.kind !== "sink") c.move(c.inPlace(to, U32), d);
  }
}
