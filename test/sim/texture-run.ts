/** Forms of textures and surfaces (texture-forms.ts) run, and what is not as the reference has it. */
import type { Result } from "../../lib/result";
import type { Argument, LaunchOptions, Module, Run } from "../../lib/sim/index";
import { type Form, forms, kernelOf, THREADS } from "./texture-forms";

/** Forms in a module. */
const PART = 100;

export interface Runner {
  load(ptx: string): Result<Module>;
  launch(module: Module, options: LaunchOptions): Result<Run>;
}

function argument(f: Form, data: Uint8Array): Argument {
  return "texture" in f.object
    ? { texture: { ...f.object.texture, data } }
    : { surface: { ...f.object.surface, data } };
}

function judge(runner: Runner, module: Module, name: string, f: Form): string {
  const data = f.bytes.slice();
  const out = new Uint32Array(f.output.length);
  const params = [f.input.slice(), out, argument(f, data), new Uint32Array(2)];
  const run = runner.launch(module, { kernel: name, block: THREADS, params });
  if (!run.ok) return run.diagnostics[0]!.message;
  if (run.value.fault !== null) return run.value.fault.message;
  const word = out.findIndex((x, i) => x !== f.output[i]);
  if (word >= 0) return `word ${word}: ${out[word]!.toString(16)}, not ${f.output[word]!.toString(16)}`;
  const byte = data.findIndex((x, i) => x !== f.texels[i]);
  return byte < 0 ? "" : `byte ${byte} of the texels: ${data[byte]}, not ${f.texels[byte]}`;
}

/** What differs, form by form, of every `each`th. Handles are parameters where the number of the form is even, else in registers. */
export function differences(target: string, runner: Runner, each: number = 1): string[] {
  const all = forms().filter((_, i) => i % each === 0);
  const out: string[] = [];
  for (let first = 0; first < all.length; first += PART) {
    const part = all.slice(first, first + PART);
    const kernels = part.map((f, i) => kernelOf(`k${i}`, f, i % 2 === 1)).join("");
    const module = runner.load(`.version 9.0\n.target ${target}\n.address_size 64\n${kernels}`);
    if (!module.ok) return [...out, `${first}: ${module.diagnostics[0]!.message}`];
    part.forEach((f, i) => {
      const wrong = judge(runner, module.value, `k${i}`, f);
      if (wrong !== "") out.push(`${f.line}: ${wrong}`);
    });
  }
  return out;
}
