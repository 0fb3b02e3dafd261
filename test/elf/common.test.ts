import { compile } from "../../lib/compile";

const text = `.version 9.0\n.target sm_90\n.address_size 64
.common .global .align 4 .u32 c[4];
.visible .entry k(.param .u64 a) { .reg .b64 %l; .reg .b32 %r; ld.param.u64 %l, [a]; ld.global.u32 %r, [c]; st.global.u32 [%l], %r; ret; }`;

test("common variables: the module's own where nobody links it, refused in an object", () => {
  expect(compile(text, { target: "sm_90" }).cubin).not.toBeNull();
  const made = compile(text, { target: "sm_90", relocatable: true });
  expect(made.diagnostics.map((d) => d.message)).toEqual(["not supported yet: .common c in an object"]);
});
