import { compile } from "../../lib/compile";
import { simulate } from "../../lib/sim/index";
import { CONSTANT_ADDRESSES, constantAddresses } from "./constant-kernel";

const targets = ["sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"] as const;
test.each(targets.flatMap((t) => [0, 1, 2].map((opt) => [t, opt] as const)))("%s -O%i", (target, opt) => {
  const { cubin, diagnostics } = compile(constantAddresses(target), { target, opt, verify: true });
  expect(diagnostics).toEqual([]);
  const out = new Uint32Array(5);
  const r = simulate(cubin!, { kernel: "k", grid: 1, block: 1, params: [out, { u32: 2 }] });
  expect(r.ok && r.value.fault === null ? [...out] : r).toEqual(CONSTANT_ADDRESSES);
});
