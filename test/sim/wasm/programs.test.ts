/** Kernels of the corpus in closures and translated: the same buffers, the same counts. */
import { compile } from "../../../lib/compile.js";
import { type EngineChoice, runLaunchFile, simulate } from "../../../lib/sim/index.js";
import { corpus, corpusPtx } from "../../corpus/cases.js";

test.each(corpus.map((c) => [c.name, c] as const))("%s does the same in closures and translated", (name, c) => {
  const { cubin } = compile(corpusPtx(name as never, "sm_90"), { target: "sm_90" });
  if (cubin === null) throw new Error("not compiled");
  const outcome = (engine: EngineChoice): unknown => {
    const file = { ...c.launch, print: Object.keys(c.launch.expect) };
    const done = runLaunchFile(cubin, file, {
      readFile: () => null,
      launch: (device, module, options) => device.launch(module, { ...options, engine }),
    });
    return done.json;
  };
  const closures = outcome("closures");
  expect(outcome("wasm")).toEqual(closures);
  expect(outcome("auto")).toEqual(closures);
});

test("both words of an atomic's operand are there for it", () => {
  const { cubin } = compile(
    `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b64 %p<4>; .reg .b64 %l<3>;
  ld.param.u64 %p1, [p];
  ld.global.u64 %l1, [%p1];
  red.global.add.u64 [%p1+8], %l1;
  atom.global.max.u64 %l2, [%p1+16], %l1;
  st.global.u64 [%p1+24], %l2;
  ret;
}`,
    { target: "sm_90" },
  );
  const ran = (engine: EngineChoice): BigUint64Array => {
    const cells = BigUint64Array.of(0x123456789abcdef0n, 5n, 0x1111111122222222n, 0n);
    const run = simulate(cubin!, { params: [cells], engine });
    if (!run.ok || run.value.fault !== null) throw new Error("not run");
    return cells;
  };
  const expected = BigUint64Array.of(
    0x123456789abcdef0n,
    0x123456789abcdef5n,
    0x123456789abcdef0n,
    0x1111111122222222n,
  );
  expect(ran("closures")).toEqual(expected);
  expect(ran("wasm")).toEqual(expected);
});

test.each([8_000_000, -8_000_000, 1000])("lanes that take no part may have an address %i bytes away", (far) => {
  const { cubin } = compile(
    `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 first) {
  .reg .b64 %p<4>; .reg .b32 %r<5>; .reg .pred %q<2>;
  ld.param.u64 %p1, [p];
  ld.param.u32 %r1, [first];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %p2, %r2, 4;
  add.u64 %p2, %p1, %p2;
  setp.ge.u32 %q1, %r2, %r1;
  mov.u32 %r3, 7;
  @%q1 ld.global.u32 %r3, [%p2+${far}];
  st.global.u32 [%p2], %r3;
  ret;
}`,
    { target: "sm_90" },
  );
  for (const first of [40, 32, 9]) {
    const ran = (engine: EngineChoice): unknown => {
      const cells = new Uint32Array(600).fill(3);
      const run = simulate(cubin!, { block: 32, params: [cells, { s32: first }], engine });
      return run.ok ? [run.value.fault?.kind, cells] : run.diagnostics;
    };
    expect(ran("wasm")).toEqual(ran("closures"));
  }
});
