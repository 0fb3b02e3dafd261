/** `@!PT LDS` before asynchronous copies: as often as in ptxas's code. */
import { compile } from "../../lib/compile";
import { disassemble } from "../../lib/disassemble";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import { ptxas } from "./ptxas";
import { describeOracle } from "./tools";

const copy = "cp.async.ca.shared.global [%s], [%q], 16;";
const bodies: Readonly<Record<string, string>> = {
  "two in a row": `${copy} ${copy}`,
  "after a store": `st.shared.b32 [%s], %t; ${copy}`,
  "after a barrier": `${copy} cp.async.wait_all; bar.sync 0; ${copy}`,
  "after a load": `${copy} ld.shared.b32 %t, [%s]; st.global.b32 [%q], %t; bar.sync 0; ${copy} cp.async.wait_all;`,
};

const kernel = (arch: string, body: string): string => `.version 9.0\n.target ${arch}\n.address_size 64
.visible .entry k(.param .u64 p)
{
  .shared .align 16 .b8 m[4096]; .reg .b64 %q; .reg .b32 %s, %t;
  ld.param.u64 %q, [p]; mov.u32 %s, m; mov.u32 %t, %tid.x; mad.lo.u32 %s, %t, 16, %s;
  ${body}
  ret;
}
`;

function loads(cubin: Uint8Array): number {
  const [f] = disassemble(unwrap(readCubin(cubin)));
  return f!.instructions.filter((i) => i.text.startsWith("@!PT LDS")).length;
}

describeOracle("loads that load nothing", () => {
  test.each(
    ["sm_80", "sm_86", "sm_90", "sm_100", "sm_120"].flatMap((arch) =>
      Object.entries(bodies).map(([name, body]) => [arch, name, body] as const),
    ),
  )("%s, %s", (arch, _, body) => {
    const text = kernel(arch, body);
    const made = compile(text, { target: arch as "sm_80", opt: 2 });
    expect(made.diagnostics).toEqual([]);
    expect(loads(made.cubin!)).toBe(loads(ptxas(text, arch, 3)));
  });
});
