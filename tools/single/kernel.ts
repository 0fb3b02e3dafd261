/**
 * One-instruction kernels from the lines of `ptx-to-sass`: a line is either one instruction on registers of known names
 * (`%h` 16 bits, `%r` 32, `%l` 64, `%f` f32, `%d` f64, `%p` and `%q` predicates; numbers below 20 are sources, others results), or a whole
 * body that loads and stores by itself from `%y2` (this thread's inputs) and to `%y3` (its results).
 */

/** Bytes of a thread's inputs, and from them to its results. */
export const ROW_BYTES = 64;
export const RESULTS_AT = 4096;

const registers: Readonly<Record<string, string>> = { h: "b16", r: "b32", l: "b64", f: "f32", d: "f64" };

const head = `.reg .pred %p<9>, %q<9>;
.reg .b16 %h<40>;
.reg .b32 %r<90>, %x<40>;
.reg .b64 %l<60>, %y<20>;
.reg .f32 %f<60>;
.reg .f64 %d<40>;
mov.u32 %x0, %tid.x;
mov.u32 %x1, %ntid.x;
mov.u32 %x2, %ctaid.x;
mad.lo.s32 %x3, %x1, %x2, %x0;
ld.param.b64 %y0, [out];
cvta.to.global.u64 %y0, %y0;
mul.wide.s32 %y1, %x3, ${ROW_BYTES};
add.s64 %y2, %y0, %y1;
add.s64 %y3, %y2, ${RESULTS_AT};
`;

/** Families that this comparison leaves out: matrix products, asynchronous copies, textures and surfaces, calls. */
const elsewhere =
  /(^|[\s;}])(@!?%\w+ )?(mma|wmma|wgmma|tcgen05|ldmatrix|stmatrix|movmatrix|cp|mbarrier|tex|tld4|txq|suld|sust|sured|suq|istypep|multimem|tensormap|clusterlaunchcontrol|call|alloca|mapa|getctarank)\b|\b(st|red)\.async|st\.bulk|prefetch\.tensormap|proxy/;

export function inScope(line: string): boolean {
  return !elsewhere.test(line);
}

/** Does the line store its results itself? */
function isWhole(line: string): boolean {
  return /%y\d/.test(line);
}

function used(line: string, letter: string, from: number, to: number): number[] {
  const found = new Set<number>();
  for (const m of line.matchAll(new RegExp(`%${letter}(\\d+)\\b`, "g"))) {
    const n = Number(m[1]);
    if (n >= from && n < to) found.add(n);
  }
  return [...found].sort((a, b) => a - b);
}

function loads(line: string): string[] {
  const out: string[] = [];
  let at = 0;
  for (const [letter, type] of Object.entries(registers)) {
    for (const n of [...used(line, letter, 0, 20), ...used(line, letter, 30, 40)])
      out.push(`ld.global.${type} %${letter}${n}, [%y2+${(8 * at++) % ROW_BYTES}];`);
  }
  for (const n of used(line, "q", 0, 9)) {
    out.push(`ld.global.b32 %x30, [%y2+${(8 * at++) % ROW_BYTES}];`, `setp.gt.s32 %q${n}, %x30, ${n};`);
  }
  return out;
}

function stores(line: string): string[] {
  const out: string[] = [];
  let at = 0;
  for (const [letter, type] of Object.entries(registers)) {
    for (const n of used(line, letter, 20, 90)) out.push(`st.global.${type} [%y3+${8 * at++}], %${letter}${n};`);
  }
  for (const n of used(line, "p", 0, 9))
    out.push(`selp.b32 %x31, 1, 2, %p${n};`, `st.global.b32 [%y3+${8 * at++}], %x31;`);
  return out;
}

/** Parameters that the line loads, in order. */
function parameters(line: string): [name: string, type: string][] {
  const found = new Map<string, string>();
  for (const m of line.matchAll(/ld\.param\.(\w+) [^,]*,\s*\[(\w+)\]/g)) found.set(m[2] as string, m[1] as string);
  found.delete("out");
  return [...found];
}

export interface Single {
  readonly name: string;
  readonly line: string;
  /** Declarations and the entry. */
  readonly text: string;
  /** The parameters after `out`. */
  readonly parameters: readonly (readonly [name: string, type: string])[];
}

/** The kernels as a module; a variable that several name is declared once. */
export function moduleOf(target: string, kernels: readonly Single[]): string {
  const declared = new Set<string>();
  const lines = kernels
    .flatMap((k) => k.text.split("\n"))
    .filter((l) => {
      if (!/^\.(shared|const) /.test(l)) return true;
      const first = !declared.has(l);
      declared.add(l);
      return first;
    });
  return `.version 9.0\n.target ${target}\n.address_size 64\n${lines.join("\n")}\n`;
}

/** Variables are called the same in all kernels. */
export function singleKernel(original: string, name: string): Single {
  const line = original.replace(/\b(sm|cc)k\d+\b/g, "$1k0");
  const own = (prefix: string): string[] => [
    ...new Set([...line.matchAll(new RegExp(`\\b${prefix}(k\\d+)\\b`, "g"))].map((m) => m[0])),
  ];
  const declared = [
    ...own("sm").map((n) => `.shared .align 16 .b8 ${n}[4096];`),
    ...own("cc").map((n) => `.const .align 16 .b8 ${n}[4096];`),
  ];
  const more = parameters(line);
  const list = [".param .b64 out", ...more.map(([n, t]) => `.param .${t} ${n}`)].join(", ");
  const body = isWhole(line) ? [...loads(line), line] : [...loads(line), line, ...stores(line)];
  const text = `${declared.join("\n")}\n.visible .entry ${name}(${list}) {\n${head}${body.join("\n")}\nret;\n}\n`;
  return { name, line, text, parameters: more };
}
