/** The instruction table of an SM, compiled as it is used: lines by opcode for the decoder, by row for the encoder. */
import { type CodeLine, compileLine } from "./lines.js";
import { hiddenRow } from "./rows/hidden.js";
import { bit91Ignored } from "./rows/ignored.js";
import { holdsFor } from "./syntax.js";
import { type Encoding, parseEncodings, rowAt, rows } from "./table.js";

/** Where the lines of an SM are, known without reading their rows. */
interface Index {
  /** By row index: number of the row's first code line. */
  readonly firstId: Int32Array;
  /** By opcode: indices of the rows that have it, null where there is none. */
  readonly rowsAt: (number[] | null)[];
}

/** Lines that words of one opcode may be. */
interface OpcodeLines {
  readonly lines: readonly CodeLine[];
  /** Of each line the mask and the value: eight i32. */
  readonly masks: Int32Array;
}

const everyOpcode = 0x2000;
const noLines: OpcodeLines = { lines: [], masks: new Int32Array(0) };

/**
 * The table of an SM (`Target.isa`). Rows are compiled when an opcode or a form of theirs is first asked for: a program
 * uses few of them, and start-up is what short commands wait for.
 */
export class CompiledTable {
  private readonly index: Index;
  private readonly byOpcode: (OpcodeLines | undefined)[];
  private readonly byRow: (readonly CodeLine[] | undefined)[] = [];
  private hiddenLine: CodeLine | null = null;

  constructor(readonly isa: number) {
    this.index = indexOf(isa);
    this.byOpcode = this.index.rowsAt.map((list) => (list === null ? noLines : undefined));
  }

  /** Opcodes (bits 11:0, bit 91 as bit 12) that have lines, in ascending order. */
  get opcodes(): readonly number[] {
    return this.index.rowsAt.flatMap((list, opcode) => (list === null ? [] : [opcode]));
  }

  /** For words that are printed as nothing. */
  get hidden(): CodeLine {
    this.hiddenLine ??= this.linesOfRow(rows.indexOf(hiddenRow))[0]!;
    return this.hiddenLine;
  }

  /** Lines of an opcode, the one that says more about the word first, with their masks. */
  at(opcode: number): OpcodeLines {
    let found = this.byOpcode[opcode];
    if (found === undefined) {
      found = this.compileOpcode(opcode);
      this.byOpcode[opcode] = found;
    }
    return found;
  }

  /** Every line, opcode by opcode; one that several opcodes share comes once for each. */
  allLines(): CodeLine[] {
    return this.opcodes.flatMap((opcode) => [...this.at(opcode).lines]);
  }

  /** Lines of the row at this position in `rows`, in table order. */
  linesOfRow(row: number): readonly CodeLine[] {
    let lines = this.byRow[row];
    if (lines === undefined) {
      lines = this.compileRow(row);
      this.byRow[row] = lines;
    }
    return lines;
  }

  private compileOpcode(opcode: number): OpcodeLines {
    const plain = opcode & 0xfff;
    const all = this.index.rowsAt[opcode]!.flatMap((row) => this.linesOfRow(row));
    const lines = all.filter((code) => code.opcode === opcode);
    if (withBit91(this.isa, plain).includes(opcode))
      lines.push(...all.filter((code) => code.opcode === plain).map(withoutBit91));
    lines.sort((a, b) => ones(b.mask) - ones(a.mask) || a.id - b.id);
    return { lines, masks: Int32Array.from(lines.flatMap((l) => [...l.mask, ...l.value])) };
  }

  private compileRow(index: number): CodeLine[] {
    const row = rowAt(index);
    let id = this.index.firstId[index]!;
    return row.lines.flatMap((line) =>
      holdsFor(line.sm, this.isa)
        ? line.encodings
            .filter((e) => takesShape(e, this.isa))
            .map((e) => compileLine(id++, line, e.shape, e.opcode, this.isa))
        : [],
    );
  }
}

function indexOf(isa: number): Index {
  const firstId = new Int32Array(rows.length);
  const rowsAt: (number[] | null)[] = new Array(everyOpcode).fill(null);
  let id = 0;
  rows.forEach((row, index) => {
    firstId[index] = id;
    for (const line of row.lines) {
      if (!holdsFor(line.sm, isa)) continue;
      for (const e of parseEncodings(line.as)) {
        if (!takesShape(e, isa)) continue;
        id++;
        for (const opcode of [e.opcode, ...withBit91(isa, e.opcode)]) {
          rowsAt[opcode] ??= [];
          if (rowsAt[opcode]!.at(-1) !== index) rowsAt[opcode]!.push(index);
        }
      }
    }
  });
  return { firstId, rowsAt };
}

/** Constant operands of arithmetic went away with LDCU. */
function takesShape(e: Encoding, isa: number): boolean {
  return isa <= 90 || !/[CX]/.test(e.shape);
}

/** The opcode with bit 91 set, where that bit says nothing. */
function withBit91(isa: number, opcode: number): readonly number[] {
  return isa === 75 && bit91Ignored.includes(opcode) ? [opcode | 0x1000] : [];
}

const tables = new Map<number, CompiledTable>();

/** The table of an SM (`Target.isa`). */
export function tableFor(isa: number): CompiledTable {
  let t = tables.get(isa);
  if (!t) {
    t = new CompiledTable(isa);
    tables.set(isa, t);
  }
  return t;
}

/** The same line for words whose bit 91 is set. */
function withoutBit91(code: CodeLine): CodeLine {
  const mask = code.mask.slice();
  mask[2] = mask[2]! & ~(1 << 27);
  return { ...code, mask };
}

function ones(words: Uint32Array): number {
  let n = 0;
  for (let w of words) for (; w; w &= w - 1) n++;
  return n;
}
