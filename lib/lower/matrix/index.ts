/** Matrix instructions by opcode. */
import type { Family } from "../family.js";
import { mma } from "./mma.js";
import { ldmatrix, movmatrix, stmatrix } from "./moves.js";
import { setmaxnreg, wgmma } from "./wgmma.js";
import { wmma } from "./wmma.js";

export const matrixFamily: Family = { mma, ldmatrix, stmatrix, movmatrix, wmma, wgmma, setmaxnreg };
