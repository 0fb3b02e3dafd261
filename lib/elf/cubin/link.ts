/** Puts the code of a module's functions and its variables together into a cubin. */
import { InternalError } from "../../errors.js";
import type { Program } from "../../ori/types.js";
import type { Result } from "../../result.js";
import type { Code } from "../../sass/code.js";

export interface LinkOptions {
  /** `-c`: relocatable object (ET_REL) for nvlink instead of an executable. */
  readonly relocatable?: boolean;
  /** SM number of the PTX's `.target`, for `.note.nv.cuinfo`; default: the program's target. */
  readonly virtualSm?: number;
  /** Command line recorded in `.note.nv.tkinfo`, as ptxas writes it (`-O 0 -arch sm_90`). */
  readonly commandLine?: string;
  /** PTX text: with it, `.nv_debug_ptx_txt` and `.nv_debug_line_sass` are written from `Code.locs`. */
  readonly ptxText?: string;
}

/** `codes` in source order of the functions; they are laid out in ptxas's order (last first). */
export function link(_codes: readonly Code[], _program: Program, _options: LinkOptions = {}): Result<Uint8Array> {
  throw new InternalError("not built: link");
}
