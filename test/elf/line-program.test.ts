import { compile } from "../../lib/compile";
import { lineProgram, type Position } from "../../lib/elf/cubin/line-program";
import { readLines } from "../../lib/elf/cubin/lines";
import { readCubin } from "../../lib/elf/cubin/read";
import { type ElfSection, readElf } from "../../lib/elf/elf64";

/** A function that was inlined into line 7 (nvcc -lineinfo writes such). */
const inlined = `.version 9.0
.target sm_100
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .b64 %d<3>; .reg .f32 %f<4>;
.loc 1 6 0
ld.param.u64 %d1, [p];
.loc 1 7 3
ld.global.f32 %f1, [%d1];
.loc 1 2 5, function_name $L__n+1, inlined_at 1 7 3
add.f32 %f2, %f1, %f1;
.loc 2 9 5, function_name $L__n+1, inlined_at 1 7 3
mul.f32 %f3, %f2, 0f40490FDB;
.loc 1 7 3
st.global.f32 [%d1], %f3;
ret; }
.file 1 "/src/k.cu", 1700000000, 321
.file 2 "/src/k.h"
.section .debug_str { $L__n: .b8 65 .b8 102 .b8 0 }
`;

const at = (line: number, of: Position["inlined"] = null): Position => ({ file: 1, line, inlined: of });

/** Positions of words, given where each begins to hold. */
function spread(size: number, from: Readonly<Record<number, Position>>): Position[] {
  let now = at(0);
  return Array.from({ length: size / 16 }, (_, i) => {
    now = from[i * 16] ?? now;
    return now;
  });
}

test("the bytes that ptxas 13.0.88 writes, an inlined function among them", () => {
  const f = { name: 0, caller: at(7) };
  const positions = spread(0x1c0, {
    ...{ 0: at(6), 16: at(7), 96: at(3, f), 112: at(2, f), 128: at(3, f) },
    ...{ 400: at(4, f), 416: at(7), 432: at(8) },
  });
  const files = [{ path: "/src/cr/in.cu", time: 1795343424, size: 183 }];
  const made = lineProgram({ files, functions: [{ positions, size: 0x280 }], strings: true });
  expect(Buffer.from(made.bytes).toString("hex")).toBe(
    "6200000002002a0000000101fb0e0a0001010101000000012f7372632f63720000696e2e63750001c0888bd806b70100000000" +
      "0000090200000000000000000401030501f002d000010003900300037c01eef00301029002010003900000f2f002d001000101",
  );
  expect([made.places, made.strings]).toEqual([[0x37], 0x30]);
});

function object(text: string, options: { lineInfo?: boolean } = {}) {
  const made = compile(text, { target: "sm_100", relocatable: true, opt: 0, ...options });
  expect(made.diagnostics).toEqual([]);
  const elf = readElf(made.cubin!);
  const cubin = readCubin(made.cubin!);
  if (!elf.ok || !cubin.ok) throw new Error("unreadable");
  const section = (name: RegExp): ElfSection | undefined => elf.value.sections.find((s) => name.test(s.name));
  return { section, cubin: cubin.value, flags: elf.value.flags >>> 24 };
}

test("lines of the source: from .loc, with or without -lineinfo", () => {
  for (const options of [{}, { lineInfo: true }]) {
    const { cubin, section, flags } = object(inlined, options);
    const lines = cubin.functions[0]!.sourceLines.map((l) => `${l.path}:${l.line}`);
    expect(lines.filter((l, i) => l !== lines[i - 1])).toEqual([
      ...["/src/k.cu:6", "/src/k.cu:7", "/src/k.cu:2", "/src/k.h:9", "/src/k.cu:7"],
    ]);
    expect(Buffer.from(section(/^\.debug_str$/)!.data).toString()).toBe("Af\0");
    expect(flags).toBe(0x0a);
  }
  expect(object(inlined, { lineInfo: false }).section(/debug_(line|str)/)).toBeUndefined();
});

test("Mercury's tables have the same lines at its own addresses", () => {
  const { section } = object(inlined);
  for (const name of ["debug_line", "nv_debug_line_sass"]) {
    const [plain, mercury] = ["", ".nv.merc"].map((prefix) =>
      readLines(section(new RegExp(`^${prefix.replace(/\./g, "\\.")}\\.${name}$`))!.data, () => 1),
    ) as [ReturnType<typeof readLines>, ReturnType<typeof readLines>];
    expect(mercury.map((r) => [r.path, r.line])).toEqual(plain.map((r) => [r.path, r.line]));
    expect(mercury.every((r, i) => r.offset >= plain[i]!.offset && r.offset % 16 === 0)).toBe(true);
    expect(mercury[mercury.length - 1]!.offset).toBeGreaterThan(plain[plain.length - 1]!.offset);
  }
  // Each object has a text of its own, by ptxas's number (Adler-32).
  expect(section(/^\.nv_debug_ptx_txt\.\d+$/)).toBeDefined();
});
