/** Two instructions of machine code that an observation rests on, for people: machine code with its stalls, and the PTX of it. */
import { readCubin } from "../../lib/elf/index.js";
import { renderInst } from "../../lib/sass/index.js";
import type { Code, Place } from "./observations.js";
import { compile } from "./ptxas.js";

/** Instructions before the earlier one that are shown too. */
const BEFORE = 1;
/** Of longer stretches only both ends are shown. */
const LONGEST = 12;

/** Lines of text: issue cycle relative to the earlier instruction, waits and scoreboards, machine code, then PTX. */
export function contextLines({ code, from, to, distance }: Place): string[] {
  const out = [
    `${code.name}${code.asked ? ` (-arch=${code.asked.arch} -O${code.asked.opt})` : ""}, ${distance} cycles`,
  ];
  const first = Math.max(0, from - BEFORE);
  const lines = ptxLinesOf(code);
  let time = 0;
  for (let i = first; i < from; i++) time -= code.insts[i]?.control?.stall ?? 0;
  for (let i = first; i <= to; i++) {
    const inst = code.insts[i];
    if (!inst) continue;
    const c = inst.control!;
    const marks = [
      c.wait !== 0 ? `wait ${c.wait.toString(2)}` : "",
      c.writeSb !== 7 ? `sets ${c.writeSb}` : "",
      c.readSb !== 7 ? `reads ${c.readSb}` : "",
    ];
    const shown = i <= first + LONGEST / 2 || i > to - LONGEST / 2;
    if (shown) {
      const ptx = lines.get(i);
      const mark = i === from || i === to ? ">" : " ";
      const note = marks.filter((m) => m !== "").join(", ");
      out.push(
        `${mark} ${String(time).padStart(3)}  ${renderInst(inst)}${note ? `  [${note}]` : ""}${ptx ? `   // ${ptx}` : ""}`,
      );
    } else if (i === first + LONGEST / 2 + 1) out.push("       …");
    time += Math.max(1, c.stall);
  }
  return out;
}

/** PTX of each instruction, by compiling once more with line numbers; empty where that makes other code. */
function ptxLinesOf(code: Code): Map<number, string> {
  const out = new Map<number, string>();
  if (!code.asked) return out;
  const { ptx, arch, opt } = code.asked;
  const { cubin } = compile(ptx, arch, opt, ["-lineinfo"]);
  const read = cubin && readCubin(cubin);
  if (!read?.ok) return out;
  const f = read.value.functions.find((x) => x.name === code.name);
  if (!f || f.words.length !== 4 * code.insts.length) return out;
  const text = ptx.split("\n");
  const entries = [...f.ptxLines].sort((a, b) => a.offset - b.offset);
  let k = -1;
  for (let i = 0; i < code.insts.length; i++) {
    while (k + 1 < entries.length && entries[k + 1]!.offset <= 16 * i) k++;
    const line = k >= 0 ? text[entries[k]!.line - 1] : undefined;
    if (line !== undefined) out.set(i, line.trim());
  }
  return out;
}
