/** Numbers for the places that can hold a value after allocation: physical registers and words of the spill area. */
import { File } from "../ori/types.js";

/** Pseudo location: holds unit 0 while the stack pointer has been lowered by the frame. */
export const FRAME_READY = 0;
const firstOf = [0, 1, 257, 513, 521, 529];
const STACK = 545;

/** Numbers of physical registers and of the words of the spill area. */
export class Locations {
  private readonly from: number;
  private readonly to: number;

  /** The spill area in bytes from the lowered stack pointer. */
  constructor(from: number, to: number) {
    this.from = from;
    this.to = to;
  }

  register(file: File, id: number): number {
    return (firstOf[file] as number) + id;
  }

  isPerWarp(location: number): boolean {
    const inFile = (file: File): boolean =>
      location >= (firstOf[file] as number) && location < (firstOf[file + 1] as number);
    return inFile(File.UR) || inFile(File.UP);
  }

  /** −1 when the word is not in the spill area. */
  stack(offset: number): number {
    return offset >= this.from && offset + 4 <= this.to && offset % 4 === 0 ? STACK + offset / 4 : -1;
  }

  name(location: number): string {
    if (location >= STACK) return `[R1+${(location - STACK) * 4}]`;
    let file = 5;
    while (location < (firstOf[file] as number)) file--;
    return `${["", "R", "UR", "P", "UP", "B"][file]}${location - (firstOf[file] as number)}`;
  }
}
