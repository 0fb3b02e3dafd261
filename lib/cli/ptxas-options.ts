/**
 * The options of the ptxas command, in the order in which ptxas 13.0.88 records them in the cubin (measured; names and
 * defaults from its --help). What an option does here stands in `effect`.
 */

/** flag: no argument. bool: `true` or `false`. number, text, list (commas). level: `-O3`, `-O=3`, and `-O` alone for 0. */
export type OptionKind = "flag" | "bool" | "number" | "text" | "list" | "level";

/**
 * used: changes what is done. none: accepted, nothing to do for it in code as this compiler makes it. lacking: accepted, and
 * --help says that what ptxas does for it is not done here; results of programs do not depend on it. refused: would change the
 * code or the container in a way that is not built yet.
 */
export type OptionEffect = "used" | "none" | "lacking" | "refused";

export interface OptionSpec {
  /** After one dash. */
  readonly short: string;
  /** After two dashes. */
  readonly long: string;
  readonly kind: OptionKind;
  readonly effect: OptionEffect;
  /** Printed in --help after the name. */
  readonly argument: string;
  readonly choices: readonly string[] | null;
  readonly standard: string | null;
  /** Null: not in --help. */
  readonly help: string | null;
}

interface Extra {
  readonly effect?: OptionEffect;
  readonly argument?: string;
  readonly choices?: readonly string[];
  readonly standard?: string;
}

function option(short: string, long: string, kind: OptionKind, help: string | null, extra: Extra = {}): OptionSpec {
  const argument = kind === "bool" ? "<true|false>" : kind === "number" ? "<N>" : kind === "level" ? "<N>" : "";
  return {
    short,
    long,
    kind,
    help,
    effect: extra.effect ?? "used",
    argument: extra.argument ?? argument,
    choices: extra.choices ?? null,
    standard: extra.standard ?? null,
  };
}

const none: Extra = { effect: "none" };
const lacking: Extra = { effect: "lacking" };
const refused: Extra = { effect: "refused" };
const registers: Extra = { argument: "<archmax/archmin/N>" };

const virtual = (prefix: string): string[] =>
  ["75 80 86 87 88 89 90 90a 100 100a 100f 103 103a 103f 110 110a 110f 120 120a 120f 121 121a 121f".split(" ")].flatMap(
    (l) => l.map((n) => `${prefix}_${n}`),
  );

/** Everything that -arch takes. */
export const architectures: readonly string[] = [...virtual("compute"), ...virtual("lto"), ...virtual("sm")];

export const ptxasOptions: readonly OptionSpec[] = [
  option(
    "suppress-stack-size-warning",
    "suppress-stack-size-warning",
    "flag",
    "No warning about stacks of unknown size.",
    none,
  ),
  option("e", "entry", "list", "Compile only these entry functions.", { argument: "<entry function>,..." }),
  option("v", "verbose", "flag", "Print the resources that each kernel uses."),
  option("warn-lmem-usage", "warn-on-local-memory-usage", "flag", "Warn where local memory is used."),
  option("warn-spills", "warn-on-spills", "flag", "Warn where registers are spilled to local memory."),
  option(
    "warn-double-usage",
    "warn-on-double-precision-use",
    "flag",
    "Warn about double precision instructions.",
    lacking,
  ),
  option("no-bb-merge", "dont-merge-basicblocks", "flag", "Keep basic blocks apart. At level 0 they are.", none),
  option("ret-end", "return-at-end", "flag", "Keep the return at the end of a function. At level 0 it is.", none),
  option(
    "disable-optimizer-consts",
    "disable-optimizer-constants",
    "flag",
    "Put no compiler constants into a bank.",
    none,
  ),
  option("maxrregcount", "maxrregcount", "text", "Registers that a function may use.", registers),
  option("minnctapersm", "minnctapersm", "number", "Blocks per multiprocessor, for kernels that do not say.", none),
  option("maxntid", "maxntid", "list", "Threads per block, for kernels that do not say.", {
    ...none,
    argument: "<N>,...",
  }),
  option(
    "override-directive-values",
    "override-directive-values",
    "flag",
    "Registers by option win over those by directive.",
  ),
  option("func-maxrregcount", "device-function-maxrregcount", "text", "Registers of device functions, with -c.", {
    ...registers,
    ...none,
  }),
  option("regUsageLevel", "register-usage-level", "number", "0...10: how freely optimizations may use registers.", {
    ...none,
    argument: "<0..10>",
    standard: "5",
  }),
  option("suppress-debug-info", "suppress-debug-info", "flag", "Write no debug sections."),
  option("g", "device-debug", "flag", "For debuggers: level 0, and lines of the PTX text in the cubin."),
  option("lineinfo", "generate-line-info", "flag", "Keep line numbers in the cubin."),
  option("sp-bounds-check", "sp-bounds-check", "flag", "Check the stack pointer.", none),
  option("device-stack-protector", "device-stack-protector", "bool", "Guard stack frames.", {
    ...refused,
    standard: "false",
  }),
  option("o", "output-file", "text", "Name of the output file.", { argument: "<file>", standard: "elf.o" }),
  option("O", "opt-level", "level", "Optimization level: 0 none, 1 some phases, 2 and above all.", { standard: "3" }),
  option("Ofc", "Ofast-compile", "text", "Faster compilation, slower code.", {
    ...lacking,
    argument: "<0|min|mid|max>",
    choices: ["0", "min", "mid", "max"],
    standard: "0",
  }),
  option(
    "arch",
    "gpu-name",
    "text",
    "What to compile for. A virtual architecture checks the text and writes nothing.",
    {
      argument: "<gpu name>",
      choices: architectures,
      standard: "sm_75",
    },
  ),
  option(
    "suppress-double-demote-warning",
    "suppress-double-demote-warning",
    "flag",
    "Accepted; never needed from sm_75 on.",
    none,
  ),
  option("dlcm", "def-load-cache", "text", "Default cache operator of loads.", lacking),
  option("dscm", "def-store-cache", "text", "Default cache operator of stores.", lacking),
  option("flcm", "force-load-cache", "text", "Cache operator of all loads.", lacking),
  option("fscm", "force-store-cache", "text", "Cache operator of all stores.", lacking),
  option("m", "machine", "text", "Bits of host addresses.", { argument: "<bits>", choices: ["64"], standard: "64" }),
  option("Werror", "warning-as-error", "flag", "Warnings are errors."),
  option("w", "disable-warnings", "flag", "Print no warnings."),
  option("c", "compile-only", "flag", "Write a relocatable object for nvlink."),
  option(
    "legacy-bar-warp-wide-behavior",
    "legacy-bar-warp-wide-behavior",
    "flag",
    "Ignored from .target sm_70 on.",
    none,
  ),
  option("opt-fp-atomics", "optimize-float-atomics", "flag", "Allow optimizations of float atomics.", none),
  option("preserve-relocs", "preserve-relocs", "flag", "Keep relocations in the executable.", none),
  option(
    "make-errors-visible-at-exit",
    "make-errors-visible-at-exit",
    "flag",
    "Wait for memory faults at exit.",
    refused,
  ),
  option(
    "suppress-async-bulk-multicast-advisory-warning",
    "suppress-async-bulk-multicast-advisory-warning",
    "flag",
    "No advice about .multicast::cluster.",
    none,
  ),
  option(
    "suppress-sparse-mma-advisory-info",
    "suppress-sparse-mma-advisory-info",
    "flag",
    "No advice about mma.sp.",
    none,
  ),
  option("sanitize", "sanitize", "text", "Instrument for a sanitizer.", {
    ...refused,
    choices: ["memcheck", "threadsteer"],
  }),
  option("split-compile", "split-compile", "number", "Threads to compile with. One is used for now.", none),
  option("fmad", "fmad", "bool", "Contract multiplication and addition.", {
    standard: "true",
  }),
  option("allow-expensive-optimizations", "allow-expensive-optimizations", "bool", "Allow slow optimizations.", none),
  option("ewp", "extensible-whole-program", "flag", "Extensible whole program.", refused),
  option("pic", "position-independent-code", "bool", "Position-independent code.", { ...none, standard: "false" }),
  option("annotate", "compiler-annotations", "flag", "Annotate the cubin.", lacking),
  option("astoolspatch", "compile-as-tools-patch", "flag", "Compile patch code for tools.", refused),
  option("g-tmem-access-check", "g-tensor-memory-access-check", "flag", "Check accesses of tensor memory.", none),
  option(
    "gno-tmem-access-check",
    "gno-tensor-memory-access-check",
    "flag",
    "Do not check accesses of tensor memory.",
    none,
  ),
  option("h", "help", "flag", "Print this help."),
  option("V", "version", "flag", "Print the version."),
  option("version-ls", "list-version", "flag", "Print the PTX versions that are understood."),
  option("ias", "input-as-string", "text", "PTX text as an argument instead of a file.", {
    argument: "<ptx string>,...",
  }),
  option("optf", "options-file", "list", "Read more options from a file.", { argument: "<file>,..." }),
  // Accepted by ptxas without being documented; what Triton and others pass on.
  ...["regAllocOptLevel", "ptx-length", "tool-name", "cuda-api-version", "abi-compile"].map((name) =>
    option(name, name, "text", null, none),
  ),
  ...["fast-compile", "no-fastreg", "uumn", "noFwdPrg", "force-rela", "opt-pointers"].map((name) =>
    option(name, name, "flag", null, none),
  ),
];

/** Options that ptxas does not record in the cubin. */
export const unrecorded: ReadonlySet<string> = new Set(["o", "h", "V", "version-ls", "ias", "optf"]);

/** Every `.version` that ptxas 13.0.88 takes (its --list-version). */
export const ptxVersions: readonly string[] = [
  ..."1.0 1.1 1.2 1.3 1.4 1.5 2.0 2.1 2.2 2.3 3.0 3.1 3.2 4.0 4.1 4.2 4.3 5.0 5.1 6.0 6.1 6.2 6.3 6.4 6.5 7.0 7.1".split(
    " ",
  ),
  ..."7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0".split(" "),
];
