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
