/**
 * Textures, samplers and surfaces that PTX names: sections, symbols, relocations and attributes are ptxas's, and its code of the same kernels gives the same
 * in the simulator.
 */
import { compile } from "../../lib/compile";
import { describeCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import { simulate } from "../../lib/sim/index";
import type { TargetName } from "../../lib/target/index";
import { expected, independent, launchOf, unified } from "../lower/reference-kernels";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

const MODES = { unified, independent };

/** Kernels that name different things, with more and fewer parameters, beside variables. */
const several = (target: string): string => `.version 9.0
.target ${target}
.address_size 64
.global .texref a; .global .texref b; .global .surfref s; .global .texref never; .visible .global .u32 other; .visible .const .u32 c = 7;
${(
  [
    ["first", "", "tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [b, {0f00000000}];"],
    ["second", ", .param .b8 more[41]", "sust.b.1d.b32.trap [s, {0}], %r1;"],
    ["third", "", "ld.global.u32 %r1, [other]; ld.const.u32 %r2, [c]; add.u32 %r1, %r1, %r2;"],
    [
      "fourth",
      "",
      "sust.b.1d.b32.trap [s, {0}], 1; tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [a, {0f00000000}]; bar.sync 0;",
    ],
  ] as const
)
  .map(
    ([name, more, body]) => `.visible .entry ${name}(.param .u64 out${more}) {
  .reg .b64 %d; .reg .b32 %r<3>; .reg .f32 %f<4>;
  mov.f32 %f0, 0f00000000; mov.u32 %r1, %tid.x; ld.param.u64 %d, [out]; ${body}
  st.global.f32 [%d], %f0; st.global.u32 [%d+4], %r1; ret;
}`,
  )
  .join("\n")}
`;
const SECTIONS = { several, independent };
const modes = ["unified", "independent"] as const;

/** What does not depend on the code of a kernel and its length, nor is a capsule. */
function told(cubin: Uint8Array): string[] {
  const lines = unwrap(describeCubin(cubin, { contents: false }));
  return lines
    .filter((l) => !/^(segment|section \.(text|strtab|debug_frame|nv\.callgraph)|\.nv\.compat|sm_)/.test(l))
    .filter((l) => !/(EXIT_INSTR_OFFSETS|REGCOUNT|COOP_GROUP)|\.rela?\.(text|debug)|\.nv\.merc|\.nv\.capmerc/.test(l))
    .map((l) =>
      l.replace(/( size=0x\S*)$/, (size) => (/^section \.nv\.(constant0|info)|type=1[0-2] /.test(l) ? size : "")),
    );
}

describeOracle("references", () => {
  test.each((["several", "independent"] as const).flatMap((of) => ([75, 86, 90] as const).map((sm) => ({ of, sm }))))(
    "sections, symbols, relocations, attributes: $of, sm_$sm",
    ({ of, sm }) => {
      const target: TargetName = `sm_${sm}`;
      const ptx = SECTIONS[of](target);
      expect(told(compile(ptx, { target, opt: 0 }).cubin!)).toEqual(told(ptxas(ptx, target, 0)));
    },
  );

  test.each(modes.flatMap((mode) => ([75, 90, 100, 120] as const).map((sm) => ({ mode, sm }))))(
    "words and code of ptxas: $mode mode, sm_$sm",
    ({ mode, sm }) => {
      const target: TargetName = `sm_${sm}`;
      const ptx = MODES[mode](target);
      const words = (cubin: Uint8Array): string[] =>
        unwrap(describeCubin(cubin, { contents: false })).filter((l) => l.includes("HEADER_INDEX"));
      expect(words(compile(ptx, { target }).cubin!)).toEqual(words(ptxas(ptx, target, 3)));
      for (const level of [0, 3]) {
        const { options, out } = launchOf(mode);
        expect(unwrap(simulate(ptxas(ptx, target, level), options)).fault).toBeNull();
        expect([...out.slice(0, 36)]).toEqual(expected[mode].flat());
      }
    },
  );
});
