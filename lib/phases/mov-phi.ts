import type { Func } from "../ori/types.js";

export function generateMovPhi(_func: Func): void {}

export function convertAllMovPhiToMov(_func: Func): void {}
