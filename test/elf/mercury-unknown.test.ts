import { compile } from "../../lib/compile";
import { readElf } from "../../lib/elf/elf64";

// The table without the lines of one instruction: nothing that the compiler writes is known to be missing in it.
jest.mock("../../lib/elf/cubin/capmerc-table", () => {
  const table = jest.requireActual<typeof import("../../lib/elf/cubin/capmerc-table")>(
    "../../lib/elf/cubin/capmerc-table",
  );
  const lines = table.mercuryLines.split("\n").filter((l) => !l.startsWith("STG "));
  return { ...table, mercuryLines: lines.join("\n") };
});

function object(relocatable: boolean) {
  const text = `.version 9.0
.target sm_100
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .b64 %d; .reg .b32 %r;
ld.param.u64 %d, [p]; mov.u32 %r, 5; st.global.u32 [%d], %r; ret; }`;
  const made = compile(text, { target: "sm_100", opt: 0, relocatable });
  const elf = readElf(made.cubin!);
  if (!elf.ok) throw new Error("unreadable");
  const { flags, sections } = elf.value;
  const merc = sections.some((s) => /merc/.test(s.name));
  return [flags & 0xff, merc, made.diagnostics.map((d) => `${d.severity}: ${d.message}`)];
}

test("what is not known of Mercury leaves the capsules out; of an object that is said, of an executable not", () => {
  expect(object(true)).toEqual([
    4,
    false,
    [expect.stringMatching(/^info: Mercury capsules left out: not known for instruction at k\+0x[0-9a-f]+0$/)],
  ]);
  expect(object(false)).toEqual([4, false, []]);
});
