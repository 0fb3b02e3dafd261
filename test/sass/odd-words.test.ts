/** Words that were once read differently from nvdisasm; what it says of them (13.2.51). */

import { renderInst } from "../../lib/isa/text.js";
import { decodeInst } from "../../lib/sass/decode.js";
import { type TargetName, target } from "../../lib/target/index.js";

/** SM, word, and the tool's text: "" for what it prints as nothing, null for what it refuses. */
const words: readonly (readonly [sm: number, word: string, text: string | null])[] = [
  // What sm_120 has not of the bulk copies, and its loads with .RML2.
  [120, "ca93194749acb622d2d57a404a2795b4", "@!UP1 UTMALDG.2D.INVALID3.INVALID1 [UR64], [UR74], desc[UR122]"],
  [120, "b23dd60ed872a6d01793d454770e03bb", "@UP0 UBLKRED.S.S.ADD.INVALID9.STRONG.SM [UR84], [UR119], UR208"],
  [
    120,
    "6c939423a8fe18382e64fa84e3c1897e",
    "@!P0 LDG.E.INVALID7.RML2.256.???1.???0 R56, R193, desc[UR132][R227.64+0xc9f40], 0x17, P6",
  ],
  [120, "421fcba33b0e3ad62d7144a24dd6a378", null],
  // A register that must be absent, one that must not, and an echo of it.
  [100, "aac9d759ac6203ec5fbdc3788b2153cb", "@UP5 UMEMSETS.64 [UR139+0x5fbdc3], ???120, UR236"],
  [110, "2cfbea9cedcf59704be85ba2ff5743ca", "@UP4 UGETNEXTWORKID.BROADCAST [???255], [???255]"],
  // Conversions to small floats: other kinds have no names where c is a number; a type in between is hidden.
  [
    120,
    "0ac4ae3884637a5bf9af59cf4912743e",
    "F2FP.SATFINITE.RELU.E3M2.F16.???5.???6 R18, R91.reuse, -1.13809185615995035797e+35",
  ],
  [120, "95fd32179433e85ec177be76c057423e", ""],
  // A name that goes by the control word.
  [90, "6f0897b4d4b9034ba0839151ff0b9424", "@!P1 IMAD R11, RZ, R75, -0x5f7c6eaf"],
  [90, "000fe20000000bff0000000101007824", "IMAD.MOV R0, R1, 0x1, -RZ"],
  [90, "000fe200000003ff8000000001007824", "IMAD R0, R1, -0x80000000, RZ"],
  // Patches that are addresses, constants at any byte.
  [75, "e7360cab5beaafe0170cda30663c1521", "@P1 ALD.O.128 R60, a[UR38+-0x326], R48"],
  [75, "e524d814b7526b8cdda74695ae22ab52", "@!P2 RPCMOV.32 Rpc.HI, c[0x16][-0x62e6]"],
  [80, "2f9fcc2df48a423341a562f9760ea95d", "@!P2 NANOSLEEP.CLEAR !P1"],
  [90, "a0d3d0e6247a2abe2a696f0bffa1498f", null],
  // sm_89 has some of what came with sm_100.
  [89, "e0d9ea13f8db536433284f17d2d5ad8f", "@!P2 CCTL.E.???5.PF2.QFAULT P5, [R210+UR23]"],
  [89, "0e37c6f285f3123c21f0f9e27be3e98f", "@!P6 CCTL.???4.RML2 [R123+0x21f0f9e2], 0x1"],
  [89, "422ff4c5249b4931b1902ececd94195d", "@P1 NANOSLEEP.CLEAR !P1"],
  // Products keep operands.
  [75, "e7b173b6f7de54e63781f8a79ee8c236", "@!P4 HMMA.884.F32.F32.STEP0 R232, R158.reuse.ROW, R167.COL, R230"],
  // A barrier set to a constant names no scoreboard.
  [75, "000fe200000000001d0c694e0c007956", "BMOV.32 B12, 0x1d0c694e"],
  [75, "65231bb55404886f1d0c694ec04c4956", null],
  // The whole cache: one operation more, and those of sm_100 on that take scoreboards and keep no operand.
  [75, "000fe33df3684a36f7686c9affe6d98f", "@!P5 CCTL.U.IVALLP"],
  [121, "e312d8ed736293f87a628c1aff22298f", "@P2 CCTL.C.IVALLP"],
  [120, "9685d4f31424aa3eeae6f92fff0e198f", "@P1 CCTL.C.WBALLP"],
  [120, "85fff062926eeffeb9eb0032ffffc98f", null],
  // No register here is absent.
  [75, "277b48a56152b5a5e52c4cff46f103a9", "@P0 ATOMG.E.CAS.NA.64.SM.PRIVATE P1, R241, [R70+-0x1ad3b4], ???255, R165"],
  // After a descriptor an atomic needs a base (sm_80 to 89).
  [86, "7483f495f87461c5ba6620ecff6b298a", null],
  [
    86,
    "7483f495f87461c5ba6620ecfe6b298a",
    "@P2 ATOM.E.ADD.INVALID7.CONSTANT.CTA.PRIVATE P2, R107, [R254.64+-0x4599e0], R236",
  ],
  // All predicates: the mask is left out; RZ as a mask is not.
  [86, "f7531cd114055673000000ffdf37c804", "@!P4 R2P PR, R223.B1"],
  [90, "e0b9071ae2b1fc94f28755ffffa27204", "R2P PR, RZ.B3, RZ"],
  [120, "357703ee7f70ccf5000000ffa0738884", "@!UP0 UR2UP UPR, UR160"],
  // A wide base is there from sm_90 on, multicast and arrivals too.
  [90, "0e0e73b14d00e37065f2dac1ffa8ef8a", "@!P6 ATOM.E.ARRIVE.EF.???1.STRONG.GPU P0, R168, [???255.64+UR48+0x65f2da]"],
  [120, "0e31276fda4b40c7fbbd691effd0f9a5", "@!PT LDGMC.???0.MAX.F16x2.RN.STRONG.SYS R208, [???255.64+UR199+-0x44297]"],
  // Taken with one control word only, whatever it waits for; printed up to sm_88.
  [86, "208fc1d7835cb4f8229dd30638e9294f", "@P2 __HIR0X1E0"],
  [86, "208fc3d7835cb4f8229dd30638e9294f", null],
  [90, "000fc09f73d8b0bf6c108127220a694f", ""],
  // Hidden ones may name one scoreboard each, wait for none, and keep no operand.
  [120, "400dc57237c3c4e8ff59b4c4aa5bb3d1", ""],
  [121, "300ed509c7ad11cadf4d49ed2474f3d2", ""],
  [121, "340ff0df758f7a4753ce47bf7d6da3d2", null],
  // Refused for the control word or for values without a name.
  [90, "d6231eef58d87bc948c9edcb1d064df1", null],
  [90, "7359437d531519235c0a59455f0aa9c5", null],
  [110, "b16fca0175435b17bf74af1d23151941", null],
  [110, "a39f5120a27de7a4f1938241ffb7298f", null],
];

test.each(words)("sm_%i %s: %s", (sm, word, text) => {
  const at = Uint32Array.from([3, 2, 1, 0].map((i) => Number.parseInt(word.slice(8 * i, 8 * i + 8), 16)));
  const inst = decodeInst(at, 0, target(`sm_${sm}` as TargetName), 0);
  expect(inst && renderInst(inst, { isa: sm })).toBe(text);
});
