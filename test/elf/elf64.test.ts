import { readElf, readNotes, readRelocations, readSymbols, SHT, stringAt } from "../../lib/elf/elf64";
import { noteBytes, relocationBytes, StringTable, section, symbolBytes, writeElf } from "../../lib/elf/elf64-write";

/** A file written by hand from the ELF specification: null section, one string table, nothing else. */
function smallest(): Uint8Array {
  const names = "\0.shstrtab\0";
  const shoff = 64 + 16;
  const out = new Uint8Array(shoff + 2 * 64);
  const v = new DataView(out.buffer);
  out.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], 0);
  v.setUint16(16, 2, true);
  v.setUint16(18, 190, true);
  v.setUint32(20, 1, true);
  v.setBigUint64(40, BigInt(shoff), true);
  v.setUint16(52, 64, true);
  v.setUint16(58, 64, true);
  v.setUint16(60, 2, true);
  v.setUint16(62, 1, true);
  for (let i = 0; i < names.length; i++) out[64 + i] = names.charCodeAt(i);
  const s = shoff + 64;
  v.setUint32(s, 1, true);
  v.setUint32(s + 4, 3, true);
  v.setBigUint64(s + 24, 64n, true);
  v.setBigUint64(s + 32, BigInt(names.length), true);
  v.setBigUint64(s + 48, 1n, true);
  return out;
}

describe("reader", () => {
  test("reads a file written by hand", () => {
    const elf = readElf(smallest());
    expect(elf.ok && elf.value.sections.map((s) => [s.name, s.type, s.size])).toEqual([
      ["", 0, 0],
      [".shstrtab", SHT.Strtab, 11],
    ]);
  });

  test.each<[string, (v: DataView) => void]>([
    ["magic number", (v) => v.setUint8(0, 0)],
    ["32-bit class", (v) => v.setUint8(4, 1)],
    ["big endian", (v) => v.setUint8(5, 2)],
    ["section headers beyond the end", (v) => v.setBigUint64(40, 10_000n, true)],
    ["section headers beyond 2^53", (v) => v.setBigUint64(40, 1n << 60n, true)],
    ["65,000 sections", (v) => v.setUint16(60, 65_000, true)],
    [
      "4 billion sections by extended numbering",
      (v) => {
        v.setUint16(60, 0, true);
        v.setBigUint64(80 + 32, 0xffffffffn, true);
      },
    ],
    ["section size 2^40", (v) => v.setBigUint64(80 + 64 + 32, 1n << 40n, true)],
    ["section offset beyond the end", (v) => v.setBigUint64(80 + 64 + 24, 1000n, true)],
    ["no name table", (v) => v.setUint16(62, 9, true)],
    ["name outside the table", (v) => v.setUint32(80 + 64, 400, true)],
    ["odd header size", (v) => v.setUint16(58, 63, true)],
  ])("refuses: %s", (_, damage) => {
    const bytes = smallest();
    damage(new DataView(bytes.buffer));
    const elf = readElf(bytes);
    expect(elf.ok).toBe(false);
    expect(elf.diagnostics[0]!.severity).toBe("error");
  });

  test("refuses every truncation", () => {
    const bytes = smallest();
    for (let n = 0; n < bytes.length; n++) expect(readElf(bytes.subarray(0, n)).ok).toBe(false);
  });

  test("strings end in NUL or do not exist", () => {
    const table = Uint8Array.from([0, 65, 66, 0, 67]);
    expect([stringAt(table, 0), stringAt(table, 1), stringAt(table, 4), stringAt(table, 5)]).toEqual([
      "",
      "AB",
      null,
      null,
    ]);
  });
});

describe("writer", () => {
  const strtab = section({ name: ".strtab", type: SHT.Strtab });
  const symtab = section({ name: ".symtab", type: SHT.Symtab, align: 8, entsize: 24, link: strtab });
  const names = section({ name: ".shstrtab", type: SHT.Strtab, data: new Uint8Array(0) });
  const text = section({ name: ".text", type: SHT.Progbits, align: 128, data: Uint8Array.of(1, 2, 3) });
  const bss = section({ name: ".bss", type: SHT.Nobits, align: 16, size: 4096 });
  const rela = section({ name: ".rela.text", type: SHT.Rela, align: 8, entsize: 24, link: symtab, info: text });
  const note = section({ name: ".note", type: SHT.Note, align: 4, data: noteBytes("Who", 7, Uint8Array.of(9, 8, 7)) });
  const sections = [names, strtab, symtab, text, bss, rela, note];
  const strings = new StringTable();
  symtab.data = symbolBytes(
    [{ name: "f", bind: 1, type: 2, other: 0x10, section: text, value: 2, size: 2 ** 40 }],
    strings,
    (s) => sections.indexOf(s) + 1,
  );
  strtab.data = strings.bytes();
  rela.data = relocationBytes([{ offset: 5, type: 56, symbol: 1, addend: -3 }], true);
  const bytes = writeElf({
    type: 2,
    machine: 190,
    osabi: 0x41,
    abiVersion: 8,
    flags: 0x6005a04,
    sections,
    names,
    segments: (placed) =>
      placed
        .slice(0, 1)
        .map((p) => ({ type: 1, flags: 5, offset: p.offset, vaddr: 0, paddr: 0, filesz: 3, memsz: 4, align: 8 })),
  });
  const elf = readElf(bytes);
  if (!elf.ok) throw new Error(elf.diagnostics[0]!.message);
  const { value } = elf;

  test("what is written is read back", () => {
    expect([value.type, value.machine, value.osabi, value.abiVersion, value.flags]).toEqual([
      2, 190, 0x41, 8, 0x6005a04,
    ]);
    expect(value.sections.map((s) => s.name)).toEqual([
      "",
      ".shstrtab",
      ".strtab",
      ".symtab",
      ".text",
      ".bss",
      ".rela.text",
      ".note",
    ]);
    expect(value.sections[4]).toMatchObject({ size: 3, align: 128 });
    expect(value.sections[4]!.offset % 128).toBe(0);
    expect(value.sections[5]).toMatchObject({ size: 4096, data: new Uint8Array(0) });
    expect(value.segments).toEqual([
      { type: 1, flags: 5, offset: 64, vaddr: 0, paddr: 0, filesz: 3, memsz: 4, align: 8 },
    ]);
  });

  test("symbols, relocations and notes", () => {
    const symbols = readSymbols(value, value.sections[3]!);
    expect(symbols.ok && symbols.value[1]).toEqual({
      index: 1,
      name: "f",
      bind: 1,
      type: 2,
      other: 0x10,
      section: 4,
      value: 2,
      size: 2 ** 40,
    });
    const relocs = readRelocations(value.sections[6]!, true);
    expect(relocs.ok && relocs.value).toEqual([{ offset: 5, type: 56, symbol: 1, addend: -3 }]);
    const notes = readNotes(value.sections[7]!);
    expect(notes.ok && notes.value).toEqual([{ name: "Who", type: 7, desc: Uint8Array.of(9, 8, 7) }]);
  });

  test("a reference to a section that is not written is our mistake", () => {
    const stray = section({ name: ".stray", type: SHT.Progbits, link: section({ name: ".gone", type: 1 }) });
    expect(() =>
      writeElf({
        type: 1,
        machine: 1,
        osabi: 0,
        abiVersion: 0,
        flags: 0,
        sections: [names, stray],
        names,
        segments: () => [],
      }),
    ).toThrow(".stray refers to .gone");
  });
});
