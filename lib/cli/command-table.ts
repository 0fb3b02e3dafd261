/** The commands of ptxlab with their options: what is read from the command line, and what the help says of it. */

/** A flag has no `value`; `value` is what stands for it in the help. Without `takes` any text will do. */
export interface OptionRow {
  readonly value?: string;
  readonly short?: string;
  /** `list`: may be repeated. `count`: a whole number from 0 on. `integer`: a whole number. */
  readonly takes?: readonly string[] | "list" | "count" | "integer";
  readonly help: string;
}

export interface CommandRow {
  /** What stands after the name in the help. */
  readonly operands: string;
  readonly help: string;
  readonly options: Readonly<Record<string, OptionRow>>;
  readonly status?: string;
}

export const commandTable = {
  dis: {
    operands: "FILE",
    help: "Print the code of a cubin, or of the cubins in a fat binary or a host object.",
    options: {
      arch: { value: "NAME", help: "Of several cubins those for this target." },
      control: {
        help: "Control bits beside each instruction: scoreboards waited for, set when operands are read, set when the result is written, Y where the warp may be switched, stall (cycles).",
      },
      source: {
        help: "Lines of the source and of the PTX (-lineinfo) before the instructions made of them.",
      },
      asm: { help: "As text that the command asm takes: registers, parameters, labels, control words." },
      lines: { help: "One instruction per line: section, TAB, offset (hexadecimal), TAB, text." },
      live: { help: "Numbers of live registers (R, UR, P, UP) before each instruction." },
      cfg: { help: "The control flow as a DOT graph." },
      data: { help: "Constants and data: symbols, bytes as hexadecimal digits, u32 and f32, relocations." },
      html: {
        help: "As one HTML page: links from branches to labels, control words, live registers, PTX lines; the instruction table's words on each instruction and modifier under the pointer.",
      },
      info: { help: "The attributes (EIATTR) of the module and its functions." },
      kernel: { value: "NAME", takes: "list", help: "Only this function (may be repeated)." },
      json: { help: "As JSON." },
    },
  },
  asm: {
    operands: "FILE",
    help: "Make a cubin of the text that dis --asm prints.",
    options: {
      like: { value: "CUBIN", help: "Put the code into this cubin instead; all else stays as it is." },
      output: { value: "FILE", short: "o", help: "Default: a.cubin." },
    },
    status: "0 done, 1 mistakes in the text, 2 unusable input.",
  },
  run: {
    operands: "FILE --launch FILE",
    help: "Run kernels of a cubin in the simulator.",
    options: {
      launch: { value: "FILE", help: "The launches, their parameters and what to expect, as JSON." },
      arch: { value: "NAME", help: "Of several cubins (fat binary) that for this target." },
      races: {
        help: "Look for races (two accesses to the same bytes in no order, at least one a write) and for reads of shared and local memory that nobody has written.",
      },
      registers: {
        help: "Look for uses of registers that nobody has written; of code above -O0 also those whose result is dropped.",
      },
      profile: {
        help: "How often every instruction ran and what it moved, by instruction and (-lineinfo) by PTX line; what never ran.",
      },
      "max-instructions": {
        value: "N",
        takes: "count",
        help: "Stop a launch after so many warp-instructions (default: what the file says, else 2000000000).",
      },
      "max-seconds": { value: "N", takes: "count", help: "Stop a launch after so many seconds." },
      completion: {
        value: "SEED",
        takes: "count",
        help: "Seed of when asynchronous copies and products end (default: what the file says, else 0, as late as waits allow).",
      },
      threads: {
        value: "N",
        takes: "count",
        help: "Run blocks on so many threads (default 1); the results are the same.",
      },
      json: { help: "The outcome as JSON." },
    },
    status: "0 as expected, 1 not or with findings, 2 unusable input, 3 a kernel faulted.",
  },
  verify: {
    operands: "FILE",
    help: "Check the code of a cubin (or of the cubins in a fat binary) for hazards: every register ready when it is read and free when it is written, on every path through the code.",
    options: {
      arch: { value: "NAME", help: "Of several cubins those for this target." },
      json: { help: "The findings as JSON." },
    },
    status: "0 clean, 1 with findings, 2 unusable input.",
  },
  estimate: {
    operands: "FILE --launch FILE",
    help: "Estimate the cycles of the launches and tell where they go (a model, not a measurement).",
    options: {
      launch: { value: "FILE", help: "The launches, as for run." },
      arch: { value: "NAME", help: "Of several cubins (fat binary) that for this target." },
      blocks: { value: "N", takes: "count", help: "Blocks played back per SM; the rest is extrapolated." },
      top: { value: "N", takes: "count", help: "Instructions listed per launch (default 12)." },
      html: {
        value: "FILE",
        help: "Also one HTML page: the code of each launch with live registers, cycles as heat, what warps wait for.",
      },
      json: { help: "Everything as JSON." },
    },
    status: "0 as expected, 1 not, 2 unusable input, 3 a kernel faulted.",
  },
  reschedule: {
    operands: "FILE",
    help: "Put the code of a cubin into another order, with control words for it, and write the new cubin.",
    options: {
      arch: { value: "NAME", help: "Of several cubins (fat binary) that for this target." },
      order: {
        value: "new|keep",
        takes: ["new", "keep"],
        help: "Default new. With keep and without --controls the bytes stay the same.",
      },
      controls: {
        value: "new|keep",
        takes: ["new", "keep"],
        help: "Control words of the control pass, or those of the file (default with --order keep).",
      },
      policy: { value: "NAME", help: "Of the scheduler (default post-schedule); an unknown name lists them all." },
      kernel: { value: "NAME", takes: "list", help: "Only this function (may be repeated)." },
      output: { value: "FILE", short: "o", help: "Default: a.cubin." },
      json: { help: "What was done, as JSON." },
    },
    status: "0 done, 1 refused (also when the hazard checker finds fault), 2 unusable input.",
  },
  sweep: {
    operands: "FILE",
    help: "Run a sweep that a JSON file describes (inputs, targets, levels, maxRegisters, knobs, policies, shuffles, objective, budget); FILE.jsonl grows while it runs, FILE.parquet is the table, FILE.manifest.json says how it was made.",
    options: {
      out: { value: "NAME", short: "o", help: "Another name for the results." },
      objective: {
        value: "WHO",
        takes: ["model", "clock"],
        help: "Who judges, in place of what the file says: the timing model (default) or the clock of a GPU.",
      },
      shard: {
        value: "I/N",
        help: "Only every N-th point from the I-th on: NAME.IofN.jsonl grows, and merge makes the table of all.",
      },
      threads: { value: "N", takes: "count", help: "Worker threads (default: one per core; 0: none)." },
      queue: {
        value: "URL",
        help: "The workers of this queue (redis://HOST:PORT) run the points instead of threads here. Needs the packages bullmq and ioredis; a password may be in PTXLAB_QUEUE_PASSWORD.",
      },
      report: { help: "How busy the threads were, on the error output." },
      json: { help: "The rows as JSON." },
    },
    status: "0 done, 1 with rows that failed, 2 unusable input, 130 interrupted.",
  },
  worker: {
    operands: "",
    help: "Run points of sweeps on a queue (sweep --queue) until it is interrupted; portions in flight come to their end, a second interrupt ends at once. Any number of workers, on any machines, of the same version of ptxlab.",
    options: {
      queue: { value: "URL", help: "redis://HOST:PORT, as for sweep (default: the variable PTXLAB_QUEUE)." },
      threads: { value: "N", takes: "count", help: "Worker threads (default: one per core)." },
      quiet: { help: "Say nothing of portions." },
    },
    status: "0 interrupted, 2 no queue.",
  },
  merge: {
    operands: "FILE",
    help: "Put the journals of a sweep's shards together to the table that one run would have written.",
    options: {
      out: { value: "NAME", short: "o", help: "Where the results are, as for sweep." },
      journal: { value: "FILE", takes: "list", help: "Instead of NAME.*of*.jsonl and NAME.jsonl (may be repeated)." },
    },
    status: "0 done, 1 points are missing, 2 unusable input.",
  },
  query: {
    operands: "SQL",
    help: "Answer an SQL query over tables of results, as in \"SELECT input, min(cycles) FROM 'sweep.parquet' GROUP BY input\" (DuckDB; needs the package @duckdb/node-api).",
    options: {
      json: { help: "The rows as JSON." },
      csv: { help: "The rows as CSV." },
    },
  },
  repeat: {
    operands: "FILE",
    help: "Run a sweep again from the manifest beside its table (NAME.manifest.json) and say whether the rows agree.",
    options: {
      threads: { value: "N", takes: "count", help: "Worker threads (default: one per core; 0: none)." },
    },
    status: "0 all rows agree, 1 some do not, 2 the run cannot be made again: files that changed or are gone.",
  },
  knobs: {
    operands: "[TEXT]",
    help: 'List the knobs (those whose name or meaning has TEXT, or the one with that number): number, type, value when not set ("ours" where it is ptxlab\'s own), who reads it, what it is for.',
    options: {
      acting: { help: "Only those that something reads." },
      json: { help: "As JSON." },
    },
  },
  compile: {
    operands: "FILE",
    help: "Compile PTX.",
    options: {
      arch: { value: "NAME", help: "What for (default sm_90)." },
      emit: {
        value: "WHAT",
        takes: ["cubin", "sass", "ori", "lowered", "knobs"],
        help: "cubin (default), sass, ori (after all phases), lowered (before the first phase), knobs (which ones were read, by whom, with which value).",
      },
      "opt-level": { value: "N", short: "O", takes: "integer", help: "Level: 0, 1, 2; any other is 3 (the default)." },
      maxrregcount: { value: "N", takes: "count", help: "Registers that a function may use, as for ptxas." },
      knob: { value: "NAME=VALUE", takes: "list", help: "Sets a knob (may be repeated)." },
      policy: { value: "NAME", help: "Policy of both scheduling phases; an unknown name lists them all." },
      after: { value: "PHASE", help: "The code as it is after this phase (as ori)." },
      kernel: { value: "NAME", takes: "list", help: "Only this kernel (may be repeated)." },
      output: { value: "FILE", short: "o", help: "Default: standard output for text, a.cubin for a cubin." },
    },
    status: "0 done, 1 mistakes in the PTX, 2 unusable input.",
  },
  validate: {
    operands: "FILE --launch FILE",
    help: "Compile PTX and finish it plainly after each phase that changed something; what lies in the launches' buffers must be what the code of -O0 leaves there.",
    options: {
      launch: { value: "FILE", help: "The launches whose buffers are compared, as for run." },
      arch: { value: "NAME", help: "What for (default sm_90)." },
      "opt-level": { value: "N", short: "O", takes: "integer", help: "Level: 0, 1, 2; any other is 3 (the default)." },
      maxrregcount: { value: "N", takes: "count", help: "Registers that a function may use, as for ptxas." },
      knob: { value: "NAME=VALUE", takes: "list", help: "Sets a knob (may be repeated)." },
      policy: { value: "NAME", help: "Policy of both scheduling phases; an unknown name lists them all." },
      kernel: { value: "NAME", takes: "list", help: "Only this kernel (may be repeated)." },
      json: { help: "As JSON." },
    },
    status: "0 the same after every phase, 1 not, 2 unusable input.",
  },
  bisect: {
    operands: "FILE --launch FILE",
    help: "Name the first phase, and in it the first rewrite, after which the launches leave other results than the code of -O0.",
    options: {
      launch: { value: "FILE", help: "The launches whose buffers are compared, as for run." },
      arch: { value: "NAME", help: "What for (default sm_90)." },
      "opt-level": { value: "N", short: "O", takes: "integer", help: "Level: 0, 1, 2; any other is 3 (the default)." },
      maxrregcount: { value: "N", takes: "count", help: "Registers that a function may use, as for ptxas." },
      knob: { value: "NAME=VALUE", takes: "list", help: "Sets a knob (may be repeated)." },
      policy: { value: "NAME", help: "Policy of both scheduling phases; an unknown name lists them all." },
      kernel: { value: "NAME", takes: "list", help: "Only this kernel (may be repeated)." },
      json: { help: "As JSON." },
    },
    status: "0 no phase does, 1 one does, 2 unusable input.",
  },
  view: {
    operands: "FILE",
    help: "Write one HTML page that shows a compilation of PTX phase by phase: source, code after every phase that changed it, SASS, linked by instruction; differences, flow graph, figures. It needs no network.",
    options: {
      arch: { value: "NAME", help: "What for (default sm_90)." },
      "opt-level": { value: "N", short: "O", takes: "integer", help: "Level: 0, 1, 2; any other is 3 (the default)." },
      maxrregcount: { value: "N", takes: "count", help: "Registers that a function may use, as for ptxas." },
      knob: { value: "NAME=VALUE", takes: "list", help: "Sets a knob (may be repeated)." },
      policy: { value: "NAME", help: "Policy of both scheduling phases; an unknown name lists them all." },
      cuda: { value: "FILE", help: "The CUDA C++ that the PTX was made of, as a column (lines by its .loc)." },
      why: {
        help: "Also why rewrite rules did not apply, at each instruction where their root stands. Costs time and space.",
      },
      times: { help: "Also what each phase takes, in milliseconds: the page is then another one each time." },
      kernel: { value: "NAME", takes: "list", help: "Only this function (may be repeated)." },
      output: { value: "FILE", short: "o", help: "Default: FILE.html." },
    },
    status: "0 done, 1 mistakes in the PTX, 2 unusable input.",
  },
  elf: {
    operands: "FILE",
    help: "Print sections, symbols, relocations and attributes of a cubin (or fat binary).",
    options: {
      arch: { value: "NAME", help: "Of several cubins those for this target." },
      contents: { help: "With the bytes of the data sections." },
    },
  },
} as const;

export type CommandName = keyof typeof commandTable;
