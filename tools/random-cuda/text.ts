/** Random programs (generate.ts) as CUDA C++ for nvcc and for a C++ compiler of the host. */
import { all, CELLS, type CudaProgram, type Meeting, type Statement, THREADS, types, variables } from "./generate.js";

/** What both halves need once. */
export const prelude = `#include "program.h"
typedef int32_t s32;
typedef int64_t s64;
struct Pair { u32 x; u64 y; float z; u8 w; };
struct State {
${types.map((t) => `  ${t} ${variables[t]!.join(", ")};`).join("\n")}
  u32 arr[8]; Pair p; u32* cells; unsigned long long* acc;
};
HD float clean(float x) { return x != x ? 1.5f : x; }
HD double clean(double x) { return x != x ? 2.5 : x; }
HD float lesser(float a, float b) { return a < b ? a : b; }
HD double lesser(double a, double b) { return a < b ? a : b; }
HD s32 toInt(double x) { return x > -1e9 && x < 1e9 ? (s32)x : 7; }
HD u32 word(double x) { return (u32)toInt(x); }
#ifdef __CUDACC__
#define KEEP __noinline__
#else
#define KEEP
#endif
#ifdef __CUDA_ARCH__
#define ATOMIC(OP, HOST) OP
#else
#define ATOMIC(OP, HOST) HOST
#endif
HD void sum(unsigned long long* p, u64 v) { ATOMIC((void)atomicAdd(p, (unsigned long long)v), *p += v); }
HD void most(unsigned long long* p, u64 v) { ATOMIC((void)atomicMax(p, (unsigned long long)v), *p = *p > v ? *p : v); }
HD void either(unsigned long long* p, u64 v) { ATOMIC((void)atomicOr(p, (unsigned long long)v), *p |= v); }
HD u32 input(u32 i, u32 seed) { u32 x = i * 2654435761u + seed * 40503u + 12345u; x ^= x >> 15; x *= 2246822519u; x ^= x >> 13; return x >> (x & 31 & (i * 7)); }
`;

function render(list: readonly Statement[]): string {
  return list
    .map((s) => s.parts.map((p, i) => (i === 0 ? p : `${render(s.children[i - 1]!)}\n${p}`)).join("\n"))
    .join("\n");
}

function onDevice(m: Meeting): string {
  if (m.kind === "vote") return `s.${m.to} ^= __ballot_sync(0xffffffffu, s.${m.from} & 1);`;
  const v = `s.${m.variable}`;
  if (m.kind === "shuffle") {
    const name = m.mode === "idx" ? "__shfl_sync" : `__shfl_${m.mode}_sync`;
    return `${v} = ${name}(0xffffffffu, ${v}, ${m.by});`;
  }
  return `__syncthreads(); sh[t] = bits(${v}); __syncthreads(); setBits(${v}, sh[(t + ${m.by}) % ${THREADS}]);`;
}

function onHost(m: Meeting): string {
  if (m.kind === "vote")
    return `for (int w = 0; w < ${THREADS}; w += 32) { u32 b = 0; for (int t = 0; t < 32; t++) b |= (s[w + t].${m.from} & 1) << t; for (int t = 0; t < 32; t++) s[w + t].${m.to} ^= b; }`;
  const from =
    m.kind === "exchange"
      ? `(t + ${m.by}) % ${THREADS}`
      : {
          xor: `t ^ ${m.by}`,
          up: `(t & 31) < ${m.by} ? t : t - ${m.by}`,
          down: `(t & 31) + ${m.by} > 31 ? t : t + ${m.by}`,
          idx: `(t & ~31) + ${m.by}`,
        }[m.mode];
  return `{ State o[${THREADS}]; for (int t = 0; t < ${THREADS}; t++) o[t] = s[t]; for (int t = 0; t < ${THREADS}; t++) s[t].${m.variable} = o[${from}].${m.variable}; }`;
}

const small = ["a * 3 + b", "a > b ? a - b : b ^ 5", "(a << (b & 15)) | b", "a % (b | 1)"];

export interface CudaFunction {
  readonly head: string;
  readonly body: string;
}

/** Functions of one program, its table of small ones, its kernel, and its part of `main`. */
export interface CudaTexts {
  readonly functions: readonly CudaFunction[];
  readonly table: { readonly head: string; readonly value: string };
  readonly device: string;
  readonly host: string;
}

function sharedText({ functions, table }: CudaTexts): string {
  const text = (f: CudaFunction): string => `${f.head} {\n${f.body}\n}`;
  return [
    ...functions.slice(0, small.length).map(text),
    `#ifdef __CUDACC__\n__device__\n#endif\n${table.head} = ${table.value};`,
    ...functions.slice(small.length).map(text),
  ].join("\n");
}

export function programText(p: CudaProgram, id: string, seed: number): CudaTexts {
  const names = small.map((_, i) => `t${id}_${i}`);
  const start =
    "State s = {}; s.u0 = a; s.m0 = b; s.f0 = c; s.p = p; u32 cells[8] = {a, 1, 2, 3, 4, 5, 6, 7}; unsigned long long acc[3] = {0, 0, 0}; s.cells = cells; s.acc = acc;";
  const init = all
    .map(
      ([v, t], i) =>
        `s.${v} = (${t})(${t === "float" || t === "double" ? "s32" : "u32"})cells[${i % CELLS}] ${t === "float" || t === "double" ? "/ 1024" : `+ ${i}`};`,
    )
    .join(" ");
  const outputs = [
    ...all.map(([v, t]) => (t === "float" ? `bits(s.${v})` : t === "double" ? `bits64(s.${v})` : `(u64)s.${v}`)),
    "s.p.x",
    "s.p.y",
    "bits(s.p.z)",
    "s.p.w",
    ...Array.from({ length: 8 }, (_, k) => `s.arr[${k}]`),
  ];
  const width = outputs.length;
  const functions: CudaFunction[] = [
    ...small.map((e, i) => ({ head: `HD u32 ${names[i]}(u32 a, u32 b)`, body: `return ${e};` })),
    ...p.helpers.map((h) => ({ head: h.head, body: `${start}\n${render(h.body)}\nreturn ${h.result};` })),
    ...p.phases.map((list, i) => ({ head: `HD void p${id}_${i}(State& s)`, body: render(list) })),
    {
      head: `HD void start${id}(State& s, u32* cells)`,
      body: `${init} for (int k = 0; k < 8; k++) s.arr[k] = cells[k] + k; s.p.x = cells[0]; s.p.y = cells[1]; s.p.z = 1; s.p.w = 3; s.cells = cells;`,
    },
    {
      head: `HD void end${id}(State& s, u64* out)`,
      body: outputs.map((o, i) => `out[${i}] = ${o};`).join(" "),
    },
  ];
  const table = { head: `u32 (*table${id}[4])(u32, u32)`, value: `{${names.join(", ")}}` };
  const device = `GLOBAL k${id}(u32* cells, unsigned long long* acc, u64* out) {
  __shared__ u32 sh[${THREADS}]; int t = threadIdx.x; (void)sh; State s = {}; start${id}(s, cells + t * ${CELLS}); s.acc = acc;
${p.phases.map((_, i) => `  p${id}_${i}(s); ${i < p.meetings.length ? onDevice(p.meetings[i]!) : ""}`).join("\n")}
  end${id}(s, out + t * ${width});
}`;
  const host = `{ std::vector<u32> cells(${THREADS * CELLS}); std::vector<unsigned long long> acc(3); std::vector<u64> out(${THREADS * width});
  for (u32 i = 0; i < cells.size(); i++) cells[i] = input(i, ${seed});
  p.buffer("cells${id}", cells); p.zeros<unsigned long long>("acc${id}", 3); p.zeros<u64>("out${id}", out.size());
  static State s[${THREADS}]; for (int t = 0; t < ${THREADS}; t++) { s[t] = State(); start${id}(s[t], &cells[t * ${CELLS}]); s[t].acc = &acc[0]; }
${p.phases.map((_, i) => `  for (int t = 0; t < ${THREADS}; t++) p${id}_${i}(s[t]); ${i < p.meetings.length ? onHost(p.meetings[i]!) : ""}`).join("\n")}
  for (int t = 0; t < ${THREADS}; t++) end${id}(s[t], &out[t * ${width}]);
  p.launch("k${id}", 1, ${THREADS}, {p.at("cells${id}"), p.at("acc${id}"), p.at("out${id}")});
  p.expect("cells${id}", cells); p.expect("acc${id}", acc); p.expect("out${id}", out); }`;
  return { functions, table, device, host };
}

export const bits = `#include <string.h>
HD u32 bits(u32 x) { return x; }
HD u32 bits(s32 x) { return (u32)x; }
HD u32 bits(float x) { u32 u; memcpy(&u, &x, 4); return u; }
HD u64 bits64(double x) { u64 u; memcpy(&u, &x, 8); return u; }
HD void setBits(u32& x, u32 u) { x = u; }
HD void setBits(s32& x, u32 u) { x = (s32)u; }
HD void setBits(float& x, u32 u) { memcpy(&x, &u, 4); }
`;

/** One file for both compilers. */
export function unitText(
  programs: readonly { readonly program: CudaProgram; readonly id: string; readonly seed: number }[],
): string {
  const texts = programs.map((p) => programText(p.program, p.id, p.seed));
  return `// sm_75 -fmad=false
${prelude}${bits}${texts.map(sharedText).join("\n")}
#ifdef __CUDACC__
${texts.map((t) => t.device).join("\n")}
#else
int main() {
  Program p;
${texts.map((t) => t.host).join("\n")}
  p.print();
}
#endif
`;
}
