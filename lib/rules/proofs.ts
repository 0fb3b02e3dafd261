/** Made by tools/prove-rules.ts: how each rule that is a text was proved, and the hash of the text that was. */
export interface Proof {
  readonly hash: string;
  readonly by: string;
}

// biome-ignore format: one line a rule
export const proofs: Readonly<Record<string, Proof>> = {
  "shift-right-and-sum": { hash: "9938e0e07f24d24a", by: "z3, all operands" },
  "shift-right-and-sum-signed": { hash: "89eefe0c652493ae", by: "z3, all operands" },
  "absolute-difference.VIMNMX": { hash: "7802afcbb885f131", by: "z3, all operands" },
  "absolute-difference.IMNMX": { hash: "943a57b1b649c63f", by: "z3, all operands" },
};
