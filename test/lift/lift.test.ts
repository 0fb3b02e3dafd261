/** Our own cubins of the corpus, lifted: blocks in the order of addresses, the same words back. */
import { compile } from "../../lib/compile.js";
import { readCubin } from "../../lib/elf/index.js";
import { encodeLifted, type Lifted, liftCubin } from "../../lib/lift/index.js";
import { renderFinding, verify } from "../../lib/ori/index.js";
import { unwrap } from "../../lib/result.js";
import { type CorpusTarget, corpus, corpusPtx, corpusTargets } from "../corpus/cases.js";

function lifted(ptx: string, target: CorpusTarget): readonly Lifted[] {
  const cubin = compile(ptx, { target, opt: 0 }).cubin;
  return unwrap(liftCubin(unwrap(readCubin(cubin!))));
}

describe("lift", () => {
  for (const target of corpusTargets)
    test(`the corpus on ${target}: sound IR, same words`, () => {
      for (const c of corpus)
        for (const l of lifted(corpusPtx(c.name, target), target)) {
          const findings = verify(l.func, "controlled", { skipDefinedness: true });
          expect([c.name, ...findings.map(renderFinding)]).toEqual([c.name]);
          expect(encodeLifted(l).words).toEqual(l.source.words);
        }
    });
});
