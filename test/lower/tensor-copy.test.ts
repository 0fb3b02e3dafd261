/** Bulk copies of boxes of a tensor in our code (test/oracle/tensor-kernels.ts): maps are parameters, whose address cvta.param gives. */
import { compile } from "../../lib/compile";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";
import { verifyCubin } from "../../lib/verify";
import { kernel, wrong } from "../oracle/tensor-kernels";

test.each(
  (["sm_90", "sm_100"] as const).flatMap((target) =>
    [0, 2].flatMap((opt) => ([0, 32] as const).map((swizzle) => [target, opt, swizzle] as const)),
  ),
)("a box in and out, %s -O%i, swizzle of %i bytes", (target, opt, swizzle) => {
  const made = compile(kernel(target, "2d"), { target, opt, verify: true });
  expect(made.diagnostics).toEqual([]);
  expect(verifyCubin(unwrap(readCubin(made.cubin!)))).toEqual([]);
  expect(wrong(made.cubin!, swizzle)).toBe("");
});
