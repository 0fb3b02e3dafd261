import { tableFor } from "../../lib/isa/compiled";
import { isaPage, isaPages } from "../../lib/sass/docs";

const textOf = (opcode: number): string => `0x${(opcode & 0xfff).toString(16)}${opcode >> 12 ? " (bit 91 set)" : ""}`;

test("every opcode of the table stands in the index and on the page of its mnemonic", () => {
  const pages = new Map(isaPages().map((p) => [p.name, p.text]));
  const index = pages.get("opcodes.md")!;
  for (const isa of [75, 90, 100])
    for (const opcode of tableFor(isa).opcodes)
      for (const c of tableFor(isa).at(opcode).lines) {
        expect(index).toContain(`| ${textOf(opcode)} | [${c.line.row.op}](`);
        // A word of sm_75 may have bit 91 where the table has none.
        expect(pages.get(`${c.line.row.op}.md`)).toContain(`### Opcode ${textOf(c.opcode)}\n`);
        expect(pages.get("README.md")).toContain(`[${c.line.row.op}](${c.line.row.op}.md)`);
      }
  expect(pages.size).toBeGreaterThan(150);
});

test("the diagram of MOV R: opcode 0x202 in the lowest bits, guard, destination at 16, source at 32", () => {
  const page = isaPage("MOV");
  const part = page.slice(page.indexOf("### Opcode 0x202\n"));
  const rows = part.split("```text\n")[1]!.split("```")[0]!.trimEnd().split("\n");
  expect(rows).toHaveLength(4);
  // Bits 31:0: nothing at 31:24, eight bits of one letter, the guard, 0010 0000 0010.
  expect(rows[3]).toMatch(/^ 31 {2}-{8} ([a-z])\1{7} gggg0010 00000010 {2}0$/);
  expect(rows[2]).toMatch(/([a-z])\1{7} {2}32$/);
  expect(part).toMatch(/\| [a-z] \| 23:16 \| d: register R \|/);
});
