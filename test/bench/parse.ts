/** Text to tree on a file of over 1 MB: the corpus many times over, every entry renamed. */
import { parse } from "../../lib/ptx/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";

/** At least `bytes` of PTX that nvcc made. */
export function bigPtx(bytes: number): string {
  const head = corpusPtx("saxpy", "sm_90").split("\n\t// .globl")[0]!;
  const bodies = corpus.map((c) => {
    const text = corpusPtx(c.name, "sm_90");
    return text.slice(text.indexOf(".address_size 64") + ".address_size 64".length);
  });
  const parts = [head];
  let length = head.length;
  for (let copy = 0; length < bytes; copy++) {
    for (const body of bodies) {
      // Every module-scope name gets the copy's number, so that the module stays legal.
      const names = [
        ...body.matchAll(/^(?:\.visible |\.weak )?\.(?:entry|global|const|extern).*?(\w+)(?:\(|\[| =|;)/gm),
      ].map((m) => m[1]!);
      let part = body;
      for (const name of names) part = part.replace(new RegExp(`\\b${name}`, "g"), `c${copy}_${name}`);
      parts.push(part);
      length += part.length;
    }
  }
  return parts.join("\n");
}

export async function benchParse(): Promise<void> {
  const { measure } = await import("mitata");
  const text = bigPtx(3 << 20);
  const megabytes = Buffer.byteLength(text) / 1e6;
  const stats = await measure(() => parse(text));
  const r = parse(text);
  console.log(
    `\nparse: ${megabytes.toFixed(2)} MB in ${(stats.p50 / 1e6).toFixed(1)} ms (median), ${((megabytes / stats.p50) * 1e9).toFixed(1)} MB/s; ${r.diagnostics.length} diagnostics`,
  );
}
