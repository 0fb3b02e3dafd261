/** Cubins: `link` writes them, `readCubin` reads them (ours or ptxas's), `describeCubin` prints them. */
export { branchTargets } from "./cubin/branches.js";
export type { Content, ModelReloc, ModelSection, ModelSymbol } from "./cubin/container-model.js";
export { buildContainer, type ContainerModel, containerModel } from "./cubin/container-model.js";
export type { ContainerLine } from "./cubin/container-read.js";
export { readContainer } from "./cubin/container-read.js";
export { containerLines } from "./cubin/container-text.js";
export type { SourceLines } from "./cubin/debug.js";
export { type DescribeOptions, describeCubin } from "./cubin/describe.js";
export { decodeInfo, encodeInfo, type InfoFormat, type InfoRecord, infoWords } from "./cubin/info.js";
export type { Inlined, LineFile, Position } from "./cubin/line-program.js";
export { type LinkOptions, link } from "./cubin/link.js";
export { readCubin } from "./cubin/read.js";
export { relocationName } from "./cubin/relocations.js";
export type {
  CodeRange,
  Cubin,
  CubinBank,
  CubinFunction,
  CubinGlobals,
  CubinParam,
  CubinReloc,
  CubinSymbol,
  LineEntry,
  SourceLine,
} from "./cubin/types.js";
export type { Elf, ElfNote, ElfRelocation, ElfSection, ElfSegment, ElfSymbol } from "./elf64.js";
export { type CubinFile, type FatMember, readCubins, readFatbin, unpackMember } from "./fatbin.js";
