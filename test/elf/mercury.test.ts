import { compile } from "../../lib/compile";
import { EIATTR } from "../../lib/elf/cubin/attributes";
import { readCapsule } from "../../lib/elf/cubin/capmerc";
import { decodeInfo, infoWords } from "../../lib/elf/cubin/info";
import { type ElfSection, readElf } from "../../lib/elf/elf64";

function ptx(body: string, before = ""): string {
  return `.version 9.0
.target sm_100
.address_size 64
${before}
.visible .entry k(.param .u64 p) {
.reg .b64 %d<4>; .reg .b32 %r<4>;
ld.param.u64 %d0, [p];
${body}
ret; }`;
}

function object(text: string, options: { lineInfo?: boolean; relocatable?: boolean } = {}) {
  const made = compile(text, { target: "sm_100", opt: 0, relocatable: true, ...options });
  const elf = readElf(made.cubin!);
  if (!elf.ok) throw new Error("unreadable");
  const { sections } = elf.value;
  const at = (name: string): ElfSection => sections.find((s) => s.name === name)!;
  const said = made.diagnostics.map((d) => `${d.severity}: ${d.message}`);
  return { low: elf.value.flags & 0xff, names: sections.map((s) => s.name), at, said };
}

const words = (s: ElfSection): Uint32Array => new Uint32Array(s.data.slice().buffer);

test("a relocatable object has a capsule, and what describes it counts in its bytes", () => {
  const o = object(
    ptx("mov.u64 %d1, g; ld.global.u32 %r1, [%d1+4]; st.global.u32 [%d0], %r1;", ".global .u32 g[2] = {1, 2};"),
  );
  expect([o.low, o.said]).toEqual([2, []]);
  expect(o.names.filter((n) => n.startsWith(".nv.capmerc") || n.startsWith(".nv.merc"))).toEqual([
    ".nv.capmerc.text.k",
    ".nv.merc.debug_frame",
    ".nv.merc.nv.info",
    ".nv.merc.nv.info.k",
    ".nv.merc.rela.text.k",
    ".nv.merc.rela.debug_frame",
    ".nv.merc.nv.global.init",
    ".nv.merc.symtab",
  ]);
  expect(readCapsule(o.at(".nv.capmerc.text.k").data)!.textSection).toBe(o.names.indexOf(".text.k"));
  // MOV R, 32@hi(g) and 32@lo(g): the value is the last four of 16 bytes.
  const relocs = words(o.at(".nv.merc.rela.text.k"));
  expect([0, 6].map((i) => [relocs[i]! % 16, relocs[i + 2]])).toEqual([
    [12, 0x10006],
    [12, 0x10005],
  ]);
  const exit = (name: string): number => {
    const records = decodeInfo(o.at(name).data);
    return records.ok ? infoWords(records.value.find((r) => r.code === EIATTR.EXIT_INSTR_OFFSETS)!)[0]! : -1;
  };
  // The symbol of the function: EXIT is the last instruction, of 16 bytes; the loop after it is none.
  const symbols = words(o.at(".nv.merc.symtab"));
  expect(symbols[symbols.length - 2]).toBe(exit(".nv.merc.nv.info.k") + 16);
  expect(exit(".nv.merc.nv.info.k")).toBeGreaterThan(exit(".nv.info.k"));
});

test("an executable has them too, with what only executables hold", () => {
  const text = ptx(
    "mov.u64 %d1, g; ld.global.u32 %r1, [%d1+4]; st.shared.u32 [s+8], %r1; st.global.u32 [%d0], %r1;",
    ".global .u32 g[2] = {1, 2};\n.shared .u32 s[4];",
  );
  const o = object(text, { relocatable: false });
  expect([o.low, o.said]).toEqual([2, []]);
  expect(o.names.filter((n) => n.startsWith(".nv.merc") && !/rela|info|debug/.test(n))).toEqual([
    ...[".nv.merc.nv.constant.pic", ".nv.merc.nv.global.init", ".nv.merc.nv.shared.reserved.0", ".nv.merc.symtab"],
  ]);
  // Shared memory counts from .nv.reservedSmem.cap, addresses of global memory are R_MERCURY 10005 and 10006.
  const relocs = words(o.at(".nv.merc.rela.text.k"));
  expect(Array.from({ length: relocs.length / 6 }, (_, i) => relocs[i * 6 + 2]).sort()).toEqual([
    0x10003, 0x10005, 0x10006,
  ]);
});
