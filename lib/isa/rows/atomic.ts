/** Atomics and reductions. */
import { type Line, type Rows, shared } from "../row.js";
import { type AddressBits, far } from "./memory.js";

/** Bits that say which kind of address there is. */
const atom90: AddressBits = { desc: 71, wide: 70 };
/** After a descriptor a base is needed. */
const atom80: AddressBits = { ...atom90, bare: true };
const atom100: AddressBits = { desc: 76, wide: 63, off: "40:23" };
const atomF100: AddressBits = { desc: 90, wide: 63, off: "40:23" };
const red90: AddressBits = { desc: 71, wide: 90 };
const red100: AddressBits = { desc: 81, wide: 90 };

const last75 = "{strongA75}{scope75}{private75}";
const near = "[base@24+off@40:24s]";

/** With a result. Opcodes: with an address in registers alone or with something uniform, the same on packed floats. */
function returning(name: string, op: string, opcodes: string): Line[] {
  const [as, wide, floats, wideFloats] = opcodes.split(" ") as [string, string, string, string];
  const text = (mods: string, address: string): string => `${name}${mods} pout@81, d, ${address}, data@32`;
  const [until75, until89, from90] = [`{atype75}${last75}`, "{atype80}{scopeA}", "{atype}{scopeA}"].map(
    (type) => `${op}{evict}${type}`,
  ) as [string, string, string];
  const float = "{atomFop}{evict}{atypeF}{scopeA}";
  return [
    ...far(wide, 64, text(until75, "%A"), "75", { desc: -1, wide: 70 }),
    { as, text: text(until75, near), fill: "64:8=255", sm: "75" },
    ...far(wide, 64, text(until89, "%A"), "80-89", atom80),
    ...far(wide, 64, text(from90, "%A"), "90", atom90),
    ...far(wide, 64, text(from90, "%A"), "100-", atom100),
    { as, text: text(until89, near), sm: "80-89" },
    { as, text: text(from90, near), sm: "90-" },
    ...far(wideFloats, 64, text(float, "%A"), "90", atom90),
    ...far(wideFloats, 64, text(float, "%A"), "100-", atomF100),
    { as: floats, text: text(float, near), sm: "90-" },
  ];
}

function comparing(as: string, name: string): Line[] {
  const text = (mods: string): string => `${name}{evict}${mods} pout@81, d, ${near}, cmp@32, data@64`;
  return [
    { as, text: text(`{atypeS@73:3}${last75}`).replace("cmp@", as === "3a9" ? "cmp@@" : "cmp@"), sm: "75" },
    { as, text: text("{atypeS@73:4}{scopeA}"), sm: "80-89" },
    { as, text: text("{atypeC}{scopeA}"), sm: "90-" },
  ];
}

export const atomicRows: Rows = shared({ effect: true, time: "result" }, [
  {
    op: "ATOMG",
    does: "d = global memory, then memory = op(memory, data)",
    slots: "pout:P=PT d*atype <- base*e ur:UR*e=none off:I=0 desc:UR*2=none data*atype",
    memory: ["global", "atomic"],
    bytes: "atype",
    lines: returning("ATOMG{e}", "{atomOpG}", "3a8 9a8u 3a3 9a3u"),
  },
  {
    op: "ATOMG.CAS",
    does: "d = global memory; if it equals cmp, memory = data",
    slots: "pout:P=PT d*atype <- base*e ur:UR*e=none off:I=0 desc:UR*2=none cmp*atype data*atype",
    memory: ["global", "atomic"],
    bytes: "atype",
    lines: comparing("3a9", "ATOMG{e}.CAS"),
  },
  {
    op: "ATOM",
    does: "d = memory at a generic address, then memory = op(memory, data)",
    slots: "pout:P=PT d*atype <- base*e ur:UR*e=none off:I=0 desc:UR*2=none data*atype",
    memory: ["generic", "atomic"],
    bytes: "atype",
    lines: returning("ATOM{e}", "{atomOp}", "38a 98au 3a2 9a2u"),
  },
  {
    op: "ATOM.CAS",
    does: "d = memory at a generic address; if it equals cmp, memory = data",
    slots: "pout:P=PT d*atype <- base*e ur:UR*e=none off:I=0 desc:UR*2=none cmp*atype data*atype",
    memory: ["generic", "atomic"],
    bytes: "atype",
    lines: comparing("38b", "ATOM{e}{.CAS|.CAST|.CAS|.CAST.SPIN@87:2}"),
  },
  {
    op: "ATOMS",
    does: "d = shared memory, then memory = op(memory, data)",
    slots: "d*atype <- base ur:UR=none off:I=0 data*atype",
    memory: ["shared", "atomic"],
    bytes: "atype",
    lines: [
      {
        as: "38c",
        text: "ATOMS{atomOp}{atypeS} d, [base@24{xscale}+off@40:24s], data@32",
        fill: "64:8=255",
        sm: "75",
      },
      { as: "38c", text: "ATOMS{atomOp}{atypeS} d, [base@24{xscale}+off@40:24s], data@32", sm: "80-89" },
      { as: "98cu", text: "ATOMS{atomOp}{atypeS} d, [base@24{xscale}+ur@64+off@40:24s], data@32", sm: "-89" },
      { as: "38c", text: "ATOMS{atomOp}{atypeC} d, [base@24{xscale}+off@40:24s], data@32", sm: "90-" },
      { as: "98cu", text: "ATOMS{atomOp}{atypeC} d, [base@24{xscale}+ur@64+off@40:24s], data@32", sm: "90-" },
    ],
  },
  {
    op: "ATOMS.POPC.INC.32",
    does: "d = shared memory, then memory += number of active lanes that use the address",
    slots: "d <- base ur:UR=none off:I=0",
    memory: ["shared", "atomic"],
    bytes: 4,
    lines: [
      {
        as: "f8cu",
        text: "ATOMS.POPC.INC{.32|...???@73:2} d, [base@24{xscale}+ur@64+off@40:24s]",
        is: "87:4=10",
        sm: "80-89",
      },
      {
        as: "f8cu",
        text: "ATOMS.POPC.INC{.32|...???@73:3} d, [base@24{xscale}+ur@64+off@40:24s]",
        is: "87:4=11",
        sm: "90-",
      },
    ],
  },
  {
    op: "ATOMS.ARRIVE",
    does: "d = shared memory, which counts an arrival",
    slots: "d*2 <- base ur:UR=none off:I=0",
    memory: ["shared", "atomic"],
    bytes: 8,
    lines: [
      {
        as: "f8cu",
        text: "ATOMS.ARRIVE{?|?|.64|...???@73:2} d, [base@24{xscale}+ur@64+off@40:24s]",
        is: "87:4=9",
        sm: "80-89",
      },
      {
        as: "f8cu",
        text: "ATOMS.ARRIVE{?|?|.64|...???@73:3} d, [base@24{xscale}+ur@64+off@40:24s]",
        is: "87:4=10",
        sm: "90-",
      },
    ],
  },
  {
    op: "ATOMS.CAS",
    does: "d = shared memory; if it equals cmp, memory = data. .CAST: pout (or d) says whether it did; .SPIN",
    slots: "pout:P=none d*atype=RZ <- base ur:UR=none off:I=0 cmp*atype data*atype",
    memory: ["shared", "atomic"],
    bytes: "atype",
    lines: [
      {
        as: "38d",
        sm: "-89",
        text: "ATOMS{.CAS|.CAST|.CAS|.CAST.SPIN@87:2}{atypeS} d, [base@24{xscale}+off@40:24s], cmp@32, data@64",
      },
      {
        as: "38d",
        text: "ATOMS{.CAS|.CAST|.CAS|.CAST.SPIN@87:2}{atypeC} d, [base@24{xscale}+off@40:24s], cmp@32, data@64",
        sm: "90-",
      },
      {
        as: "58d",
        text: "ATOMS{.???0|.CAST|.???0.SPIN|.CAST.SPIN@87:2}{atypeC} pout@81, [base@24{xscale}+off@40:24s], cmp@32, data@64",
        sm: "100-",
      },
    ],
  },
  {
    op: "RED",
    does: "global memory = op(memory, data)",
    slots: "<- base*e ur:UR*e=none off:I=0 desc:UR*2=none data*atype",
    memory: ["global", "reduce"],
    bytes: "atype",
    lines: [
      {
        as: "98e",
        text: "RED{e}{redOp}{evict}{atype75}{strongA75}{scope75}{private75} [base@24+off@40:24s], data@32",
        sm: "75",
      },
      ...far("98eu", 64, "RED{e}{redOp}{evict}{atype75}{strongA75}{scope75}{private75} %A, data@32", "75"),
      { as: "98e", text: "RED{e}{redOp}{evict}{atype80}{scopeA} [base@24+off@40:24s], data@32", sm: "80-89" },
      ...far("98eu", 64, "RED{e}{redOp}{evict}{atype80}{scopeA} %A, data@32", "80-89", red90),
    ],
    time: "operands",
  },
  {
    op: "REDG",
    does: "global memory = op(memory, data)",
    slots: "<- base*e ur:UR*e=none off:I=0 desc:UR*2=none data*atype",
    memory: ["global", "reduce"],
    bytes: "atype",
    lines: [
      ...far("98eu", 64, "REDG{e}{redOp}{evict}{atypeR}{scopeA} %A, data@32", "90", red90),
      ...far("98eu", 64, "REDG{e}{redOp}{evict}{atypeR}{scopeA} %A, data@32", "100-", red100),
      { as: "98e", text: "REDG{e}{redOp}{evict}{atypeR}{scopeA} [base@24+off@40:24s], data@32", sm: "90-" },
      ...far("9a6u", 64, "REDG{e}{atomFop}{evict}{atypeF}{scopeA} %A, data@32", "90", red90),
      ...far("9a6u", 64, "REDG{e}{atomFop}{evict}{atypeF}{scopeA} %A, data@32", "100-", red100),
      { as: "9a6", text: "REDG{e}{atomFop}{evict}{atypeF}{scopeA} [base@24+off@40:24s], data@32", sm: "90-" },
    ],
    time: "operands",
  },
]);
