/** Registers of accumulators and factors. */
import { type PtxType, typeNamed } from "../types.js";

/** Registers hold f32, s32, or pairs and quads of narrower elements; f64 takes two. */
export const typeOfRegisters = (type: string): PtxType => typeNamed(type === "f64" ? "b64" : "b32") as PtxType;
