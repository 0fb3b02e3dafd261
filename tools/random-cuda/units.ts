/**
 * A random program cut into units that are compiled apart (`nvcc -rdc=true`) and linked: each function stands in one of them, so do the table of
 * small functions and the kernel; the others know them by declaration. What the prelude has is inline, and so a weak function of every unit
 * that keeps it.
 */
import { random } from "../../test/corpus/random.js";
import type { CudaProgram } from "./generate.js";
import { bits, type CudaFunction, prelude, programText } from "./text.js";

/** Virtual functions, made in the first unit and called from every kernel, whose classes' functions lie in the other units. */
function classes(id: string, units: number): { declarations: string; definitions: readonly string[]; use: string } {
  const names = ["Add", "Turn", "Mix"].map((n) => `${n}${id}`);
  const declared = names
    .map((n) => `struct ${n} : Op${id} { __device__ ${n}(u32 k); __device__ u32 run(u32 x) override; };`)
    .join("\n");
  const bodies = ["x + by", "(x << (by & 15)) | (x >> 7)", "(x ^ by) * 2654435761u"];
  const definitions = Array.from({ length: units }, (_, u) =>
    names
      .flatMap((n, i) => [
        (i + 1) % units === u ? `__device__ ${n}::${n}(u32 k) { by = k; }` : "",
        (i + 2) % units === u ? `__device__ u32 ${n}::run(u32 x) { return ${bodies[i]}; }` : "",
      ])
      .filter((x) => x !== "")
      .join("\n"),
  );
  const use = `  { ${names.map((n, i) => `${n} o${i}(t + ${i}u);`).join(" ")} Op${id}* ops[3] = {&o0, &o1, &o2};
    u32 x = t; for (int k = 0; k < 6; k++) x = ops[(x + k) % 3]->run(x); virtuals[t] = x; }`;
  return {
    declarations: `struct Op${id} { u32 by; __device__ virtual u32 run(u32 x) = 0; };\n${declared}`,
    definitions,
    use,
  };
}

/** What the kernel writes by virtual calls. */
export function virtualResults(threads: number): number[] {
  return Array.from({ length: threads }, (_, t) => {
    let x = t;
    for (let k = 0; k < 6; k++) {
      const [which, by] = [((x + k) >>> 0) % 3, t + (((x + k) >>> 0) % 3)];
      if (which === 0) x = (x + by) >>> 0;
      else if (which === 1) x = ((x << (by & 15)) | (x >>> 7)) >>> 0;
      else x = Math.imul(x ^ by, 2654435761) >>> 0;
    }
    return x;
  });
}

/** The device's half of a program as so many files; the kernel has one parameter more, for what virtual calls give. */
export function cutIntoUnits(program: CudaProgram, id: string, seed: number, units: number): string[] {
  const { below } = random(seed ^ 0x2545f491);
  const { functions, table, device } = programText(program, id, seed);
  const apart = classes(id, units);
  const declare = (f: CudaFunction): string => `extern ${f.head};`;
  const header = [
    prelude.replace(/^HD /gm, "inline HD "),
    bits.replace(/^HD /gm, "inline HD "),
    apart.declarations,
    ...functions.map(declare),
    `extern __device__ ${table.head};`,
  ].join("\n");
  const bodies: string[][] = Array.from({ length: units }, () => []);
  for (const f of functions) bodies[below(units)]!.push(`${f.head} {\n${f.body}\n}`);
  bodies[below(units)]!.push(`__device__ ${table.head} = ${table.value};`);
  const kernel = device.replace("u64* out)", "u64* out, u32* virtuals)").replace(/\}$/, `${apart.use}\n}`);
  bodies[0]!.push(kernel);
  return bodies.map((own, u) => `${header}\n${apart.definitions[u]}\n${own.join("\n")}\n`);
}
