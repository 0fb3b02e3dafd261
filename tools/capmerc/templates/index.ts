/**
 * Statements of random kernels, by family, a template each. `<a|b>` stands for either. Placeholders:
 *
 *     $r $d $f $g $h $p  a register of 32 or 64 bits, f32, f64, 16 bits, predicate
 *     $i $fi $gi         the same or a constant
 *     $a                 a global address (uniform or of the thread)   $s  a shared address   $l  a local one   $c  a constant one
 *     $o $o8 $o16        a displacement, perhaps none, of so many bytes alignment
 *     $n                 a barrier's number    $lut  a logic table    $sr $sr64  a special register   $q  four 32-bit registers
 *
 * Statements that all lanes must reach together are never guarded: those that begin with a word of `together`.
 */
import { COMPARISONS, CONVERSIONS, EXTREMES, FLOATS, INTEGERS, MOVES } from "./arithmetic.js";
import { BARRIER_REGISTERS, BARRIERS, MASKS, MATRICES } from "./lanes.js";
import { ATOMICS, MEMORY } from "./memory.js";

export const families: readonly { readonly weight: number; readonly lines: readonly string[] }[] = [
  { weight: 9, text: INTEGERS },
  { weight: 4, text: COMPARISONS },
  { weight: 3, text: MOVES },
  { weight: 5, text: FLOATS },
  { weight: 4, text: CONVERSIONS },
  { weight: 9, text: MEMORY },
  { weight: 4, text: ATOMICS },
  { weight: 5, text: BARRIERS },
  { weight: 1, text: MATRICES },
  { weight: 0, text: BARRIER_REGISTERS },
  { weight: 0, text: MASKS },
  { weight: 0, text: EXTREMES },
].map(({ weight, text }) => ({ weight, lines: text.trim().split("\n") }));

/** Statements that are not guarded begin with one of these. */
export const together: readonly string[] =
  "bar barrier shfl vote match redux elect activemask ldmatrix stmatrix movmatrix mma add.cc sub.cc mad.lo.cc cvta.shared createpolicy fns".split(
    " ",
  );

export const special: readonly string[] = (
  "tid.x tid.y tid.z ntid.x ntid.y ntid.z ctaid.x ctaid.y ctaid.z nctaid.x nctaid.y nctaid.z laneid warpid nwarpid smid nsmid " +
  "lanemask_eq lanemask_lt lanemask_le lanemask_gt lanemask_ge clock clock_hi globaltimer_lo globaltimer_hi dynamic_smem_size " +
  "total_smem_size aggr_smem_size clusterid.x clusterid.y clusterid.z cluster_ctarank cluster_nctarank cluster_ctaid.x cluster_ctaid.y " +
  "cluster_nctaid.x cluster_nctaid.z nclusterid.x nclusterid.y envreg0 envreg3 envreg31 pm0 pm7 reserved_smem_offset_begin"
)
  .split(" ")
  .map((n) => `%${n}`);
