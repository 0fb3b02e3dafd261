/** How a module shows itself. */
import { inspect } from "node:util";
import { parse, print } from "../../lib/ptx/index.js";

const text = `.version 8.0
.target sm_90
.address_size 64
.global .u32 g;
.func (.reg .b32 r) f(.reg .b32 a) { { add.s32 r, a, 1; } ret; }
.extern .func h();
.visible .entry k(.param .u64 p, .param .u32 n) { .reg .b32 x; L: mov.u32 x, 1; ret; }
`;

test("a few words, where it stands alone and inside of others", () => {
  const parsed = parse(text, { file: "k.ptx" });
  if (!parsed.ok) throw new Error(parsed.diagnostics[0]!.message);
  expect(inspect(parsed.value)).toBe(
    [
      "Module k.ptx, PTX 8.0 for sm_90: 3 functions, 1 variable",
      "  .func f: 1 parameter, 2 instructions",
      "  .extern .func h: 0 parameters, declared only",
      "  .visible .entry k: 2 parameters, 2 instructions",
    ].join("\n"),
  );
  expect(inspect({ m: parsed.value })).toBe("{ m: [Module: PTX 8.0 for sm_90: 3 functions, 1 variable] }");
  // The looks are no part of the tree.
  expect(JSON.stringify(parsed.value)).toContain('"kind":"module"');
  expect(print({ ...parsed.value })).toBe(print(parsed.value));
});
