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
  /** By opcode, in ascending order: indices of the rows that have it. */
  readonly rowsAt: ReadonlyMap<number, readonly number[]>;
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
  /** Lines that were asked for; `placeOf` tells an opcode's place in them, 0: not asked for. */
  private readonly asked: OpcodeLines[] = [noLines];
  private readonly placeOf: Uint16Array = new Uint16Array(everyOpcode);
  private readonly byRow: (readonly CodeLine[] | undefined)[] = [];
  private hiddenLine: CodeLine | null = null;

  constructor(readonly isa: number) {
    this.index = indexOf(isa);
  }

  /** Opcodes (bits 11:0, bit 91 as bit 12) that have lines, in ascending order. */
  get opcodes(): readonly number[] {
    return [...this.index.rowsAt.keys()];
  }

  /** For words that are printed as nothing. */
  get hidden(): CodeLine {
    this.hiddenLine ??= this.linesOfRow(rows.indexOf(hiddenRow))[0]!;
    return this.hiddenLine;
  }

  /** Lines of an opcode, the one that says more about the word first, with their masks. */
  at(opcode: number): OpcodeLines {
    const place = this.placeOf[opcode];
    if (place !== 0 && place !== undefined) return this.asked[place]!;
    const rowsOfIt = this.index.rowsAt.get(opcode);
    if (rowsOfIt === undefined) return noLines;
    const found = this.compileOpcode(opcode, rowsOfIt);
    this.placeOf[opcode] = this.asked.push(found) - 1;
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

  private compileOpcode(opcode: number, rowsOfIt: readonly number[]): OpcodeLines {
    const plain = opcode & 0xfff;
    const all = rowsOfIt.flatMap((row) => this.linesOfRow(row));
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
  const rowsAt = new Map<number, number[]>();
  let id = 0;
  rows.forEach((row, index) => {
    firstId[index] = id;
    for (const line of row.lines) {
      if (!holdsFor(line.sm, isa)) continue;
      for (const e of parseEncodings(line.as)) {
        if (!takesShape(e, isa)) continue;
        id++;
        for (const opcode of [e.opcode, ...withBit91(isa, e.opcode)]) {
          const list = rowsAt.get(opcode);
          if (list === undefined) rowsAt.set(opcode, [index]);
          else if (list.at(-1) !== index) list.push(index);
        }
      }
    }
  });
  return { firstId, rowsAt: new Map([...rowsAt].sort(([a], [b]) => a - b)) };
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
