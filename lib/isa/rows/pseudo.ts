/** Instructions that exist only inside the compiler; they have no encoding. */
import type { Rows } from "../row.js";

export const pseudoRows: Rows = [
  {
    op: "MOV.PHI",
    does: "d = the source that belongs to the predecessor control comes from (same order as the block's predecessors)",
    slots: "d <- s...",
    lines: [{ as: "", text: "MOV.PHI d, s" }],
  },
  {
    op: "BRX.IDX",
    does: "go to block number a of the instruction's table",
    slots: "<- a",
    flow: "indirect",
    lines: [{ as: "", text: "BRX.IDX a" }],
  },
  {
    op: "PCOPY",
    does: "parallel copy: d… = s…, all at once",
    slots: "d... <- s...",
    lines: [{ as: "", text: "PCOPY d, s" }],
  },
  {
    op: "UNDEF",
    does: "d has no defined value",
    slots: "d <-",
    lines: [{ as: "", text: "UNDEF d" }],
  },
];
