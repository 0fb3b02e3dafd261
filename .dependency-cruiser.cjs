// The layering of docs/architecture.md §2, enforced. Each room lists the rooms it may import.
const may = {
  target: [],
  ptx: ["target"],
  "sass/isa": ["target"],
  ori: ["target", "sass/isa"],
  knobs: [],
  analysis: ["ori", "target", "sass/isa"],
  lower: ["ptx", "ori", "target", "sass/isa", "analysis"],
  phases: ["ori", "analysis", "knobs", "target", "sass/isa", "regalloc", "sched"],
  regalloc: ["ori", "analysis", "knobs", "target", "sass/isa"],
  sched: ["ori", "analysis", "knobs", "target", "sass/isa"],
  // The hazard checker judges the scheduler: it shares the tables with it and nothing else.
  "sched/verify": ["target", "sass/isa"],
  sass: ["ori", "target", "sass/isa"],
  elf: ["sass", "target", "ori", "sass/isa"],
  sim: ["ptx", "sass", "elf", "target", "ori", "sass/isa"],
  lift: ["sass", "elf", "analysis", "regalloc", "target", "ori", "sass/isa"],
  view: [],
  present: ["*"],
  experiment: ["*"],
  cli: ["*"],
};
const shared = "^lib/(diagnostics|result|errors|inspect)\\.ts$";
const room = (r) => `^lib/${r}/`;
// Rooms inside a room have rules of their own.
const inner = (r) =>
  Object.keys(may)
    .filter((x) => x.startsWith(`${r}/`))
    .map(room);
// Single files of another room.
const files = { "sched/verify": ["^lib/sass/(decode|flow)\\.ts$"] };
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
        name: `room-${from.replace("/", "-")}`,
        severity: "error",
        from: { path: room(from), ...(inner(from).length > 0 ? { pathNot: inner(from) } : {}) },
        to: {
          path: "^(lib|kernel)/",
          pathNot: [
            room(from),
            ...to.map(room),
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
