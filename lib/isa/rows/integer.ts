/** Integer and logic instructions on R. */
import { type Rows, shared } from "../row.js";
import { either, middle, one, two, wide } from "./shapes.js";

const noPins = "77:4=15 87:4=15";

export const integerRows: Rows = shared({ time: "fixed" }, [
  {
    op: "IADD3",
    does: "d = a + b + c; co, co2: the carries out of the sum of three",
    slots: "d co:P=PT co2:P=PT <- a b c",
    imm: "s32",
    lines: [
      { as: middle(0x010), text: "IADD3 d, co@81?, co2@84?, -a, -b, -c", is: "74=0", fill: noPins, sm: "-90" },
      { as: middle(0x010), text: "IADD3 d, co@81, co2@84, -a, -b, -c", is: "74=0 76=0", fill: noPins, sm: "100-103" },
      { as: middle(0x010), text: "IADD3 d, co@81, co2@84, -a, -b, -c", is: "74=0", fill: noPins, sm: "110-" },
    ],
  },
  {
    op: "IADD3.X",
    does: "d = a + b + c + ci + ci2 (the upper word of a wide sum; ~ is the two's complement without the +1)",
    slots: "d co:P=PT co2:P=PT <- a b c ci:P=!PT ci2:P=!PT",
    imm: "s32",
    lines: [
      { as: middle(0x010), text: "IADD3.X d, co@81?, co2@84?, ~a, ~b, ~c, !ci@87, !ci2@77", is: "74=1", sm: "-90" },
      {
        as: middle(0x010),
        text: "IADD3.X d, co@81, co2@84, ~a, ~b, ~c, !ci@87, !ci2@77",
        is: "74=1 76=0",
        sm: "100-103",
      },
      { as: middle(0x010), text: "IADD3.X d, co@81, co2@84, ~a, ~b, ~c, !ci@87, !ci2@77", is: "74=1", sm: "110-" },
    ],
  },
  {
    op: "IADD.XOR",
    does: "d = (a + b) ^ c; co: the carry",
    slots: "d co:P=PT <- a b c",
    imm: "s32",
    lines: [
      { as: middle(0x010), text: "IADD.XOR d, co@81, -a, -b, c", is: "74=0 76=1", fill: "87:4=15", sm: "100-103" },
    ],
  },
  {
    op: "IADD.X.XOR",
    does: "d = (a + b + ci) ^ c",
    slots: "d co:P=PT <- a b c ci:P=!PT",
    imm: "s32",
    lines: [{ as: middle(0x010), text: "IADD.X.XOR d, co@81, ~a, ~b, c, !ci@87", is: "74=1 76=1", sm: "100-103" }],
  },
  {
    op: "IADD",
    does: "d = a + b; co: the carry",
    slots: "d co:P=PT <- a b",
    imm: "s32",
    lines: [{ as: two(0x035), text: "IADD d, co@81?, -a, -b", is: "73:2=0", fill: "87:4=15", sm: "120-" }],
  },
  {
    op: "IADD.X",
    does: "d = a + b + ci",
    slots: "d co:P=PT <- a b ci:P=!PT",
    imm: "s32",
    lines: [{ as: two(0x035), text: "IADD.X d, co@81?, ~a, ~b, !ci@87", is: "73:2=2", sm: "120-" }],
  },
  {
    op: "IADD.64",
    does: "d = a + b, 64 bits; co: the carry",
    slots: "d*2 co:P=PT <- a*2 b*2",
    imm: "s32",
    lines: [{ as: two(0x035), text: "IADD.64 d, co@81?, -a, -b", is: "73:2=1", fill: "87:4=15", sm: "120-" }],
  },
  {
    op: "IADD.64.X",
    does: "d = a + b + ci, 64 bits",
    slots: "d*2 co:P=PT <- a*2 b*2 ci:P=!PT",
    imm: "s32",
    lines: [{ as: two(0x035), text: "IADD.64.X d, co@81?, ~a, ~b, !ci@87", is: "73:2=3", sm: "120-" }],
  },
  {
    op: "IMAD",
    does: "d = a * b + c, low 32 bits",
    slots: "d <- a b c",
    imm: "s32",
    alias: [
      "MOV: a=zero b=plain c=plain",
      "MOV: b=zero c=plain",
      "MOV: b=0x1 c=zero",
      "SHL: b=pow2 c=zero",
      "IADD: b=0x1",
    ],
    lines: [
      { as: either(0x024), text: "IMAD{u32} d, a, b, -c", is: "74=0", fill: "81:3=7 87:4=15", sm: "-90,110-" },
      { as: either(0x024), text: "IMAD{u32} d, a, b, -c", is: "74=0 76=0", fill: "81:3=7 87:4=15", sm: "100-103" },
    ],
  },
  {
    op: "IMUL.XOR",
    does: "d = (a * b) ^ c, low 32 bits",
    slots: "d <- a b c",
    imm: "s32",
    lines: [
      { as: either(0x024), text: "IMUL.XOR{u32} d, a, b, c", is: "74=0 76=1", fill: "81:3=7 87:4=15", sm: "100-103" },
    ],
  },
  {
    op: "IMAD.X",
    does: "d = a * b + c + ci",
    slots: "d <- a b c ci:P=!PT",
    imm: "s32",
    lines: [
      { as: either(0x024), text: "IMAD{u32}.X d, a, b, ~c, !ci@87", is: "74=1", not: "100-103 76=1", fill: "81:3=7" },
    ],
  },
  {
    op: "IMAD.WIDE",
    does: "d (64 bits) = a * b + c (64 bits)",
    slots: "d*2 co:P=PT <- a b c*2",
    imm: "s32",
    lines: [
      { as: wide(0x25), text: "IMAD.WIDE{u32} d, co@81?, a, b, -c", is: "74=0", fill: "87:4=15", sm: "-90,110-" },
      { as: wide(0x25), text: "IMAD.WIDE{u32} d, co@81?, a, b, -c", is: "74=0 76=0", fill: "87:4=15", sm: "100-103" },
    ],
  },
  {
    op: "IMUL.WIDE.XOR",
    does: "d (64 bits) = (a * b) ^ c (64 bits)",
    slots: "d*2 <- a b c*2",
    imm: "s32",
    lines: [
      { as: wide(0x25), text: "IMUL.WIDE.XOR{u32} d, a, b, c", is: "74=0 76=1", fill: "81:3=7 87:4=15", sm: "100-103" },
    ],
  },
  {
    op: "IMAD.WIDE.X",
    does: "d (64 bits) = a * b + c (64 bits) + ci",
    slots: "d*2 co:P=PT <- a b c*2 ci:P=!PT",
    imm: "s32",
    lines: [{ as: wide(0x25), text: "IMAD.WIDE{u32}.X d, co@81?, a, b, ~c, !ci@87", is: "74=1", not: "100-103 76=1" }],
  },
  {
    op: "IMAD.HI",
    does: "d = high 32 bits of (a * b + c (64 bits))",
    slots: "d co:P=PT <- a b c*2",
    imm: "s32",
    lines: [{ as: wide(0x27), text: "IMAD.HI{u32} d, co@81?, a, b, -c", is: "74=0", fill: "87:4=15" }],
  },
  {
    op: "IMAD.HI.X",
    does: "d = high 32 bits of (a * b + c (64 bits) + ci)",
    slots: "d co:P=PT <- a b c*2 ci:P=!PT",
    imm: "s32",
    lines: [{ as: wide(0x27), text: "IMAD.HI{u32}.X d, co@81?, a, b, ~c, !ci@87", is: "74=1" }],
  },
  {
    op: "LEA",
    does: "d = (a << n) + b",
    slots: "d co:P=PT <- a b n:I",
    lines: [{ as: two(0x011), text: "LEA d, co@81?, -a, -b, n@75:5", is: "73:2=0 80=0", fill: "64:8=255 87:4=15" }],
  },
  {
    op: "LEA.X",
    does: "d = (a << n) + b + ci",
    slots: "d co:P=PT <- a b n:I ci:P=!PT",
    lines: [{ as: two(0x011), text: "LEA.X d, co@81?, ~a, ~b, n@75:5, !ci@87", is: "73:2=2 80=0", fill: "64:8=255" }],
  },
  {
    op: "LEA.HI",
    does: "d = high word of ((c:a) << n) + b",
    slots: "d co:P=PT <- a b c n:I",
    lines: [
      {
        as: middle(0x011),
        text: "LEA.HI d, co@81?, -a, -b, c, n@75:5",
        is: "73:2=0 80=1",
        fill: "87:4=15",
      },
      { as: "RRI=411", text: "LEA.HI d, co@81?, -a, b, c, n@75:5", is: "73:2=0 80=1", fill: "87:4=15", sm: "75" },
      {
        as: "RRI=411",
        sm: "80-",
        text: "LEA{?|.HI|...???@80} d, co@81?, -a, b, c, n@75:5",
        is: "74=0",
        fill: "73=0 87:4=15",
      },
    ],
  },
  {
    op: "LEA.HI.X",
    does: "d = high word of ((c:a) << n) + b + ci",
    slots: "d co:P=PT <- a b c n:I ci:P=!PT",
    lines: [
      { as: middle(0x011), text: "LEA.HI.X d, co@81?, ~a, ~b, c, n@75:5, !ci@87", is: "73:2=2 80=1" },
      { as: "RRI=411", text: "LEA.HI.X d, co@81?, ~a, b, c, n@75:5, !ci@87", is: "73:2=2 80=1", sm: "75" },
      {
        as: "RRI=411",
        sm: "80-",
        text: "LEA{?|.HI|...???@80}.X d, co@81?, ~a, b, c, n@75:5, !ci@87",
        is: "74=1",
        fill: "73=0",
      },
    ],
  },
  {
    op: "LEA.HI.SX32",
    does: "d = high word of (sext(a) << n) + b",
    slots: "d co:P=PT <- a b n:I",
    lines: [
      { as: two(0x011), text: "LEA.HI.SX32 d, co@81?, -a, -b, n@75:5", is: "73:2=1 80=1", fill: "64:8=255 87:4=15" },
    ],
  },
  {
    op: "LEA.HI.X.SX32",
    does: "d = high word of (sext(a) << n) + b + ci",
    slots: "d co:P=PT <- a b n:I ci:P=!PT",
    lines: [
      { as: two(0x011), text: "LEA.HI.X.SX32 d, co@81?, ~a, ~b, n@75:5, !ci@87", is: "73:2=3 80=1", fill: "64:8=255" },
    ],
  },
  {
    op: "LOP3",
    does: "d = lut(a, b, c) bit by bit, lut = 8-bit truth table (a 0xf0, b 0xcc, c 0xaa); pout = (d != 0) or (.PAND) and pin",
    slots: "pout:P=PT d <- a b c lut:I pin:P=!PT",
    lines: [{ as: middle(0x012), text: "LOP3.LUT{_|.PAND@80} pout@81?, d, a, b, c, lut@72:8, !pin@87" }],
  },
  {
    op: "SHF",
    does: "d = funnel shift of c:a by b (.L takes the upper word of the left shift, .R the lower of the right one unless .HI)",
    slots: "d <- a b c",
    lines: [
      { as: either(0x019), text: "SHF{shift}{wrap}{shiftType}{hi} d, a, b, c", sm: "-90,110-" },
      { as: either(0x019), text: "SHF{_|.XOR@77}{shift}{wrap}{shiftType}{hi} d, a, b, c", sm: "100-103" },
    ],
  },
  {
    op: "PRMT",
    does: "d = bytes of c:a selected by the nibbles of b",
    slots: "d <- a b c",
    lines: [{ as: either(0x016), text: "PRMT{prmt} d, a, b, c" }],
  },
  {
    op: "IABS",
    does: "d = |b|",
    slots: "d <- b",
    imm: "s32",
    lines: [{ as: one(0x013), text: "IABS d, b" }],
  },
  {
    op: "IMNMX",
    does: "d = pin ? min(a, b) : max(a, b)",
    slots: "d <- a b pin:P=PT",
    imm: "s32",
    lines: [
      { as: two(0x017), text: "IMNMX{u32} d, a, b, !pin@87", sm: "-90" },
      { as: two(0x017), text: "IMNMX{u32} d, a, b, !pin@87", fill: "77:4=15 81:6=63", sm: "110" },
    ],
  },
  {
    op: "IMNMX",
    does: "the same with two more predicates; p, q: the result is a, a and b are equal (not measured)",
    slots: "p:P q:P d*mnmx <- a*mnmx b*mnmx pin:P ci:P",
    imm: "s32",
    lines: [{ as: two(0x017), text: "IMNMX{mnmx} p@81, q@84, d, a, b, !pin@87, !ci@77", sm: "120-" }],
  },
  {
    op: "VIMNMX",
    does: "d = pin ? min(a, b) : max(a, b), 32 bits or two halves; co, co2: a was taken",
    slots: "d co:P=PT co2:P=PT <- a b pin:P=PT",
    imm: "s32",
    lines: [
      { as: two(0x48), text: "VIMNMX{vtype}{_|.RELU@76} d, a, b, !pin@87", is: "81:3=7", fill: "84:3=7", sm: "90" },
      { as: two(0x48), text: "VIMNMX{vtype}{_|.RELU@76} d, co@81, ???7, a, b, !pin@87", is: "84:3=7", sm: "90" },
      { as: two(0x48), text: "VIMNMX{vtype}{_|.RELU@76} d, co@81, co2@84, a, b, !pin@87", sm: "90-103" },
      { as: two(0x48), text: "VIMNMX{vtype120}{_|.RELU@76} d, a, b, !pin@87", fill: "81:6=63", sm: "120-" },
    ],
  },
  {
    op: "VIMNMX3",
    does: "d = pin ? min(a, b, c) : max(a, b, c)",
    slots: "d <- a b c pin:P=PT",
    lines: [{ as: middle(0x00f), text: "VIMNMX3{vtype}{_|.RELU@76} d, a, b, c, !pin@87", sm: "90-103" }],
  },
  {
    op: "VIADDMNMX",
    does: "d = pin ? min(a + b, c) : max(a + b, c), 32 bits or two halves",
    slots: "d <- a b c pin:P=PT",
    lines: [{ as: either(0x46), text: "VIADDMNMX{vtype}{_|.RELU@76} d, a, -b, c, !pin@87", sm: "90-103" }],
  },
  {
    op: "VABSDIFF",
    does: "d = |a - b| + c",
    slots: "d co:P=PT <- a b c",
    lines: [{ as: either(0x14), text: "VABSDIFF{u32} d, co@81?, a, b, c", sm: "-110" }],
  },
  {
    op: "VABSDIFF4",
    does: "d = |a - b| of four bytes (.ACC: their sum) + c",
    slots: "d co:P=PT <- a b c",
    lines: [{ as: either(0x15), text: "VABSDIFF4{.U8|_@73}{_|.ACC@75} d, co@81?, a, b, c", sm: "-110" }],
  },
  {
    op: "VIADD",
    does: "d = a + b",
    slots: "d <- a b",
    lines: [
      { as: two(0x036), text: "VIADD{_|.16x2@73} d, a, -b", sm: "90-103" },
      {
        as: two(0x036),
        text: "VIADD{.32|.16x2|.S32|.S16x2|.U8x4|.S8x4@73:3}{_|.ISAT@80} d, -a, -b",
        sm: "120-",
      },
    ],
  },
  {
    op: "ISETP",
    does: "p = (a cmp b) bool pin; q = !(a cmp b) bool pin",
    slots: "p:P q:P=PT <- a b pin:P=PT",
    lines: [
      {
        as: two(0x00c),
        text: "ISETP{icmp}{u32}{bool} p@81, q@84, a, b, !pin@87",
        is: "72=0 68:4=7",
        sm: "75",
      },
      {
        as: two(0x00c),
        text: "ISETP{icmp}{u32}{bool} p@81, q@84, a, b, !pin@87",
        is: "72=0",
        fill: "68:3=7",
        sm: "80-110",
      },
      {
        as: two(0x00c),
        text: "ISETP{icmp}{u32}{bool} p@81, q@84, a, b, !pin@87",
        is: "72=0 80=0",
        fill: "68:3=7",
        sm: "120-",
      },
    ],
    imm: "s32",
  },
  {
    op: "ISETP",
    does: "the same; plo is shown without a meaning",
    slots: "p:P q:P=PT <- a b pin:P=PT plo:P",
    imm: "s32",
    lines: [
      { as: two(0x00c), text: "ISETP{icmp}{u32}{bool} p@81, q@84, a, b, !pin@87, !plo@68", is: "72=0", sm: "75" },
    ],
  },
  {
    op: "ISETP.S64",
    does: "as ISETP on 64 bits",
    slots: "p:P q:P=PT <- a*2 b*2 pin:P=PT",
    imm: "s32",
    lines: [
      {
        as: two(0x00c),
        text: "ISETP{icmp}{.U64|.S64@73}{bool} p@81, q@84, a, b, !pin@87",
        is: "72=0 80=1",
        fill: "68:3=7",
        sm: "120-",
      },
    ],
  },
  {
    op: "ISETP.EX",
    does: "as ISETP on the upper words, with the predicate of the lower words in plo",
    slots: "p:P q:P=PT <- a b pin:P=PT plo:P=PT",
    widths: ".U64 a=2 b=2; .S64 a=2 b=2",
    imm: "s32",
    lines: [
      { as: two(0x0c), text: "ISETP{icmp}{u32}{bool}.EX p@81, q@84, a, b, !pin@87, !plo@68?", is: "72=1", sm: "75" },
      { as: two(0x0c), text: "ISETP{icmp}{u32}{bool}.EX p@81, q@84, a, b, !pin@87, !plo@68", is: "72=1", sm: "80-110" },
      {
        as: two(0x0c),
        text: "ISETP{icmp}{.U32|_|.U64|.S64@73+80}{bool}.EX p@81, q@84, a, b, !pin@87, !plo@68",
        is: "72=1",
        sm: "120-",
      },
    ],
  },
  {
    op: "POPC",
    does: "d = number of ones in b",
    slots: "d <- b",
    lines: [{ as: one(0x109), text: "POPC d, ~b" }],
    time: "result",
  },
  {
    op: "FLO",
    does: "d = position of the leading one of b (of the leading bit unlike the sign unless .U32), −1 if none; .SH: from the left",
    slots: "d pout:P=PT <- b",
    lines: [{ as: one(0x100), text: "FLO{u32}{_|.SH@74} d, pout@81?, ~b" }],
    time: "result",
  },
  {
    op: "BREV",
    does: "d = bits of b in reverse order",
    slots: "d <- b",
    lines: [{ as: one(0x101), text: "BREV d, b" }],
    time: "result",
  },
  {
    op: "BMSK",
    does: "d = b ones starting at bit a",
    slots: "d <- a b",
    lines: [{ as: two(0x01b), text: "BMSK{wrap} d, a, b" }],
  },
  {
    op: "SGXT",
    does: "d = low b bits of a, sign extended (zero extended with .U32)",
    slots: "d <- a b",
    lines: [{ as: two(0x01a), text: "SGXT{wrap}{u32} d, a, b" }],
  },
  {
    op: "IDP",
    does: "d = dot product of the bytes of a and b (.4A), or of the halves of a and two bytes of b (.2A), plus c",
    slots: "d <- a b c",
    lines: [
      {
        as: "RRR=226 RCR=a26 RXR=a26u RUR=c26u",
        text: "IDP{.4A.U8|.4A.S8|.2A.LO.U16|.2A.LO.S16|!|!|.2A.HI.U16|.2A.HI.S16@73+76+77}{.U8|.S8@74} d, a, b, -c",
      },
    ],
  },
  {
    op: "PLOP3",
    does: "p = lut(a, b, c), q = lut2(a, b, c) of predicates",
    slots: "p:P q:P=PT <- a:P=PT b:P=PT c:P=PT lut:I lut2:I",
    lines: [
      {
        as: "81c",
        text: "PLOP3.LUT p@81, q@84, !a@87, !b@77, !c@68, lut@64:3+72:5, lut2@16:8",
        is: "67=0",
      },
    ],
  },
  {
    op: "PLOP3",
    does: "p = lut(a, b, c), q = lut2(a, b, c) with a uniform predicate c",
    slots: "p:P q:P=PT <- a:P=PT b:P=PT c:UP lut:I lut2:I",
    lines: [
      {
        as: "81c",
        text: "PLOP3.LUT p@81, q@84, !a@87, !b@77, !c@68, lut@64:3+72:5, lut2@16:8",
        is: "67=1",
      },
    ],
  },
]);
