// The layering of docs/architecture.md §2, enforced. Each component lists the components it may import.
const may = {
  target: [],
  ptx: ["target"],
  isa: ["target"],
  ori: ["target", "isa"],
  knobs: [],
  analysis: ["ori", "target", "isa"],
  lower: ["ptx", "ori", "target", "isa", "analysis"],
  rules: ["ori", "analysis", "target", "isa", "sass"],
  phases: ["rules", "ori", "analysis", "knobs", "target", "isa", "regalloc", "sched", "sass"],
  regalloc: ["ori", "analysis", "knobs", "target", "isa"],
  sched: ["ori", "analysis", "knobs", "target", "isa"],
  // The hazard checker judges the scheduler: it shares the tables with it and nothing else.
  hazard: ["target", "isa"],
  sass: ["ori", "target", "isa"],
  elf: ["sass", "target", "ori", "isa"],
  sim: ["ptx", "sass", "elf", "target", "ori", "isa"],
  timing: ["sim", "isa", "target", "sass"],
  lift: ["sass", "elf", "analysis", "regalloc", "target", "ori", "isa"],
  view: [],
  present: ["*"],
  experiment: ["*"],
  cli: ["*"],
};
const shared = "^lib/(diagnostics|result|errors|inspect)\\.ts$";
const component = (r) => `^lib/${r}/`;
// Single files of another component.
const files = { hazard: ["^lib/sass/(decode|flow)\\.ts$"] };
module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    ...Object.entries(may)
      .filter(([, to]) => !to.includes("*"))
      .map(([from, to]) => ({
        name: `component-${from}`,
        severity: "error",
        from: { path: component(from) },
        to: {
          path: "^(lib|kernel)/",
          pathNot: [
            component(from),
            ...to.map(component),
            ...(files[from] ?? []),
            shared,
            ...(from === "view" ? ["^lib/view/"] : []),
          ],
        },
      })),
    {
      name: "compiler-has-no-runtime-dependency",
      severity: "error",
      from: { path: "^lib/", pathNot: "^lib/(view|experiment|cli)/" },
      to: { dependencyTypes: ["npm", "npm-dev", "npm-optional", "npm-peer"] },
    },
    {
      name: "kernel-uses-public-api",
      severity: "error",
      from: { path: "^kernel/" },
      to: { path: "^lib/", pathNot: "^lib/(index|view/index)\\.ts$" },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|node_modules)" },
  },
};
