import { type Control, File, type Operand } from "../../../lib/ori/types.js";
import { type Fault, hasReg, isReg, regOf, where } from "./pick.js";

export const control = (change: Partial<Control>): Fault["make"] => {
  return (f, n) => {
    Object.assign(where(f, n, () => true)[1].control as Control, change);
  };
};

export const onPhysical: readonly Fault[] = [
  {
    what: "a pair at an odd register",
    rule: "alignment",
    physical: true,
    make: (f, n) => {
      const [, inst] = where(f, n, (i) => i.srcs.some((x) => isReg(x) && x.width === 2));
      (inst.srcs.find((x) => isReg(x) && x.width === 2) as Operand).id |= 1;
    },
  },
  {
    what: "a quad at a multiple of two",
    rule: "alignment",
    physical: true,
    make: (f) => {
      const [, inst] = where(
        f,
        () => 0,
        (i) => i.dsts.some((x) => x.width === 4),
      );
      (inst.dsts.find((x) => x.width === 4) as Operand).id += 2;
    },
  },
  {
    what: "a register beyond the file",
    rule: "range",
    physical: true,
    make: (f, n) => {
      const x = regOf(where(f, n, (i) => i.srcs.some((s) => isReg(s) && s.file === File.R))[1], n);
      x.id = { [File.R]: 256, [File.UR]: 64, [File.P]: 8, [File.UP]: 8, [File.B]: 16 }[x.file as number] as number;
    },
  },
  {
    what: "more registers than counted",
    rule: "used",
    physical: true,
    make: (f) => {
      f.used.R = 3;
    },
  },
  {
    what: "predicates not counted",
    rule: "used",
    physical: true,
    make: (f) => {
      f.used.P = 0;
    },
  },
  {
    what: "a part of a physical register",
    rule: "mode",
    physical: true,
    make: (f, n) => {
      regOf(where(f, n, hasReg)[1], n).sub = 1;
    },
  },
  {
    what: "no control word",
    rule: "control-missing",
    physical: true,
    make: (f, n) => {
      where(f, n, () => true)[1].control = null;
    },
  },
  {
    what: "overlapping definitions",
    rule: "double-definition",
    physical: true,
    make: (f) => {
      const [, inst] = where(
        f,
        () => 0,
        (i) => i.form.op === "ISETP" && isReg(i.dsts[1] as Operand),
      );
      (inst.dsts[1] as Operand).id = (inst.dsts[0] as Operand).id;
    },
  },
  {
    what: "a register nothing wrote",
    rule: "undefined",
    physical: true,
    make: (f, n) => {
      const x = regOf(where(f, n, (i) => i.srcs.some((s) => isReg(s) && s.file === File.R))[1], n);
      const file = x.file;
      f.used = { ...f.used, R: 200, P: 7, UR: 62, B: 16 };
      x.id = { [File.R]: 100, [File.UR]: 60, [File.P]: 6, [File.B]: 15 }[file as number] as number;
    },
  },
  { what: "stall 16", rule: "control-range", physical: true, make: control({ stall: 16 }) },
  { what: "yield 2", rule: "control-range", physical: true, make: control({ yield: 2 }) },
  { what: "scoreboard 6", rule: "control-range", physical: true, make: control({ writeSb: 6 }) },
  { what: "scoreboard 8", rule: "control-range", physical: true, make: control({ readSb: 8 }) },
  { what: "wait mask of 7 bits", rule: "control-range", physical: true, make: control({ wait: 64 }) },
  { what: "reuse of 5 slots", rule: "control-range", physical: true, make: control({ reuse: 16 }) },
];
