/**
 * Beside memory: who wrote and who read each word last. A word has its last write and two reads, of different warps where there are: as
 * long as all threads of a block meet at barriers, a write that comes too early is not ordered after one of these.
 * A page in which bytes or halves are accessed is kept by bytes.
 */

/** Offsets of a cell: the write, then two reads of five words each. */
export const Cell = {
  cta: 0,
  /** Warp, column of its clock (clocks.ts), and a bit for strong accesses: `who`. */
  who: 1,
  tick: 2,
  pc: 3,
  reads: 4,
  /** In a read: its lanes, after the same four words. */
  mask: 4,
  readWords: 5,
  words: 14,
} as const;

/** In place of a block's number: nobody has; the host has written (global memory is zeroed when it is allocated). */
export const NOBODY = -2;
export const HOST = -1;

const PAGE_WORDS = 256;
const PAGE_BYTES: number = 4 * PAGE_WORDS;

export interface Page {
  /** A cell for each byte; else for each word. */
  fine: boolean;
  cells: Int32Array;
}

/** Where the cell of byte `at` is in its page. */
export const cellOf = (page: Page, at: number): number =>
  Math.floor((at % PAGE_BYTES) / (page.fine ? 1 : 4)) * Cell.words;

export function who(warp: number, column: number, strong: boolean): number {
  return warp | (column << 5) | (strong ? 0x800 : 0);
}
export const warpOf = (w: number): number => w & 31;
export const columnOf = (w: number): number => (w >>> 5) & 63;
export const isStrong = (w: number): boolean => (w & 0x800) !== 0;

export class Shadow {
  private readonly pages = new Map<number, Page>();
  /** The page that was asked for last, mostly the one that is asked for next. */
  private last: Page | null = null;
  private lastNumber = -1;

  /** `before`: who has written what nobody has written since. */
  constructor(private readonly before: number) {}

  /** The cells of the page of byte `at`, of which the bytes from there to before `end` are looked at. */
  cellsAt(at: number, end: number): Page {
    const page = this.page(Math.floor(at / PAGE_BYTES));
    if (!page.fine && (at % 4 !== 0 || end - at < 4)) refine(page);
    return page;
  }

  private page(number: number): Page {
    if (number === this.lastNumber) return this.last!;
    this.lastNumber = number;
    this.last = this.made(number);
    return this.last;
  }

  private made(number: number): Page {
    let page = this.pages.get(number);
    if (page === undefined) {
      const cells = new Int32Array(PAGE_WORDS * Cell.words);
      for (let i = 0; i < cells.length; i += Cell.words) {
        cells[i + Cell.cta] = this.before;
        for (const r of [0, 1]) cells[i + Cell.reads + r * Cell.readWords] = NOBODY;
      }
      page = { fine: false, cells };
      this.pages.set(number, page);
    }
    return page;
  }
}

function refine(page: Page): void {
  const cells = new Int32Array(PAGE_BYTES * Cell.words);
  for (let i = 0; i < PAGE_BYTES; i++) {
    const from = (i >> 2) * Cell.words;
    cells.set(page.cells.subarray(from, from + Cell.words), i * Cell.words);
  }
  page.cells = cells;
  page.fine = true;
}
