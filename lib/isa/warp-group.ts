/** Products of matrices by a warp group: they work on registers after their issue, until a WARPGROUP.DEPBAR has waited for them. */
const products: ReadonlySet<string> = new Set(["HGMMA", "QGMMA", "IGMMA", "BGMMA"]);

/** By the word of the opcode. */
export function isWarpGroupProduct(op: string): boolean {
  return products.has(op);
}
