/** Instruction rates of the codec on the corpus's machine code, many times over. */
import { compile } from "../../lib/compile.js";
import { decodeCode, encodeInst, renderInst } from "../../lib/sass/index.js";
import { target } from "../../lib/target/index.js";
import { corpus, corpusPtx, corpusTargets } from "../corpus/cases.js";
import { row } from "./measure.js";

export async function benchSass(): Promise<void> {
  const { measure } = await import("mitata");
  console.log("\nmachine code: million instructions per second (median)");
  row(["target", "decode", "decode+print", "encode"]);
  for (const name of corpusTargets) {
    const t = target(name);
    const parts = corpus.flatMap((c) =>
      compile(corpusPtx(c.name, name), { target: name }).functions.map((f) => f.code!.words),
    );
    const words = Uint32Array.from(parts.flatMap((p) => [...p]));
    const insts = decodeCode(words, t).map((i) => i!);
    const out = new Uint32Array(4);
    const rate = async (body: () => void): Promise<string> =>
      ((insts.length / (await measure(body)).p50) * 1e3).toFixed(2);
    row([
      name,
      await rate(() => void decodeCode(words, t)),
      await rate(() => {
        for (const inst of decodeCode(words, t)) renderInst(inst!, { isa: t.isa });
      }),
      await rate(() => {
        for (let i = 0; i < insts.length; i++) encodeInst(insts[i]!, t, out, 0, 16 * i);
      }),
    ]);
  }
}
