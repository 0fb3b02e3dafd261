/**
 * Maps from words to text, as they are kept in files. The shape is that of the maps that were harvested before
 * (`fields-smXX.json`), so that both can be compared.
 */

/** How a number is put together from a field's bits. */
export interface Counting {
  /** Index of the token that shows it. */
  readonly token: number;
  /** `R`, `UR`, `P` …, `hex`, `dec`. */
  readonly prefix: string;
  readonly signed?: boolean;
  readonly scale?: number;
  /** Per bit, low to high, where signed and scale do not say it. */
  readonly weights?: readonly number[];
  readonly bias?: number;
}

/** `[from, to, text]`: rewrites tokens from … to − 1. */
export type EditRow = readonly [number, number, string];

export type FloatFormat = "f32" | "f64hi" | "f16" | "bf16";

export interface FieldMap extends Partial<Counting> {
  readonly lo?: number;
  /** Low to high, when scattered. */
  readonly bits?: readonly number[];
  readonly width: number;
  readonly kind: string;
  /** Value in the base word; as text where it is too large for a number. */
  readonly base: number | string;
  readonly format?: FloatFormat | null;
  /** Tokens that the values rewrite. */
  readonly span?: readonly [number, number];
  readonly values?: Readonly<Record<string, string | readonly EditRow[]>>;
  /** Values of a number that are printed otherwise. */
  readonly special?: Readonly<Record<string, string | readonly EditRow[]>>;
  /** Values refused beside the base word's other fields; `[a, b]` from a to b. */
  readonly illegal?: readonly (number | readonly [number, number])[];
  /** Not all values were tried. */
  readonly partial?: boolean;
}

/** Fields that are printed together: one case per combination of special values. */
export interface GroupMap {
  /** Lowest bits of its fields. */
  readonly fields: readonly number[];
  readonly cases: readonly {
    /** Values that select the case, null for any other. */
    readonly if: readonly (number | null)[];
    readonly edits: readonly EditRow[];
    readonly tokens: number;
    readonly show: readonly (Counting & { readonly lo: number })[];
  }[];
}

export interface Defaults {
  readonly mask: string;
  readonly value: string;
  /** Distinct words of compiled code. */
  readonly seen?: number;
  readonly varies?: string;
  /** Never met: taken from encodings of the same operation, or all 0. */
  readonly inferred?: "siblings" | "zero";
}

/** Right, wrong, unknown. */
export type Tally = readonly [number, number, number];

export interface EntryHead {
  readonly opcode: string;
  readonly bit91: number;
  readonly when?: { readonly mask: string; readonly value: string };
  readonly mnemonic?: string;
  verify?: { readonly test?: Tally; random?: Tally; compiler?: Tally };
}

export interface EntryMap extends EntryHead {
  readonly base: string;
  readonly tokens: readonly string[];
  readonly pc_relative?: boolean;
  readonly fields: readonly FieldMap[];
  readonly groups?: readonly GroupMap[];
  readonly illegal_flips?: readonly number[];
  readonly unprinted: readonly number[];
  readonly reuse: readonly number[];
  defaults?: Defaults;
  inexact?: boolean;
}

export interface SmMap {
  readonly sm: string;
  readonly tool: string;
  readonly control: string;
  readonly note: string;
  readonly same_as?: string;
  readonly replaced?: readonly (readonly [string, number])[];
  readonly absent?: readonly (readonly [string, number])[];
  encodings: EntryMap[];
  omitted: (EntryHead & { readonly why?: string })[];
  /** Encodings taken over from an earlier map. */
  readonly adopted?: number;
  checked?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}
