/** All evidence for the table: `gather all`. */
import {
  gatherCorpus,
  gatherDoubts,
  gatherLogic,
  gatherOwn,
  gatherRandom,
  gatherSingle,
  type OwnSource,
} from "./gather.js";

/** Random kernels of all families: target, level, first seed, files. */
const RANDOM: readonly (readonly [sm: string, level: number, seed: number, files: number])[] = [
  ["100a", 3, 1000, 25],
  ["100a", 0, 1000, 8],
  ["100a", 1, 4000, 5],
  ["120a", 3, 2000, 8],
  ["120a", 0, 2000, 8],
  ...["103a", "110a", "121a"].flatMap((sm) => [3, 0].map((level) => [sm, level, 3000, 5] as const)),
];

/** Kernels of one instruction: target, level, one of so many, from which on. */
const SINGLE: readonly (readonly [sm: string, level: number, every: number, from: number])[] = [
  ["100a", 3, 1, 0],
  ["120a", 3, 2, 1],
  ["100a", 0, 8, 0],
  ["120a", 0, 8, 1],
  ["103a", 3, 16, 1],
  ["110a", 3, 16, 2],
  ["121a", 3, 16, 3],
];

/** Random kernels of one family (templates/) each: target, level, family, files. */
const FAMILIES: readonly (readonly [sm: string, level: number, family: number, files: number])[] = [
  ["100a", 0, 9, 2],
  ["100a", 3, 9, 3],
  ["120a", 3, 9, 2],
  ["100a", 0, 10, 4],
  ["100a", 3, 10, 2],
  ["120a", 0, 10, 2],
  ["110a", 0, 11, 2],
  ["110a", 3, 11, 2],
  ["100a", 0, 7, 4],
  ["100a", 3, 7, 4],
  ["120a", 3, 7, 2],
  ["100a", 0, 6, 2],
  ["100a", 3, 6, 4],
  ["120a", 3, 6, 2],
  ["100a", 0, 5, 2],
  ["100a", 3, 5, 4],
  ["120a", 3, 5, 2],
  ["100a", 3, 0, 2],
  ["120a", 3, 0, 2],
  ["100a", 0, 1, 2],
  ["100a", 3, 1, 3],
  ["100a", 3, 2, 2],
  ["100a", 3, 3, 2],
  ["120a", 3, 3, 2],
  ["100a", 3, 4, 2],
];

/** All logic tables: target, level. */
const LOGIC: readonly (readonly [sm: string, level: number])[] = [
  ["100a", 0],
  ["100a", 3],
  ["120a", 3],
];

const CORPUS: readonly string[] = ["100", "103", "110", "120", "121"];

/** Our own code, last: it is asked about what all before does not tell. */
const OWN: readonly OwnSource[] = [
  ["sm_100a", 0, 1],
  ["sm_120a", 0, 2],
  ["sm_110a", 0, 5],
  ["sm_103a", 0, 7],
];

/** What is in the cache is not asked again, but for our own code, which depends on all the rest. */
export function gatherAll(): void {
  for (const [sm, level, seed, files] of RANDOM) gatherRandom(sm, level, seed, files);
  for (const [sm, level, every, from] of SINGLE) gatherSingle(sm, level, every, from);
  for (const [sm, level, family, files] of FAMILIES)
    gatherRandom(sm, level, 20_000 + family * 100 + level * 10 + (sm === "120a" ? 5000 : 0), files, family);
  for (const [sm, level] of LOGIC) gatherLogic(sm, level);
  for (const sm of CORPUS) gatherCorpus(sm);
  gatherOwn(OWN);
  gatherDoubts();
}
