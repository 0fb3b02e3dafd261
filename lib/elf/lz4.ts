/**
 * LZ4 blocks, read. A block is a run of sequences: a token (high nibble: literals, low nibble: match length − 4, 15
 * means that bytes follow which are added up until one is below 255), the literals, a 16-bit distance back.
 */

/** The `size` bytes that the block stands for, null when it does not give exactly these. */
export function decodeLz4(block: Uint8Array, size: number): Uint8Array | null {
  // No byte of a block stands for more than 255.
  if (size > block.length * 255) return null;
  const out = new Uint8Array(size);
  let at = 0;
  let to = 0;
  const more = (n: number): number => {
    let length = n;
    if (n < 15) return length;
    for (let byte = 255; byte === 255; ) {
      if (at >= block.length) return -1;
      byte = block[at++]!;
      length += byte;
    }
    return length;
  };
  while (at < block.length) {
    const token = block[at++]!;
    const literals = more(token >> 4);
    if (literals < 0 || at + literals > block.length || to + literals > size) return null;
    out.set(block.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    if (at === block.length) break;
    if (at + 2 > block.length) return null;
    const distance = block[at]! | (block[at + 1]! << 8);
    at += 2;
    const match = more(token & 15) + 4;
    if (match < 4 || distance === 0 || distance > to || to + match > size) return null;
    for (let i = 0; i < match; i++) out[to + i] = out[to + i - distance]!;
    to += match;
  }
  return to === size ? out : null;
}
