import { parseInst } from "../../lib/isa/parse.js";
import { renderInst } from "../../lib/isa/text.js";
import { label, reg, register } from "../../lib/ori/operand.js";
import { File, Kind, type Operand } from "../../lib/ori/types.js";
import { decodeInst } from "../../lib/sass/decode.js";
import { encodeInst } from "../../lib/sass/encode.js";
import { controlText, listing } from "../../lib/sass/print.js";
import { type TargetName, target } from "../../lib/target/index.js";
import { randomWords } from "../oracle/sass-words.js";

/** Names of virtual registers as the IR writes them. */
const virtual = {
  register: (o: Operand): string => `%${o.id}${o.sub ? `.${o.sub}` : ""}${o.width > 1 ? `:${o.width}` : ""}`,
};
const readVirtual = {
  register: (text: string): Operand | null => {
    const m = /^%(\d+)(?:\.(\d+))?(?::(\d+))?$/.exec(text);
    return m ? register(File.R, Number(m[1]), Number(m[3] ?? 1), Number(m[2] ?? 0)) : null;
  },
};

function parsed(text: string, names = {}) {
  const p = parseInst(text, names);
  if (!p.ok) throw new Error(p.message);
  return p.inst;
}

describe("text of instructions", () => {
  test("virtual registers read back with width and sub-register", () => {
    const inst = parsed("LDG.E.64 %7:2, desc[UR4][%5:2.64+0x10]", readVirtual);
    expect(inst.dsts[1]).toEqual(reg(7, 2));
    expect(inst.srcs[0]).toEqual(reg(5, 2));
    expect(renderInst(inst, virtual)).toBe("LDG.E.64 %7:2, desc[%4:2][%5:2.64+0x10]");
    const sum = parsed("IADD3 %1, %2.1, -%3, RZ", readVirtual);
    expect(sum.srcs[0]!.sub).toBe(1);
    expect(renderInst(sum, virtual)).toBe("IADD3 %1, %2.1, -%3, RZ");
  });

  test("operands without an encoding still read and print", () => {
    const inst = parsed("IADD3 %1, 0x1, 0x2, 0x3", readVirtual);
    expect(inst.srcs.map((o) => o.kind)).toEqual([Kind.Imm, Kind.Imm, Kind.Imm]);
    expect(renderInst(inst, virtual)).toBe("IADD3 %1, 0x1, 0x2, 0x3");
  });

  test("what is left out holds its default", () => {
    const inst = parsed("LOP3.LUT R1, R2, R3, RZ, 0xc0, !PT");
    expect(renderInst(inst)).toBe("LOP3.LUT R1, R2, R3, RZ, 0xc0, !PT");
    expect(inst.dsts[0]).toMatchObject({ file: File.P, id: -1 });
  });

  test("the third predicate of PLOP3 may be uniform; the name alone means the other form, also afterwards", () => {
    // nvdisasm's text of these words, of a loop that ptxas made.
    const words = Uint32Array.of(0x0000781c, 0x00000000, 0x03f2f008, 0x000fc800);
    const inst = decodeInst(words, 0, target("sm_90"))!;
    expect(renderInst(inst)).toBe("PLOP3.LUT P1, PT, PT, PT, UP0, 0x80, 0x0");
    expect(inst.srcs[2]).toMatchObject({ file: File.UP, id: 0 });
    expect(parsed("PLOP3.LUT P1, PT, PT, PT, P0, 0x80, 0x0").srcs[2]).toMatchObject({ file: File.P, id: 0 });
    expect(parsed("PLOP3.LUT P1, PT, PT, PT, UP0, 0x80, 0x0").form).toBe(inst.form);
  });

  test("labels by callback", () => {
    const names = {
      label: (text: string): Operand | null => (/^B\d+$/.test(text) ? label(Number(text.slice(1))) : null),
    };
    const inst = parsed("@!P0 BRA B3", names);
    expect(inst.guard).toEqual({ file: File.P, id: 0, not: true });
    expect(inst.srcs[1]).toEqual(label(3));
  });

  test("bad text gives a message, never an exception", () => {
    for (const text of ["", "FOO R1", "IADD3", "IADD3 R1, R2", "LDG.E R1, [", "@Q MOV R1, R2", "MOV R1, |", "BRA"]) {
      const p = parseInst(text);
      expect(p.ok).toBe(false);
      if (!p.ok) expect(p.message.length).toBeGreaterThan(5);
    }
  });

  test("exact text keeps the bits of NaNs", () => {
    const words = new Uint32Array([0x03037808, 0x7fffffff, 0x04000000, 0x003fde00]);
    const inst = decodeInst(words, 0, target("sm_75"))!;
    expect(renderInst(inst, { isa: 75 })).toBe("FSEL R3, R3, +QNAN , !P0");
    const exact = renderInst(inst, { isa: 75, exact: true });
    expect(parsed(exact).srcs[1]!.value).toBe(0x7fffffff);
  });

  for (const sm of [75, 90, 100]) {
    test(`sm_${sm}: exact text of random words reads back to the same words`, () => {
      const t = target(`sm_${sm}` as TargetName);
      const { words, lines } = randomWords(sm, 4, 99 + sm);
      const word = new Uint32Array(4);
      const again = new Uint32Array(4);
      let refused = 0;
      lines.forEach((_, i) => {
        const inst = decodeInst(words, 4 * i, t, 16 * i);
        // Some combinations of defined values are refused.
        if (inst === null) {
          refused++;
          return;
        }
        encodeInst(inst, t, word, 0, 16 * i);
        const text = renderInst(inst, { isa: sm, exact: true });
        const back = parsed(text, { isa: sm });
        back.control = inst.control;
        encodeInst(back, t, again, 0, 16 * i);
        expect([text, ...again]).toEqual([text, ...word]);
      });
      expect(refused / lines.length).toBeLessThan(0.1);
    });
  }
});

describe("listing", () => {
  test("control words in a column", () => {
    expect(controlText({ stall: 15, yield: 0, writeSb: 0, readSb: 1, wait: 3, reuse: 0 })).toBe("B01---- R1 W0 Y S15");
    expect(controlText({ stall: 2, yield: 1, writeSb: 7, readSb: 7, wait: 0, reuse: 1 })).toBe("B------ R- W- - S02");
  });

  test("labels, unknown words, and no tail", () => {
    // BRA to itself and NOPs as they stand at the end of sm_90 functions (measured on ptxas 13.0.88).
    const words = new Uint32Array([
      0, 0, 0, 0, 0x00fc7947, 0xfffffffc, 0x0383ffff, 0x000fc000, 0x7918, 0, 0, 0x000fc000,
    ]);
    const text = listing({ name: "k", words, target: target("sm_90") }, { control: false });
    expect(text).toContain(".word 0x00000000000000000000000000000000");
    expect(text).toContain(".L_x_0:\n");
    expect(text).toContain("BRA `(.L_x_0) ;");
    expect(text).not.toContain("NOP");
  });
});
