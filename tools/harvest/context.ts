/** What the steps share: their arguments, the targets, and the names of their files. */
import type { Folder } from "./state.js";

export interface StepContext {
  /** As the tools name it: `90a`. */
  readonly sm: string;
  readonly folder: Folder;
  readonly root: string;
  readonly seed: number;
  option(name: string): string | null;
}

/** Whose map a target's map refers to: only the encodings that print otherwise are harvested. */
export const BASES: Readonly<Record<string, string | null>> = {
  "75": null,
  "80": null,
  "86": "80",
  "87": "86",
  "88": "86",
  "89": "86",
  "90a": null,
  "100a": null,
  "103a": "100a",
  "110a": "100a",
  "120a": null,
  "121a": "120a",
};

export const TARGETS: readonly string[] = Object.keys(BASES);

export const mapName = (sm: string): string => `fields-sm${sm}.json`;

/** Encodings that the last check found wrong or unknown. */
export const FAULTS = "faults.json";

/** What the step \`compare\` found. */
export const COMPARED = "compare.json";

export const UNANSWERED = "unanswered.tsv";

/** Words that the tool gave no answer for, and how: `ended` or `late`. */
export const unansweredWords = (folder: Folder): Map<string, string> =>
  new Map(folder.lines(UNANSWERED).map((l) => l.split("\t") as [string, string]));
