import { compile } from "../../lib/compile";
import { simulate } from "../../lib/sim/index";
import { bitFields, expectedFields, FIELDS } from "./bit-field-kernel";

test.each(["sm_75", "sm_90", "sm_100"] as const)("%s", (target) => {
  for (const opt of [0, 2]) {
    const { cubin } = compile(bitFields(target), { target, opt });
    const out = new BigUint64Array(3 * FIELDS.length);
    const input = Uint32Array.from(FIELDS.flat());
    const r = simulate(cubin!, { kernel: "k", grid: 1, block: FIELDS.length, params: [out, input] });
    expect(r.ok && r.value.fault === null ? [...out].map((n) => n.toString(16)) : r).toEqual(expectedFields);
  }
});
