/** Words here were read off ptxas cubins with nvdisasm 13.2.51. */
import { InternalError } from "../../lib/errors.js";
import { form } from "../../lib/isa/form.js";
import { parseInst } from "../../lib/isa/parse.js";
import { renderInst } from "../../lib/isa/text.js";
import { constBank, imm, RZ, reg, sym, ureg } from "../../lib/ori/operand.js";
import type { MachineInst } from "../../lib/ori/types.js";
import { decodeInst } from "../../lib/sass/decode.js";
import { accepts, encodeInst, isEncodable } from "../../lib/sass/encode.js";
import { type TargetName, target } from "../../lib/target/index.js";

/** Target, bytes of the word in order, text. */
const samples: readonly (readonly [TargetName, string, string])[] = [
  ["sm_75", "8e790002000000000041110000de3300", "RED.E.ADD.STRONG.GPU [R2], R0"],
  ["sm_75", "1172070706000000ff888f0700e40f00", "LEA.HI R7, R7, R6, RZ, 0x11"],
  ["sm_75", "0c78000ce8ffffff7012f00300de3f00", "ISETP.LT.AND P0, PT, R12, -0x18, PT"],
  ["sm_90", "827b020200840000000a0000001e3200", "LDC.64 R2, c[0x0][R2+0x210]"],
  ["sm_90", "8e7900020000000084e1100c00de3300", "REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R0"],
  ["sm_90", "217211110d0000800000000000e22f10", "FADD R17, R17, -R13.reuse"],
  ["sm_90", "0b7800000000807f00d2f30300e40f04", "FSETP.NEU.FTZ.AND P1, PT, |R0|.reuse, +INF , PT"],
  ["sm_90", "1273020002000000001c3000001e3200", "I2F.F64.S64 R2, R2"],
  ["sm_90", "230808030000805fff00000000cc0f00", "@P0 FFMA R8, R3, 1.84467440737095516160e+19, RZ"],
  ["sm_90", "557302060000000000001000001e3e00", "BMOV.32.CLEAR R2, B6"],
  ["sm_100", "48780908000100000000fe0700de3f00", "VIMNMX.U32 R9, PT, PT, R8, 0x100, !PT"],
  ["sm_100", "ac7704ff00000001000a000800a20e00", "LDCU.64 UR4, c[0x4][URZ]"],
  ["sm_100", "317407ff00000000ff01000000e20f00", "HFMA2 R7, -RZ, RZ, 0, 0"],
];

const wordsOf = (hex: string): Uint32Array => new Uint32Array(Uint8Array.from(Buffer.from(hex, "hex")).buffer);
const hexOf = (w: Uint32Array): string => Buffer.from(w.buffer, w.byteOffset, w.byteLength).toString("hex");

describe("encoder and decoder", () => {
  test.each(samples)("%s %s", (name, hex, text) => {
    const t = target(name);
    const inst = decodeInst(wordsOf(hex), 0, t)!;
    expect(renderInst(inst, { isa: t.isa })).toBe(text);
    const out = new Uint32Array(4);
    encodeInst(inst, t, out, 0);
    expect(hexOf(out)).toBe(hex);
    const parsed = parseInst(text, { isa: t.isa });
    if (!parsed.ok) throw new Error(parsed.message);
    parsed.inst.control = inst.control;
    encodeInst(parsed.inst, t, out, 0);
    expect(hexOf(out)).toBe(hex);
  });

  test("a word of no instruction is null", () => {
    expect(decodeInst(new Uint32Array(4), 0, target("sm_90"))).toBeNull();
  });

  test("what an encoding does not take is refused with its slot", () => {
    const t = target("sm_90");
    const two: MachineInst = {
      form: form("IADD3"),
      dsts: [reg(1), reg(-1), reg(-1)],
      srcs: [imm(1), imm(2), RZ()],
      guard: null,
      control: null,
    };
    expect(isEncodable(two, t)).toBe(false);
    expect(() => encodeInst(two, t, new Uint32Array(4), 0)).toThrow(InternalError);
    expect(() => encodeInst(two, t, new Uint32Array(4), 0)).toThrow(/IADD3 .*operand/);
  });

  test("constants of arithmetic end with sm_90", () => {
    const f = form("FADD");
    const b = f.dsts.length + 1;
    expect(accepts(f, target("sm_90"), b, "const")).toBe(true);
    expect(accepts(f, target("sm_100"), b, "const")).toBe(false);
    expect(accepts(f, target("sm_100"), b, "ureg")).toBe(true);
    expect(accepts(f, target("sm_100"), b, "imm")).toBe(true);
    expect(accepts(f, target("sm_100"), b - 1, "imm")).toBe(false);
    expect(accepts(form("MOV"), target("sm_90"), 1, "sym")).toBe(true);
    expect(isEncodable(mov(constBank(0, 0x28)), target("sm_100"))).toBe(false);
    expect(isEncodable(mov(ureg(4)), target("sm_100"))).toBe(true);
  });

  test("uniform registers are six bits wide up to sm_90", () => {
    expect(isEncodable(mov(ureg(62)), target("sm_90"))).toBe(true);
    expect(isEncodable(mov(ureg(63)), target("sm_90"))).toBe(false);
    expect(isEncodable(mov(ureg(200)), target("sm_100"))).toBe(true);
  });

  test("symbols become relocations", () => {
    const out = new Uint32Array(4);
    const relocs: unknown[] = [];
    const context = { label: () => 0, reloc: (r: unknown) => relocs.push(r) };
    encodeInst(mov(sym("table", 8, "32@lo")), target("sm_90"), out, 0, 0x40, context);
    expect(relocs).toEqual([{ offset: 0x40, symbol: "table", addend: 8, what: "32@lo" }]);
    expect(out[1]).toBe(0);
  });
});

function mov(b: ReturnType<typeof reg>): MachineInst {
  return { form: form("MOV"), dsts: [reg(3)], srcs: [b, imm(15)], guard: null, control: null };
}
