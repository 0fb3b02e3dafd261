/** Waits, fences, arrivals and expected counts, removed or weakened one at a time: the simulator reports each (`tools/wait-faults.ts` runs more of them). */
import { simulate } from "../../../lib/sim/index.js";
import { unwrap } from "../../../lib/result.js";
import { compile } from "../../../lib/compile.js";
import { asynchronousKernels, matrixText } from "./cases.js";
import { waitFaults } from "./faults.js";
import { judge } from "./judge.js";

/** Those that change nothing that a program may see, with the reason. */
const harmless: Readonly<Record<string, readonly string[]>> = {
  // The last word has come before the last barrier of the cluster.
  "exchange.sm_90 exchange": ["149 cluster does not wait"],
  // A group that no wait counts: the loop ends.
  "smooth.sm_80 smooth": ["305 commit removed"],
  // Only rank 0 waits for the others' words, and its barrier counts them.
  "reductions.sm_90 send_words": ["507 cluster does not wait"],
  // Nobody has touched these halves of the tiles before.
  "sum_tiles.sm_90 sums": ["41 barrier removed", "138 barrier removed"],
};

/**
 * Those that no checker sees. The simulator keeps no proxies for words of an mbarrier and for what was read before a copy writes it: a
 * thread's fence between such accesses and a copy that it starts itself is missed by nobody. Nor is a barrier after the initialization of
 * an mbarrier where the thread that initializes it comes first in the simulator's order of warps.
 */
const unseen: Readonly<Record<string, readonly string[]>> = {
  "stream_k.sm_100a gemm": ["668 fence removed", "668 fence of the other memory"],
  "convolution.sm_90 convolution": ["65 fence removed", "65 fence of the other memory"],
  "convolution.sm_120 convolution": ["64 fence removed", "64 fence of the other memory", "86 barrier removed"],
  "permute_rows.sm_100a permute_rows": ["46 fence removed", "46 fence of the other memory", "63 barrier removed"],
};

/** Of the newer ones each where it is first made for: code for later SMs waits at the same places. */
const kernels = asynchronousKernels.filter((k) => !/^gemm|^(transpose_swizzles|reductions|pipelines)\.sm_100/.test(k.file));

test.each(kernels.map((k) => [`${k.file} ${k.kernel}`, k] as const))("%s", (name, k) => {
  const silent = waitFaults(matrixText(k), k.kernel).flatMap((f) => {
    const { by } = judge(f.text, k, k.targets[0]!, 16);
    return by === "none" || by === "refused" ? [`${f.line} ${f.what}`] : [];
  });
  expect(silent).toEqual([...(harmless[name] ?? []), ...(unseen[name] ?? [])]);
});

test("the text names the access and the operation that it meets", () => {
  const k = asynchronousKernels.find((x) => x.file === "smooth.sm_80")!;
  const fault = waitFaults(matrixText(k), k.kernel).find((f) => f.what === "wait removed")!;
  const { cubin } = compile(fault.text, { target: "sm_80" });
  const run = unwrap(simulate(cubin!, { block: 128, params: k.prepare().params }));
  expect(run.fault).toMatchObject({ kind: "asynchronous", instruction: expect.stringMatching(/^LDS /) });
  expect(run.fault!.message).toMatch(
    /^shared address 0x\w+: (@!?P\d )?LDGSTS\.E\.BYPASS\.128 \[R\d+\], \[R\d+\.64\] at smooth\+0x\w+ by warp 0, in flight, will write there$/,
  );
});
