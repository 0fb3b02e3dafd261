import { InternalError } from "../../lib/errors.js";
import { describe as describeOp, File, form, formById, formsNamed, rowOf, tryForm } from "../../lib/isa/form.js";
import { mnemonics, rows, rowsOf } from "../../lib/isa/table.js";
import { guardsOf, latencyClass } from "../../lib/isa/timing.js";
import { target } from "../../lib/target/index.js";

const names = (slots: readonly { readonly name: string }[]): string[] => slots.map((s) => s.name);

describe("forms", () => {
  test("are interned, whatever the order of the modifiers", () => {
    const f = form("LDG.E.128.STRONG.GPU");
    expect(form("LDG.E.128.STRONG.GPU")).toBe(f);
    expect(form("LDG.STRONG.GPU.128.E")).toBe(f);
    expect(f.name).toBe("LDG.E.128.STRONG.GPU");
    expect(f.op).toBe("LDG");
    expect(formById(f.id)).toBe(f);
  });

  test("an order that means something is kept", () => {
    expect(form("F2F.F16.F32").name).toBe("F2F.F16.F32");
    expect(form("F2F.F32.F16").name).toBe("F2F.F32.F16");
    expect(form("F2F.F32.F16")).not.toBe(form("F2F.F16.F32"));
  });

  test("printed aliases are the same form", () => {
    expect(form("IMAD.MOV.U32")).toBe(form("IMAD.U32"));
    expect(form("IMAD.SHL.U32")).toBe(form("IMAD.U32"));
  });

  test("unknown mnemonics and modifiers throw, tryForm says null", () => {
    expect(() => form("FOO")).toThrow(InternalError);
    expect(() => form("IADD3.FOO")).toThrow(/IADD3/);
    expect(tryForm("IADD3.FOO")).toBeNull();
    expect(tryForm("MUFU")).toBeNull();
  });

  test("slots by position, with widths from the modifiers", () => {
    const ldg = form("LDG.E.64");
    expect(names(ldg.dsts)).toEqual(["pout", "d"]);
    expect(names(ldg.srcs)).toEqual(["base", "ur", "off", "desc", "pin"]);
    expect(ldg.dsts[1]!.width).toBe(2);
    expect(ldg.srcs[0]!.width).toBe(2);
    expect(form("LDG.U8").srcs[0]!.width).toBe(1);
    expect(ldg.memory).toEqual({ space: "global", access: "load", bytes: 8 });
    expect(form("ATOMG.E.ADD.64.STRONG.GPU").memory!.bytes).toBe(8);
    expect(form("F2I.S64.F64.TRUNC").dsts[0]!.width).toBe(2);
    expect(form("F2I.F64.TRUNC").dsts[0]!.width).toBe(1);
    expect(form("IMAD.WIDE.U32").srcs[2]!.width).toBe(2);
    expect(form("UIADD3").dsts[0]!.file).toBe(File.UR);
  });

  test("control flow and effects", () => {
    expect(form("BRA").flow).toBe("branch");
    expect(form("EXIT").flow).toBe("exit");
    expect(form("BSSY").flow).toBe("region");
    expect(form("STG.E").sideEffect).toBe(true);
    expect(form("IADD3").sideEffect).toBe(false);
    expect(form("MOV.PHI").pseudo).toBe(true);
    expect(form("MOV.PHI").variadic).toBe(true);
    expect(form("MOV").pseudo).toBe(false);
  });

  test("FP64 arithmetic has fixed latency on sm_90 and sm_100 only", () => {
    const f = form("DFMA");
    expect(latencyClass(f, target("sm_75"))).toBe("variable");
    expect(latencyClass(f, target("sm_90"))).toBe("fixed");
    expect(guardsOf(form("STG.E"), target("sm_90"))).toEqual({ write: false, read: true });
    expect(guardsOf(form("LDG.E"), target("sm_90"))).toEqual({ write: true, read: true });
  });

  test("describe names the slots of each row", () => {
    const text = describeOp("IADD3");
    expect(text).toContain("IADD3: d co:P=PT co2:P=PT <- a b c");
    expect(text).toContain("IADD3.X");
  });
});

describe("the table", () => {
  test("every row reads, and says what it does", () => {
    for (const op of mnemonics) {
      for (const row of rowsOf(op)) {
        expect(row.row.does.length).toBeGreaterThan(4);
        expect(row.lines.length).toBeGreaterThan(0);
      }
    }
  });

  test("a name finds every row that has it, the first in table order first", () => {
    for (const r of rows) {
      for (const row of rowsOf(r.op.split(".")[0]!)) {
        for (const line of row.lines) {
          // A line may stand for words that are all printed as nothing.
          if (line.template.head.some((p) => p.kind === "group" && p.group.values.length === 0)) continue;
          const mods = line.template.head.map((p) => (p.kind === "fixed" ? p.mod : p.group.values[0]!.mods.join(".")));
          const name = [row.op, ...mods].filter(Boolean).join(".");
          const found = formsNamed(name).map((f) => rowOf(f).index);
          expect(found).toContain(row.index);
          expect(rowOf(form(name)).index).toBe(Math.min(...found));
        }
      }
    }
  });

  test("every row but the pseudo instructions says how it is timed", () => {
    for (const r of rows) if (r.lines.some((l) => l.as !== "")) expect([r.op, typeof r.time]).toEqual([r.op, "string"]);
  });
});
