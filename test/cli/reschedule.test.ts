import { ptxlab } from "../../lib/cli/index";
import { compile } from "../../lib/compile";
import { runLaunchFile } from "../../lib/sim/index";
import { corpus, corpusPtx } from "../corpus/cases";
import { fakeHost } from "./fake-host";

const cubin = compile(corpusPtx("reduction", "sm_90"), { target: "sm_90", opt: 0 }).cubin!;

test("reschedule --order keep: the same bytes", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["reschedule", "--order", "keep", "k.cubin", "-o", "n.cubin"], host)).toBe(0);
  expect(Buffer.from(host.written.get("n.cubin")!).equals(Buffer.from(cubin))).toBe(true);
  expect(host.stdout).toMatch(/^reduction: \d+ instructions, 0 words changed\n$/);
});

test.each([
  ["--order", "keep", "--controls", "new"],
  ["--policy", "balanced"],
])("reschedule %s %s: other words, the same results", async (...options) => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["reschedule", ...options, "--json", "k.cubin", "-o", "n.cubin"], host)).toBe(0);
  const { functions } = JSON.parse(host.stdout);
  expect(functions[0].changed).toBeGreaterThan(0);
  const launch = corpus.find((c) => c.name === "reduction")!.launch;
  expect(runLaunchFile(host.written.get("n.cubin")!, launch, { readFile: () => null }).status).toBe(0);
});

test("reschedule: an unknown policy is refused with the list", async () => {
  const host = fakeHost({ "k.cubin": cubin });
  expect(await ptxlab(["reschedule", "--policy", "nope", "k.cubin"], host)).toBe(2);
  expect(host.stderr).toMatch(/unknown policy 'nope' \(one of source-order, .*post-schedule/);
  expect(await ptxlab(["reschedule", "--kernel", "nope", "k.cubin"], host)).toBe(1);
  expect(host.stderr).toContain("the cubin has no function nope");
});

test("reschedule: a cubin without code stays as it is, and that is said", async () => {
  const empty = compile(".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .u32 x = 7;\n", {
    target: "sm_90",
    opt: 0,
  }).cubin!;
  const host = fakeHost({ "k.cubin": empty });
  expect(await ptxlab(["reschedule", "k.cubin", "-o", "n.cubin"], host)).toBe(0);
  expect(host.stderr).toBe("ptxlab k.cubin; info: the cubin has no code: nothing to reschedule, it stays as it is\n");
  expect(Buffer.from(host.written.get("n.cubin")!).equals(Buffer.from(empty))).toBe(true);
});
