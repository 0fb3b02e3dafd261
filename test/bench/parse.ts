/** Text to tree on a file of over 1 MB: the corpus many times over, every entry renamed. */
import { parse } from "../../lib/ptx/index.js";
import { corpus, corpusPtx } from "../corpus/cases.js";
import { median } from "./measure.js";

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

export function benchParse(): void {
  const text = bigPtx(3 << 20);
  const megabytes = Buffer.byteLength(text) / 1e6;
  const runs = Array.from({ length: 25 }, () => {
    const start = performance.now();
    const r = parse(text);
    if (!r.ok) throw new Error(r.diagnostics[0]?.message);
    return performance.now() - start;
  }).slice(5);
  const middle = median(runs);
  const rate = (ms: number): string => `${((megabytes / ms) * 1000).toFixed(1)} MB/s`;
  console.log(
    `\nparse: ${megabytes.toFixed(2)} MB of nvcc's PTX to a tree in ${middle.toFixed(1)} ms (median of 20 after warm-up): ${rate(middle)}; best ${rate(Math.min(...runs))}`,
  );
}
