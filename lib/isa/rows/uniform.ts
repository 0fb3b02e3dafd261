/** The uniform datapath: one value for the whole warp. Guards are uniform predicates. */
import { type Rows, shared } from "../row.js";
import { uniform } from "./shapes.js";

const three = "RRR RIR RRI";
const noPins = "77:4=15 87:4=15";

export const uniformRows: Rows = shared({ guard: "UP", time: "fixed" }, [
  {
    op: "UMOV",
    does: "d = b",
    slots: "d:UR <- b:UR",
    lines: [
      { as: "I=882 R=c82u", text: "UMOV d, b", sm: "-110" },
      { as: "I=882", text: "UMOV d, b", sm: "120-" },
      { as: "R=c82u", text: "UMOV d, b", is: "80=0", sm: "120-" },
    ],
  },
  {
    op: "UMOV.64",
    does: "d = b, 64 bits",
    slots: "d:UR*2 <- b:UR*2",
    lines: [
      { as: "482u", text: "UMOV.64 d@16, b#24:64", sm: "120-" },
      { as: "R=c82u", text: "UMOV.64 d, b", is: "80=1", sm: "120-" },
    ],
  },
  {
    op: "ULDC",
    does: "d = constant bank",
    slots: "d:UR*size <- b:C",
    memory: ["const", "load"],
    bytes: "size",
    lines: [
      { as: "ab9", text: "ULDC{sizeC} d, c[b@54:5][@38:16s]", sm: "-90" },
      { as: "abbu", text: "ULDC{sizeC} d, c[b@54:5][UR!@24+@38:16s]", sm: "-90" },
      { as: "ab9u", text: "ULDC{sizeC} d, cx[b@24][@38:16]", sm: "-90" },
    ],
  },
  {
    op: "LDCU",
    does: "d = constant bank, with a uniform index register",
    slots: "d:UR*size <- b:C",
    widths:
      ".TEXUNPACK d*2; .U8.TEXUNPACK d=1; .S8.TEXUNPACK d=1; .U16.TEXUNPACK d=1; .S16.TEXUNPACK d=1; .128.TEXUNPACK d=1; .128.HDRUNPACK d=1",
    memory: ["const", "load"],
    bytes: "size",
    lines: [
      { as: "7acu", text: "LDCU{size}{_|.TEXUNPACK@80} d, c[b@54:5][UR@24+@37:17s]", sm: "100-110" },
      { as: "7acu", text: "LDCU{size}{unpack} d, c[b@54:5][UR@24+@37:17s]", sm: "120-" },
    ],
    // nvdisasm refuses LDCU words that set a read scoreboard.
    time: "write",
  },
  {
    op: "S2UR",
    does: "d = special register",
    slots: "d:UR <- s:S",
    lines: [{ as: "9c3", text: "S2UR d, s@72:8" }],
    time: "result",
  },
  {
    op: "UIADD3",
    does: "d = a + b + c",
    slots: "d:UR co:UP=PT co2:UP=PT <- a:UR b:UR c:UR",
    imm: "s32",
    lines: [
      {
        as: uniform(0x90, "RRR RIR"),
        text: "UIADD3 d, co@81?, co2@84?, -a, -b, -c",
        is: "74=0",
        fill: noPins,
        sm: "-90",
      },
      {
        as: uniform(0x90, "RRR RIR"),
        text: "UIADD3 d, co@81, co2@84, -a, -b, -c",
        is: "74=0",
        fill: noPins,
        sm: "100-",
      },
    ],
  },
  {
    op: "UIADD3.X",
    does: "d = a + b + c + ci + ci2",
    slots: "d:UR co:UP=PT co2:UP=PT <- a:UR b:UR c:UR ci:UP=!PT ci2:UP=!PT",
    imm: "s32",
    lines: [
      {
        as: uniform(0x90, "RRR RIR"),
        text: "UIADD3.X d, co@81?, co2@84?, ~a, ~b, ~c, !ci@87, !ci2@77",
        is: "74=1",
        sm: "-90",
      },
      {
        as: uniform(0x90, "RRR RIR"),
        text: "UIADD3.X d, co@81, co2@84, ~a, ~b, ~c, !ci@87, !ci2@77",
        is: "74=1",
        sm: "100-",
      },
    ],
  },
  {
    op: "UIADD3.64",
    does: "d = a + b + c, 64 bits",
    slots: "d:UR*2 co:UP=PT co2:UP=PT <- a:UR*2 b:UR*2 c:UR*2",
    imm: "s32",
    lines: [
      {
        as: uniform(0x97, "RRR RIR"),
        text: "UIADD3.64 d, co@81?, co2@84?, -a, -b, -c",
        is: "74=0",
        fill: noPins,
        sm: "80-90",
      },
      {
        as: uniform(0x97, "RRR RIR"),
        text: "UIADD3.64 d, co@81, co2@84, -a, -b, -c",
        is: "74=0",
        fill: noPins,
        sm: "100-",
      },
    ],
  },
  {
    op: "UIADD3.64.X",
    does: "d = a + b + c + ci + ci2, 64 bits",
    slots: "d:UR*2 co:UP=PT co2:UP=PT <- a:UR*2 b:UR*2 c:UR*2 ci:UP=!PT ci2:UP=!PT",
    imm: "s32",
    lines: [
      {
        as: uniform(0x97, "RRR RIR"),
        text: "UIADD3.64.X d, co@81?, co2@84?, ~a, ~b, ~c, !ci@87, !ci2@77",
        is: "74=1",
        sm: "80-90",
      },
      {
        as: uniform(0x97, "RRR RIR"),
        text: "UIADD3.64.X d, co@81, co2@84, ~a, ~b, ~c, !ci@87, !ci2@77",
        is: "74=1",
        sm: "100-",
      },
    ],
  },
  {
    op: "UIMAD",
    does: "d = a * b + c",
    slots: "d:UR <- a:UR b:UR c:UR",
    imm: "s32",
    lines: [{ as: uniform(0xa4, three), text: "UIMAD{u32} d, a, b, -c", is: "74=0", fill: "81:3=7 87:4=15" }],
  },
  {
    op: "UIMAD.X",
    does: "d = a * b + c + ci",
    slots: "d:UR <- a:UR b:UR c:UR ci:UP=!PT",
    imm: "s32",
    lines: [{ as: uniform(0xa4, three), text: "UIMAD{u32}.X d, a, b, ~c, !ci@87", is: "74=1", fill: "81:3=7" }],
  },
  {
    op: "UIMAD.WIDE",
    does: "d (64 bits) = a * b + c (64 bits)",
    slots: "d:UR*2 co:UP=PT <- a:UR b:UR c:UR*2",
    imm: "s32",
    lines: [{ as: uniform(0xa5, "RRR RIR"), text: "UIMAD.WIDE{u32} d, co@81?, a, b, -c", is: "74=0", fill: "87:4=15" }],
  },
  {
    op: "UIMAD.WIDE.X",
    does: "d (64 bits) = a * b + c (64 bits) + ci",
    slots: "d:UR*2 co:UP=PT <- a:UR b:UR c:UR*2 ci:UP=!PT",
    imm: "s32",
    lines: [{ as: uniform(0xa5, "RRR RIR"), text: "UIMAD.WIDE{u32}.X d, co@81?, a, b, ~c, !ci@87", is: "74=1" }],
  },
  {
    op: "UIMAD.HI",
    does: "d = high 32 bits of (a * b + c (64 bits))",
    slots: "d:UR co:UP=PT <- a:UR b:UR c:UR*2",
    imm: "s32",
    lines: [
      {
        as: uniform(0xa6, "RRR RIR"),
        text: "UIMAD.HI{u32} d, co@81?, a, b, -c",
        is: "74=0",
        fill: "87:4=15",
        sm: "120-",
      },
    ],
  },
  {
    op: "UIMAD.HI.X",
    does: "d = high 32 bits of (a * b + c (64 bits) + ci)",
    slots: "d:UR co:UP=PT <- a:UR b:UR c:UR*2 ci:UP=!PT",
    imm: "s32",
    lines: [
      { as: uniform(0xa6, "RRR RIR"), text: "UIMAD.HI{u32}.X d, co@81?, a, b, ~c, !ci@87", is: "74=1", sm: "120-" },
    ],
  },
  {
    op: "ULEA",
    does: "d = (a << n) + b",
    slots: "d:UR co:UP=PT <- a:UR b:UR n:I",
    lines: [
      {
        as: uniform(0x91, "RR RI"),
        text: "ULEA d, co@81?, -a, -b, n@75:5",
        is: "73:2=0 80=0",
        fill: "64:6=63 87:4=15",
        sm: "-90",
      },
      {
        as: uniform(0x91, "RR RI"),
        text: "ULEA d, co@81?, -a, -b, n@75:5",
        is: "73:2=0 80=0",
        fill: "64:8=255 87:4=15",
        sm: "100-",
      },
    ],
  },
  {
    op: "ULEA.X",
    does: "d = (a << n) + b + ci",
    slots: "d:UR co:UP=PT <- a:UR b:UR n:I ci:UP=!PT",
    lines: [
      {
        as: uniform(0x91, "RR RI"),
        text: "ULEA.X d, co@81?, ~a, ~b, n@75:5, !ci@87",
        is: "73:2=2 80=0",
        fill: "64:6=63",
        sm: "-90",
      },
      {
        as: uniform(0x91, "RR RI"),
        text: "ULEA.X d, co@81?, ~a, ~b, n@75:5, !ci@87",
        is: "73:2=2 80=0",
        fill: "64:8=255",
        sm: "100-",
      },
    ],
  },
  {
    op: "ULEA.HI.SX32",
    does: "d = high word of (sext(a) << n) + b",
    slots: "d:UR co:UP=PT <- a:UR b:UR n:I",
    lines: [
      {
        as: uniform(0x91, "RR RI"),
        text: "ULEA.HI.SX32 d, co@81?, -a, -b, n@75:5",
        is: "73:2=1 80=1",
        fill: "64:6=63 87:4=15",
        sm: "-90",
      },
      {
        as: uniform(0x91, "RR RI"),
        text: "ULEA.HI.SX32 d, co@81?, -a, -b, n@75:5",
        is: "73:2=1 80=1",
        fill: "64:8=255 87:4=15",
        sm: "100-",
      },
    ],
  },
  {
    op: "ULEA.HI",
    does: "d = high word of ((c:a) << n) + b",
    slots: "d:UR co:UP=PT <- a:UR b:UR c:UR n:I",
    lines: [
      {
        as: uniform(0x91, "RRR RIR"),
        text: "ULEA.HI d, co@81?, -a, -b, c, n@75:5",
        is: "73:2=0 80=1",
        fill: "87:4=15",
      },
      {
        as: uniform(0x91, "RRI"),
        text: "ULEA.HI d, co@81?, -a, b, c, n@75:5",
        is: "73:2=0 80=1",
        fill: "87:4=15",
        sm: "75",
      },
      {
        as: uniform(0x91, "RRI"),
        sm: "80-",
        text: "ULEA{?|.HI|...???@80} d, co@81?, -a, b, c, n@75:5",
        is: "74=0",
        fill: "73=0 87:4=15",
      },
    ],
  },
  {
    op: "ULEA.HI.X",
    does: "d = high word of ((c:a) << n) + b + ci",
    slots: "d:UR co:UP=PT <- a:UR b:UR c:UR n:I ci:UP=!PT",
    lines: [
      { as: uniform(0x91, "RRR RIR"), text: "ULEA.HI.X d, co@81?, ~a, ~b, c, n@75:5, !ci@87", is: "73:2=2 80=1" },
      {
        as: uniform(0x91, "RRI"),
        text: "ULEA.HI.X d, co@81?, ~a, b, c, n@75:5, !ci@87",
        is: "73:2=2 80=1",
        sm: "75",
      },
      {
        as: uniform(0x91, "RRI"),
        sm: "80-",
        text: "ULEA{?|.HI|...???@80}.X d, co@81?, ~a, b, c, n@75:5, !ci@87",
        is: "74=1",
        fill: "73=0",
      },
    ],
  },
  {
    op: "ULEA.HI.X.SX32",
    does: "d = high word of (sext(a) << n) + b + ci",
    slots: "d:UR co:UP=PT <- a:UR b:UR n:I ci:UP=!PT",
    lines: [
      {
        as: uniform(0x91, "RR RI"),
        text: "ULEA.HI.X.SX32 d, co@81?, ~a, ~b, n@75:5, !ci@87",
        is: "73:2=3 80=1",
        fill: "64:6=63",
        sm: "-90",
      },
      {
        as: uniform(0x91, "RR RI"),
        text: "ULEA.HI.X.SX32 d, co@81?, ~a, ~b, n@75:5, !ci@87",
        is: "73:2=3 80=1",
        fill: "64:8=255",
        sm: "100-",
      },
    ],
  },
  {
    op: "ULOP3",
    does: "d = lut(a, b, c) bit by bit",
    slots: "pout:UP=PT d:UR <- a:UR b:UR c:UR lut:I pin:UP=!PT",
    lines: [{ as: uniform(0x92, "RRR RIR"), text: "ULOP3.LUT{_|.PAND@80} pout@81?, d, a, b, c, lut@72:8, !pin@87" }],
  },
  {
    op: "USHF",
    does: "d = funnel shift of c:a by b",
    slots: "d:UR <- a:UR b:UR c:UR",
    lines: [{ as: uniform(0x99, three), text: "USHF{shift}{wrap}{shiftType}{hi} d, a, b, c" }],
  },
  {
    op: "UPRMT",
    does: "d = bytes of c:a selected by the nibbles of b",
    slots: "d:UR <- a:UR b:UR c:UR",
    lines: [{ as: uniform(0x96, "RRR RIR"), text: "UPRMT{_|...???@72} d, a, b, c" }],
  },
  {
    op: "USEL",
    does: "d = pin ? a : b",
    slots: "d:UR <- a:UR b:UR pin:UP",
    lines: [{ as: uniform(0x87, "RR RI"), text: "USEL d, a, b, !pin@87" }],
  },
  {
    op: "USEL.64",
    does: "d = pin ? a : b, 64 bits",
    slots: "d:UR*2 <- a:UR*2 b:UR*2 pin:UP",
    lines: [
      { as: "RR=c87u", text: "USEL.64 d, a, b, !pin@87", sm: "120-" },
      { as: "RI=487u", text: "USEL.64 d, a, b, !pin@87", is: "64=0", sm: "120-" },
      { as: "RI=487u", text: "USEL.64 d, a, b, !pin@87", is: "64=1", imm: "n32", sm: "120-" },
    ],
  },
  {
    op: "UISETP",
    does: "p = (a cmp b) bool pin; q = !(a cmp b) bool pin",
    slots: "p:UP q:UP=PT <- a:UR*mnmx b:UR*mnmx pin:UP=PT",
    imm: "s32",
    lines: [
      {
        as: uniform(0x8c, "RR RI"),
        text: "UISETP{icmp}{u32}{bool} p@81, q@84, a, b, !pin@87",
        is: "72=0",
        fill: "68:3=7",
        sm: "-110",
      },
      {
        as: uniform(0x8c, "RR RI"),
        text: "UISETP{icmp}{mnmx@73+80}{bool} p@81, q@84, a, b, !pin@87",
        is: "72=0",
        fill: "68:3=7",
        sm: "120-",
      },
    ],
  },
  {
    op: "UISETP.EX",
    does: "as UISETP on the upper words",
    slots: "p:UP q:UP=PT <- a:UR*mnmx b:UR*mnmx pin:UP=PT plo:UP=PT",
    imm: "s32",
    lines: [
      {
        as: uniform(0x8c, "RR RI"),
        text: "UISETP{icmp}{u32}{bool}.EX p@81, q@84, a, b, !pin@87, !plo@68",
        is: "72=1",
        sm: "-110",
      },
      {
        as: uniform(0x8c, "RR RI"),
        text: "UISETP{icmp}{mnmx@73+80}{bool}.EX p@81, q@84, a, b, !pin@87, !plo@68",
        is: "72=1",
        sm: "120-",
      },
    ],
  },
  {
    op: "UPLOP3",
    does: "p = lut(a, b, c), q = lut2(a, b, c) of predicates",
    slots: "p:UP q:UP=PT <- a:UP=PT b:UP=PT c:UP=PT lut:I lut2:I",
    lines: [{ as: "89c", text: "UPLOP3.LUT p@81, q@84, !a@87, !b@77, !c@68, lut@64:3+72:5, lut2@16:8" }],
  },
  {
    op: "UFLO",
    does: "d = position of the leading one of b",
    slots: "d:UR pout:UP=PT <- b:UR",
    lines: [{ as: "R=2bdu I=8bdu", text: "UFLO{u32}{_|.SH@74} d, pout@81?, ~b" }],
  },
  {
    op: "UPOPC",
    does: "d = number of ones in b",
    slots: "d:UR <- b:UR",
    lines: [{ as: "R=2bfu I=8bfu", text: "UPOPC d, ~b" }],
  },
  {
    op: "UBREV",
    does: "d = bits of b in reverse order",
    slots: "d:UR <- b:UR",
    lines: [{ as: "R=2beu I=8beu", text: "UBREV d, b" }],
  },
  {
    op: "UBMSK",
    does: "d = b ones starting at bit a",
    slots: "d:UR <- a:UR b:UR",
    lines: [{ as: uniform(0x9b, "RR RI"), text: "UBMSK{wrap} d, a, b" }],
  },
  {
    op: "USGXT",
    does: "d = low b bits of a, sign extended",
    slots: "d:UR <- a:UR b:UR",
    lines: [{ as: uniform(0x9a, "RR RI"), text: "USGXT{wrap}{u32} d, a, b" }],
  },
  {
    op: "VOTEU",
    guard: "P",
    does: "d = ballot of pin; pout = all, any or equal over the active lanes",
    slots: "d:UR=URZ pout:UP=PT <- pin:P",
    lines: [{ as: "886", text: "VOTEU{vote} d?, pout@81, !pin@87" }],
  },
]);
