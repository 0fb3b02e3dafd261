/**
 * A line under one choice of its modifiers: the form that its words have, and which of the line's exceptions can still
 * apply. Made when the first such word is met.
 */
import { Field } from "./coded.js";
import { fixedBits } from "./conditions.js";
import { type Form, intern } from "./form.js";
import { Gather, inWords } from "./gather.js";
import type { CodeLine } from "./lines.js";
import type { Group } from "./syntax.js";

export interface LineCase {
  readonly code: CodeLine;
  /** Null when a modifier has a value that is refused or hidden. */
  readonly form: Form | null;
  /** As `CodeLine`'s, without what these modifiers rule out. */
  readonly refused: Uint32Array | null;
  readonly hidden: Uint32Array | null;
  /** What is printed before the operands, by guard (bits 15:12) and alias; filled while printing. */
  readonly heads: string[];
}

/** So many bits are the index of an array. */
const DENSE_BITS = 10;

/** Cases of a line by the bits of its modifiers; a dense array where these are few. */
export class Cases {
  private readonly fields: readonly Field[];
  private readonly width: number;
  private readonly key: Gather | null;
  private readonly dense: (LineCase | undefined)[] | null;
  private readonly sparse: Map<number, LineCase> = new Map();

  constructor(private readonly groups: readonly Group[]) {
    this.fields = groups.map((g) => new Field(g.loc));
    this.width = this.fields.reduce((n, f) => n + f.width, 0);
    this.key = this.width > 31 ? null : new Gather(inWords(groups.flatMap((g) => g.loc)));
    this.dense = this.width <= DENSE_BITS ? [] : null;
  }

  /** Of the line `code`, whose cases these are, the one that the word has. */
  of(code: CodeLine, words: Uint32Array, at: number): LineCase {
    const key = this.key !== null ? this.key.get(words, at) : this.longKey(words, at);
    const known = this.dense !== null ? this.dense[key] : this.sparse.get(key);
    if (known !== undefined) return known;
    const made = this.make(code, words, at);
    if (this.dense === null) this.sparse.set(key, made);
    else {
      while (this.dense.length < 2 ** this.width) this.dense.push(undefined);
      this.dense[key] = made;
    }
    return made;
  }

  private longKey(words: Uint32Array, at: number): number {
    let key = 0;
    for (const f of this.fields) key = key * 2 ** f.width + f.get(words, at);
    return key;
  }

  private make(code: CodeLine, words: Uint32Array, at: number): LineCase {
    const values = this.groups.map((g, i) => g.byCode[this.fields[i]!.get(words, at)] ?? null);
    const known = values.filter((v) => v !== null);
    const form = known.length === values.length ? intern(code.line.row, code.line.template, known) : null;
    return {
      code,
      form,
      refused: fixedBits(code.refused, this.groups, words, at),
      hidden: fixedBits(code.hidden, this.groups, words, at),
      heads: [],
    };
  }
}
