/** What the cluster directives leave in a cubin, as ptxas 13.0.88 has it (cuobjdump -elf), and that they decide what a cluster's barrier is. */
import { compile } from "../../lib/compile";
import { EIATTR } from "../../lib/elf/cubin/attributes";
import { readCubin } from "../../lib/elf/index";
import { unwrap } from "../../lib/result";

const compiled = (directives: string): ReturnType<typeof compile> =>
  compile(
    `.version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k() ${directives} {
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret; }`,
    { target: "sm_90", opt: 0 },
  );

test.each([
  ["", [], true],
  [".maxclusterrank 4", [EIATTR.MAX_CLUSTER_RANK], true],
  [".reqnctapercluster 2, 1, 1", [EIATTR.CTA_PER_CLUSTER], true],
  [".explicitcluster", [EIATTR.EXPLICIT_CLUSTER], false],
  [".maxclusterrank 4 .explicitcluster", [EIATTR.MAX_CLUSTER_RANK, EIATTR.EXPLICIT_CLUSTER], false],
  [".reqnctapercluster 2, 1, 1 .explicitcluster", [EIATTR.EXPLICIT_CLUSTER, EIATTR.CTA_PER_CLUSTER], false],
] as const)("'%s'", (directives, attributes, alone) => {
  const made = compiled(directives);
  expect(made.diagnostics).toEqual([]);
  const { functions } = unwrap(readCubin(made.cubin!));
  const of: readonly number[] = [EIATTR.MAX_CLUSTER_RANK, EIATTR.EXPLICIT_CLUSTER, EIATTR.CTA_PER_CLUSTER];
  expect(functions[0]!.info.map((r) => r.code).filter((a) => of.includes(a))).toEqual([...attributes]);
  // Without `.explicitcluster` a launch may have no clusters: the barrier of the CTA stands for the cluster's.
  const ops = made.functions[0]!.code!.insts.map((i) => i.form.op);
  expect([ops.includes("UCGABAR_WAIT"), ops.includes("BAR")]).toEqual([true, alone]);
});
