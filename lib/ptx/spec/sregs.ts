/**
 * Special registers: name, type, and the words of the gate where a target or a PTX version lacks it. Names with components are vectors of four.
 * Source: PTX ISA 9.0 chapter 10; gates measured on ptxas 13.0.88.
 */
export interface SpecialRegister {
  readonly type: "u32" | "u64" | "pred";
  /** 4 for %tid and its like, 1 for scalars. */
  readonly vector: 1 | 4;
  /** Least SM, 0 if all. */
  readonly sm: number;
  /** Least PTX version times ten, 0 if all. */
  readonly version: number;
}

const scalar32: string =
  "laneid warpid nwarpid smid nsmid lanemask_eq lanemask_le lanemask_lt lanemask_ge lanemask_gt clock clock_hi " +
  "globaltimer_lo globaltimer_hi total_smem_size dynamic_smem_size";
const reserved: string =
  "reserved_smem_offset_begin reserved_smem_offset_end reserved_smem_offset_cap reserved_smem_offset_0 reserved_smem_offset_1";
const vector32: string = "tid ntid ctaid nctaid";
const cluster: string = "clusterid nclusterid cluster_ctaid cluster_nctaid";

function build(): ReadonlyMap<string, SpecialRegister> {
  const map = new Map<string, SpecialRegister>();
  const add = (names: string, type: SpecialRegister["type"], vector: 1 | 4, sm = 0, version = 0): void => {
    for (const n of names.split(" ")) map.set(`%${n}`, { type, vector, sm, version });
  };
  add(scalar32, "u32", 1);
  add(reserved, "u32", 1, 80, 76);
  add(vector32, "u32", 4);
  add(cluster, "u32", 4, 90, 78);
  add("cluster_ctarank cluster_nctarank", "u32", 1, 90, 78);
  add("aggr_smem_size", "u32", 1, 90, 81);
  add("is_explicit_cluster", "pred", 1, 90, 78);
  add("gridid clock64 globaltimer", "u64", 1);
  add("current_graph_exec", "u64", 1, 0, 80);
  for (let i = 0; i < 32; i++) add(`envreg${i}`, "u32", 1);
  for (let i = 0; i < 8; i++) {
    add(`pm${i}`, "u32", 1);
    add(`pm${i}_64`, "u64", 1);
  }
  return map;
}

export const SPECIAL_REGISTERS: ReadonlyMap<string, SpecialRegister> = build();
