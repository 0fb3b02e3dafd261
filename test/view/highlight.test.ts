/** Words of PTX and SASS by the tables, and their colours in listings. */
import { cudaWords, ptxWords, sassWords } from "../../lib/present/highlight.js";
import { listing } from "../../lib/view/index.js";

const told = (words: readonly { text: string; kind: string | null }[]): string =>
  words.flatMap(({ text, kind }) => (kind === null ? [] : [`${kind}:${text}`])).join(" ");

test.each([
  ["@%p1 bra $L__BB0_2;", "register:%p1 opcode:bra name:$L__BB0_2"],
  [
    "ld.global.nc.v4.f32 {%f1, %f2}, [%rd4+16];",
    "opcode:ld modifier:.global.nc.v4.f32 register:%f1 register:%f2 register:%rd4 number:16",
  ],
  ["mov.u32 %r1, %tid.x; // lane", "opcode:mov modifier:.u32 register:%r1 special:%tid.x comment:// lane"],
  [
    "fma.rn.f32 %f3, %f1, 0f3F800000, %f2;",
    "opcode:fma modifier:.rn.f32 register:%f3 register:%f1 number:0f3F800000 register:%f2",
  ],
  [".reg .b32 %r<5>;", "directive:.reg directive:.b32 register:%r number:5"],
  [
    "add.u32 %r1, add, 1; L: ret; /* a",
    "opcode:add modifier:.u32 register:%r1 name:add number:1 name:L opcode:ret comment:/* a",
  ],
  ["{ .reg .pred %p; exit; }", "directive:.reg directive:.pred register:%p opcode:exit"],
  ["mbarrier.arrive.shared::cta.b64 _, [add];", "opcode:mbarrier modifier:.arrive.shared::cta.b64 name:_ name:add"],
])("PTX: %s", (line, words) => {
  expect(told(ptxWords(line))).toBe(words);
  expect(
    ptxWords(line)
      .map((w) => w.text)
      .join(""),
  ).toBe(line);
});

test.each([
  ["@!P0 BRA `(.L_x_1)", "register:P0 opcode:BRA name:L_x_1"],
  ["IMAD.WIDE.U32 R2, R0, 0x4, R2", "opcode:IMAD modifier:.WIDE.U32 register:R2 register:R0 number:0x4 register:R2"],
  [
    "LDG.E R5, desc[UR4][R2.64+-0x10]",
    "opcode:LDG modifier:.E register:R5 name:desc register:UR4 register:R2.64 number:-0x10",
  ],
  ["S2R R0, SR_TID.X", "opcode:S2R register:R0 special:SR_TID.X"],
  [
    "ISETP.GE.AND P0, PT, R5, c[0x0][0x170], PT",
    "opcode:ISETP modifier:.GE.AND register:P0 register:PT register:R5 number:c number:0x0 number:0x170 register:PT",
  ],
  [".kernel k // one", "directive:.kernel name:k comment:// one"],
])("SASS: %s", (line, words) => {
  expect(told(sassWords(line))).toBe(words);
  expect(
    sassWords(line)
      .map((w) => w.text)
      .join(""),
  ).toBe(line);
});

test.each([
  [
    "__global__ void k(float4 *p) { p[threadIdx.x] = 1.5e-3f; } // x",
    "special:__global__ opcode:void name:k special:float4 name:p name:p special:threadIdx name:x number:1.5e-3f comment:// x",
  ],
  ["#include <cuda_fp16.h>", "directive:#include <cuda_fp16.h>"],
  ['asm("add \\"x\\";" : "=r"(a));', 'opcode:asm string:"add \\"x\\";" string:"=r" name:a'],
  ["char c = '\\n', d = 1'000; /* if", "opcode:char name:c string:'\\n' name:d number:1'000 comment:/* if"],
])("CUDA: %s", (line, words) => {
  expect(told(cudaWords(line))).toBe(words);
  expect(
    cudaWords(line)
      .map((w) => w.text)
      .join(""),
  ).toBe(line);
});

test("a listing colours what it is told, and its text stays plain", () => {
  const rows = [{ sass: "MOV R1, 0x1", ptxLine: 1, ptx: "mov.u32 %r1, 1; // <b>" }];
  const view = listing(rows, { words: { ptx: ptxWords, sass: sassWords } });
  expect(view.html).toContain('<span style="color:#3f7fd9;font-weight:600">MOV</span>');
  expect(view.html).toContain("// &lt;b&gt;</span>");
  expect(view.text).toBe(listing(rows).text);
});
