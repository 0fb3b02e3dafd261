/**
 * Command lines of ptxas with what ptxas 13.0.88 answers: exit code, stderr, names of the files written. The unit test
 * holds our command against it; test/oracle/cli.test.ts holds it against the real one.
 */
const head = ".version 9.0\n.target sm_75\n.address_size 64\n";
const entry = (name: string, instruction = "st.global.u32 [%rd1], 7;"): string =>
  `.visible .entry ${name}(.param .u64 a)\n{\n .reg .b64 %rd<4>;\n ld.param.u64 %rd1, [a];\n ${instruction}\n ret;\n}\n`;

export const files: Readonly<Record<string, string>> = {
  "ok.ptx": head + entry("k"),
  "ok2.ptx": head + entry("k2"),
  "two.ptx": head + entry("k") + entry("k2"),
  "bad.ptx": head + entry("k", "stt.global.u32 [%rd1], 7;"),
  "both.ptx": head + entry("k") + entry("k2", "foo.u32 %rd1;"),
  "newer.ptx": (head + entry("k")).replace(/sm_\d+/, "sm_90"),
  "loc.ptx":
    head + entry("k", ".loc 1 3 1\n st.global.u32 [%rd1], 7;") + entry("k2", ".loc 2 3 1\n st.global.u32 [%rd1], 7;"),
  "loc-file.ptx": `${head}.file 1 "a.cu"\n${entry("k", ".loc 2 3 1\n st.global.u32 [%rd1], 7;")}`,
  "empty.ptx": "",
  "opts.txt": "-arch sm_90\n-c",
};

export interface Case {
  readonly args: readonly string[];
  readonly status: 0 | 255;
  readonly stderr: string;
  /** Null: nothing is written. */
  readonly output: string | null;
}

const aborted = "ptxas fatal   : Ptx assembly aborted due to errors\n";
const good = (args: string, output: string | null = "elf.o", stderr = ""): Case => ({
  args: args.split(" "),
  status: 0,
  stderr,
  output,
});
const bad = (args: string, stderr: string): Case => ({ args: args.split(" "), status: 255, stderr, output: null });
const fatal = (args: string, text: string): Case => bad(args, `ptxas fatal   : ${text}\n`);
const redefined = (option: string): string =>
  `ptxas warning : incompatible redefinition for option '${option}', the last value of this option was used\n`;

export const cases: readonly Case[] = [
  good("ok.ptx"),
  good("-arch=sm_90 ok.ptx -o out.cubin", "out.cubin"),
  good("-m64 -O3 --gpu-name sm_90a ok.ptx --output-file=out.o", "out.o"),
  good("--gpu-name=sm_80 -c -m 64 ok.ptx"),
  good("-O9 ok.ptx"),
  good("-O ok.ptx"),
  good("-O=2 ok.ptx"),
  good("-O-1 ok.ptx"),
  good("--opt-level 0 ok.ptx"),
  good("--fmad=false --return-at-end --dont-merge-basicblocks ok.ptx"),
  good("-fmad true -maxntid 2,4,8 -regUsageLevel 3 ok.ptx"),
  good("--regAllocOptLevel=2 ok.ptx"),
  good("-e k two.ptx"),
  good("-optf opts.txt ok.ptx"),
  good(
    "loc.ptx",
    "elf.o",
    "ptxas warning : .loc directive without .file directive is found, line information in generated binary may not be complete\n",
  ),
  good("loc-file.ptx"),
  good("-arch compute_90 ok.ptx -o out.cubin", null),
  good("-lineinfo -suppress-debug-info ok.ptx"),
  good("ok.ptx ok2.ptx"),
  good("-o a -o b ok.ptx", "b", redefined("output-file")),
  good("-arch sm_80 -arch sm_90 ok.ptx", "elf.o", redefined("gpu-name")),
  good("-arch sm_90 -arch sm_90 ok.ptx"),
  good(
    "-maxrregcount=16 ok.ptx",
    "elf.o",
    "ptxas warning : For profile sm_75 adjusting per thread register count of 16 to lower bound of 24\n",
  ),
  good(
    "-maxrregcount 300 ok.ptx",
    "elf.o",
    "ptxas warning : Too big maxrregcount value specified 300, will be ignored\n",
  ),
  good("-w -maxrregcount 16 ok.ptx"),
  good(
    "-suppress-debug-info ok.ptx",
    "elf.o",
    "ptxas warning : Option suppress-debug-info requires option device-debug or lineinfo; ignoring since latter is not specified\n",
  ),
  bad(
    "-Werror -maxrregcount 16 ok.ptx",
    `ptxas error   : For profile sm_75 adjusting per thread register count of 16 to lower bound of 24\n${aborted}`,
  ),
  fatal("-foo ok.ptx", "Unknown option 'foo'"),
  fatal("--foo=1 ok.ptx", "Unknown option '-foo'"),
  fatal("--arch sm_90 ok.ptx", "Unknown option '-arch'"),
  fatal("-gpu-name sm_90 ok.ptx", "Unknown option 'gpu-name'"),
  fatal("-oout.cubin ok.ptx", "Unknown option 'oout.cubin'"),
  fatal("ok.ptx --", "Unknown option '-'"),
  fatal("-foo --version", "Unknown option 'foo'"),
  fatal("-arch sm_70 ok.ptx", "Value 'sm_70' is not defined for option 'gpu-name'"),
  fatal("-arch= ok.ptx", "Value '' is not defined for option 'gpu-name'"),
  fatal("-m 32 ok.ptx", "Value '32' is not defined for option 'machine'"),
  fatal("-arch", "argument expected after '-arch'"),
  fatal("-Ofoo ok.ptx", "'foo': expected a number"),
  fatal("-O1x ok.ptx", "'1x': expected a number"),
  fatal("--fmad=maybe ok.ptx", "'maybe': expected true or false"),
  fatal("--verbose=false ok.ptx", "no argument expected after '--verbose'"),
  fatal("-v=true ok.ptx", "no argument expected after '-v'"),
  fatal("-maxrregcount abc ok.ptx", "Invalid value 'abc' for option 'maxrregcount'"),
  fatal("-maxrregcount32 ok.ptx", "'axrregcount32': expected a number"),
  fatal("-g -O2 ok.ptx", "Optimized debugging not supported"),
  fatal("-sanitize foo ok.ptx", "Value 'foo' is not defined for option 'sanitize'"),
  fatal("-e nope ok.ptx", "Unknown function nope"),
  fatal("newer.ptx", "SM version specified by .target is higher than default SM version assumed"),
  fatal("-optf /nowhere/opts ok.ptx", "Could not open options file '/nowhere/opts'"),
  fatal("ok.ptx -o /nowhere/x.cubin", "Output file '/nowhere/x.cubin' could not be opened"),
  bad("nofile.ptx", `ptxas fatal   : Input file 'nofile.ptx' could not be opened\n${aborted}`),
  bad("folder", `ptxas folder, line 1; fatal   : Missing .version directive at start of file 'folder'\n${aborted}`),
  bad("-O 2 ok.ptx", `ptxas fatal   : Input file '2' could not be opened\n${aborted}`),
  bad(
    "bad.ptx -o out.cubin",
    `ptxas bad.ptx, line 8; error   : Not a name of any known instruction: 'stt'\n${aborted}`,
  ),
  bad("both.ptx", `ptxas both.ptx, line 15; error   : Not a name of any known instruction: 'foo'\n${aborted}`),
  bad("ok.ptx ok.ptx", `ptxas ok.ptx, line 4; error   : Duplicate definition of function 'k'\n${aborted}`),
  bad(
    "empty.ptx",
    `ptxas empty.ptx, line 1; fatal   : Missing .version directive at start of file 'empty.ptx'\n${aborted}`,
  ),
];
