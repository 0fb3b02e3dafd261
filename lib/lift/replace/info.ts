/**
 * `.nv.info.NAME` of code that has changed: which attributes hold byte offsets of code, and registers, and where
 * (measured on ptxas 13.0.88, names from wiki pages 59 and 71; payloads compared with the code of real cubins in test/oracle/lift.test.ts).
 */
import { type Diagnostic, diagnostic } from "../../diagnostics.js";
import { type InfoRecord, infoWords } from "../../elf/cubin/info.js";
import { File, type Inst, Kind } from "../../ori/types.js";
import { decodeInst } from "../../sass/index.js";
import type { CodeMap } from "./map.js";

/** Words of an entry, which of them is the offset, and which holds a register number from bit `shift` on. */
export interface Layout {
  readonly stride: number;
  readonly offset: number;
  readonly register?: { readonly word: number; readonly shift: number };
}

const list: Layout = { stride: 1, offset: 0 };

/** Of the attributes that name instructions. */
export const layouts: Readonly<Record<string, Layout>> = {
  EXIT_INSTR_OFFSETS: list,
  S2RCTAID_INSTR_OFFSETS: list,
  LD_CACHEMOD_INSTR_OFFSETS: list,
  ATOM_SYS_INSTR_OFFSETS: list,
  COOP_GROUP_INSTR_OFFSETS: list,
  ATOMF16_EMUL_INSTR_OFFSETS: list,
  ATOM16_EMUL_INSTR_REG_MAP: { stride: 2, offset: 0, register: { word: 1, shift: 0 } },
  INT_WARP_WIDE_INSTR_OFFSETS: list,
  MBARRIER_INSTR_OFFSETS: { stride: 4, offset: 0, register: { word: 3, shift: 16 } },
  COROUTINE_RESUME_OFFSETS: list,
  INSTR_REG_MAP: { stride: 3, offset: 0, register: { word: 1, shift: 16 } },
  UNUSED_LOAD_BYTE_OFFSET: { stride: 2, offset: 0 },
  SYSCALL_OFFSETS: list,
  SW_WAR_MEMBAR_SYS_INSTR_OFFSETS: list,
  STACK_CANARY_TRAP_OFFSETS: list,
  LOCAL_CTA_ASYNC_STORE_OFFSETS: list,
};

/** Attributes that say nothing of places in the code. */
const silent: ReadonlySet<string> = new Set(
  `CTAIDZ_USED MAX_THREADS PARAM_CBANK CBANK_PARAM_OFFSETS EXTERNS REQNTID FRAME_SIZE MIN_STACK_SIZE
  BINDLESS_TEXTURE_BANK BINDLESS_SURFACE_BANK BINDLESS_IMAGE_OFFSETS KPARAM_INFO KPARAM_INFO_V2 CBANK_PARAM_SIZE
  MAXREG_COUNT CRS_STACK_SIZE MAX_STACK_SIZE COOP_GROUP_MASK_REGIDS WMMA_USED REGCOUNT SHARED_SCRATCH SW2861232_WAR
  SW_WAR CUDA_API_VERSION NUM_MBARRIERS CTA_PER_CLUSTER EXPLICIT_CLUSTER MAX_CLUSTER_RANK RESERVED_SMEM_USED
  RESERVED_SMEM_0_SIZE VRC_CTA_INIT_COUNT NUM_BARRIERS AT_ENTRY_FRAGEMENTS SPARSE_MMA_MASK TCGEN05_1CTA_USED
  TCGEN05_2CTA_USED GEN_ERRBAR_AT_EXIT REG_RECONFIG BLOCKS_ARE_CLUSTERS SANITIZE SYSCALLS_FALLBACK CUDA_REQ
  MERCURY_ISA_VERSION STUB_FUNCTION_KIND EXPLICIT_CACHING ISTYPEP_USED SUQ_USED TEXMODE_INDEPENDENT`.split(/\s+/),
);

export class InfoEditor {
  readonly diagnostics: Diagnostic[] = [];

  constructor(private readonly map: CodeMap) {}

  records(): InfoRecord[] {
    const { info } = this.map.lifted.source;
    const group = info.find((r) => r.name === "COOP_GROUP_INSTR_OFFSETS");
    return info.map((r) => {
      if (r.name === "INDIRECT_BRANCH_TARGETS") return this.branches(r);
      if (r.name === "ANNOTATIONS") return this.annotations(r);
      if (r.name === "COOP_GROUP_MASK_REGIDS") return this.masks(r, group);
      const layout = layouts[r.name];
      if (layout !== undefined) return this.entries(r, layout);
      if (!silent.has(r.name) && r.payload.length > 0 && this.map.moved)
        this.refuse(`attribute ${r.name} may name code offsets`);
      return r;
    });
  }

  private refuse(what: string): void {
    this.diagnostics.push(diagnostic("error", `${this.map.lifted.source.name}: ${what}`));
  }

  private moved(r: InfoRecord, offset: number): number {
    const at = this.map.inst(offset);
    if (at < 0) this.refuse(`${r.name} names the instruction at 0x${offset.toString(16)}, which is gone`);
    return at;
  }

  private entries(r: InfoRecord, layout: Layout): InfoRecord {
    const words = infoWords(r);
    const out: number[] = [];
    for (let i = 0; i + layout.stride <= words.length; i += layout.stride) {
      const entry = words.slice(i, i + layout.stride);
      const offset = entry[layout.offset]!;
      for (const at of this.everywhere(r, offset)) {
        const copy = entry.slice();
        copy[layout.offset] = at;
        if (layout.register !== undefined) {
          const { word, shift } = layout.register;
          const id = (entry[word]! >>> shift) & 0xff;
          copy[word] = (entry[word]! & ~(0xff << shift)) | (this.registerNow(offset, id) << shift);
        }
        out.push(...copy);
      }
    }
    if (r.name === "EXIT_INSTR_OFFSETS") out.push(...this.newExits());
    return withWords(r, out);
  }

  /** New offsets of the instruction at an old one: itself and its copies. An EXIT may be gone. */
  private everywhere(r: InfoRecord, offset: number): number[] {
    const { lifted, code } = this.map;
    const id = offset >> 4;
    const out: number[] = [];
    const at = this.map.inst(offset);
    if (at >= 0) out.push(at);
    for (const b of lifted.func.blocks)
      for (const inst of b.insts) if (isCopyOf(inst, id, lifted.tailOffset)) out.push(code.offsets[inst.id]!);
    if (out.length === 0 && r.name !== "EXIT_INSTR_OFFSETS") this.moved(r, offset);
    return out;
  }

  /** EXITs that stand in the code without an origin there. */
  private newExits(): number[] {
    const { lifted, code } = this.map;
    const out: number[] = [];
    for (const b of lifted.func.blocks)
      for (const inst of b.insts) {
        const old = inst.id < lifted.tailOffset >> 4 || (inst.origin >= 0 && inst.origin < lifted.tailOffset >> 4);
        if (inst.form.op === "EXIT" && !old) out.push(code.offsets[inst.id]!);
      }
    return out;
  }

  private branches(r: InfoRecord): InfoRecord {
    const words = infoWords(r);
    const out: number[] = [];
    for (let i = 0; i + 2 < words.length; ) {
      const count = words[i + 2]!;
      const targets = words.slice(i + 3, i + 3 + count).map((t) => this.map.place(t));
      if (targets.some((t) => t < 0)) this.refuse("a target of an indirect branch is gone");
      for (const at of this.everywhere(r, words[i]!)) out.push(at, words[i + 1]!, count, ...targets);
      i += 3 + count;
    }
    return withWords(r, out);
  }

  /** Pairs of 1 and an offset (spills); other kinds are not understood. */
  private annotations(r: InfoRecord): InfoRecord {
    const words = infoWords(r);
    if (!this.map.moved) return r;
    const out = words.slice();
    for (let i = 0; i + 1 < words.length; i += 2) {
      if (words[i] !== 1) {
        this.refuse(`ANNOTATIONS of kind ${words[i]} are not understood`);
        return r;
      }
      out[i + 1] = this.moved(r, words[i + 1]!);
    }
    return withWords(r, out);
  }

  /** One word per entry of COOP_GROUP_INSTR_OFFSETS: the register of the mask in the high byte, all ones for none. */
  private masks(r: InfoRecord, group: InfoRecord | undefined): InfoRecord {
    const offsets = group === undefined ? [] : infoWords(group);
    const words = infoWords(r);
    if (group === undefined || offsets.length !== words.length) {
      if (this.map.moved) this.refuse("COOP_GROUP_MASK_REGIDS without its offsets");
      return r;
    }
    const out: number[] = [];
    words.forEach((w, i) => {
      const now = w === 0xffffffff ? w : ((w & 0xffffff) | (this.registerNow(offsets[i]!, w >>> 24) << 24)) >>> 0;
      for (let n = this.everywhere(group, offsets[i]!).length; n > 0; n--) out.push(now);
    });
    return withWords(r, out);
  }

  /** The register that stands now where the instruction at an old offset had register `id`. */
  private registerNow(offset: number, id: number): number {
    const { lifted } = this.map;
    const { words } = lifted.source;
    const inst = find(this.map, offset);
    const old = decodeInst(words, offset >> 2, lifted.func.target, offset);
    if (inst === null || old === null) return id;
    for (const file of [File.R, File.UR])
      for (const [was, now] of [
        [old.srcs, inst.srcs],
        [old.dsts, inst.dsts],
      ] as const)
        for (let i = 0; i < was.length; i++)
          if (was[i]!.kind === Kind.Reg && was[i]!.file === file && was[i]!.id === id) return now[i]!.id & 0xff;
    return id;
  }
}

function isCopyOf(inst: Inst, id: number, tailOffset: number): boolean {
  return inst.origin === id && inst.id >= tailOffset >> 4;
}

function find(map: CodeMap, offset: number): Inst | null {
  for (const b of map.lifted.func.blocks) for (const inst of b.insts) if (16 * inst.id === offset) return inst;
  return null;
}

function withWords(r: InfoRecord, words: readonly number[]): InfoRecord {
  const payload = new Uint8Array(4 * words.length);
  const v = new DataView(payload.buffer);
  words.forEach((w, i) => {
    v.setUint32(4 * i, w >>> 0, true);
  });
  return { ...r, payload };
}
