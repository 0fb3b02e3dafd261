/** Damaged cubins through every view of `dis`: an exit status and a message, never an exception. */
import { ptxlab } from "../../lib/cli/index";
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import { corpusPtx } from "../corpus/cases";
import { random } from "../corpus/random";
import { fakeHost } from "./fake-host";

const views = [
  ["--lines"],
  ["--live"],
  ["--cfg"],
  ["--html"],
  ["--data"],
  ["--source"],
  ["--info"],
  ["--asm"],
  ["--json"],
  ["--control"],
];

test("2,000 seeded mutations", async () => {
  const originals = (["sm_75", "sm_90"] as const).map(
    (target) => compile(corpusPtx("switch_table", target), { target, opt: 0 }).cubin!,
  );
  const code = originals.map((bytes) => {
    const cubin = readCubin(bytes);
    if (!cubin.ok) throw new Error("unreadable");
    return cubin.value.elf.sections[cubin.value.functions[0]!.section]!;
  });
  let shown = 0;
  for (let seed = 1; seed <= 2000; seed++) {
    const r = random(seed);
    const which = seed % 2;
    const original = originals[which]!;
    const bytes = original.slice(0, r.below(16) === 0 ? r.below(original.length) : original.length);
    for (let n = r.below(5); n >= 0 && bytes.length > 0; n--) {
      // Most of the damage goes into the words: that is what the views are about.
      const { offset, size } = code[which]!;
      const at = r.below(4) > 0 ? offset + r.below(size) : r.below(bytes.length);
      if (at < bytes.length) bytes[at] = r.below(256);
    }
    const host = fakeHost({ "k.cubin": bytes });
    const status = await ptxlab(["dis", ...views[seed % views.length]!, "k.cubin"], host);
    if (status === 0) shown++;
    else expect([status, host.stderr !== ""]).toEqual([2, true]);
  }
  expect(shown).toBeGreaterThan(1000);
  expect(shown).toBeLessThan(2000);
});
