/** Symbols and section by which the driver finds the shared memory that the system reserves (sm_90 on). */
import { SHF, SHT, STB, STT } from "../elf64.js";
import { type SectionDraft, section } from "../elf64-write.js";
import type { Container } from "./container.js";
import { type DraftSymbol, type Symbols, symbol } from "./draft.js";
import { STO } from "./sections.js";
import { PARTITION_BYTES } from "./tensor-memory.js";

export class ReservedShared {
  private readonly container: Container;
  private readonly symbols: Symbols;
  private readonly relocatable: boolean;
  /** Bytes before the variables of a kernel. */
  private readonly offset: number;
  /** The symbol of its end (`.nv.reservedSmem.cap`), once something needs it. */
  end: DraftSymbol | null = null;

  constructor(container: Container, symbols: Symbols, relocatable: boolean, offset: number) {
    this.container = container;
    this.symbols = symbols;
    this.relocatable = relocatable;
    this.offset = offset;
  }

  /** The NOBITS section of an executable; null in relocatable objects. */
  make(allocates: boolean): SectionDraft | null {
    const { container, symbols } = this;
    const size = container.reservedSize;
    symbols.local(symbol({ name: ".nv.reservedSmem.offset0", bind: STB.Weak, type: STT.Object, value: size, size: 4 }));
    if (this.relocatable) return null;
    const reserved = section({
      name: ".nv.shared.reserved.0",
      type: SHT.Nobits,
      flags: SHF.Write | SHF.Alloc,
      align: container.reservedUsed ? 16 : 1,
      size: size + (container.reservedUsed ? 0x80 : 0) + (allocates ? PARTITION_BYTES : 0),
    });
    if (container.reservedUsed || allocates) symbols.section(reserved);
    const common = { bind: STB.Weak, section: reserved, value: size };
    symbols.local(symbol({ ...common, name: "__nv_reservedSMEM_offset_0_alias", other: STO.Reserved }));
    if (container.reservedUsed)
      symbols.local(symbol({ ...common, name: "__nv_reservedSMEM_gb10b_war_var", type: STT.Object, size: 0x80 }));
    if (allocates) {
      const name = "__nv_reservedSMEM_tcgen05_partition";
      symbols.local(symbol({ ...common, name, type: STT.Object, size: PARTITION_BYTES }));
    }
    return reserved;
  }

  /** The end of it, once per executable that uses shared memory (sm_100 on). */
  cap(): void {
    if (this.end !== null || this.relocatable || this.container.reservedSize === 0) return;
    const common = { bind: STB.Weak, type: STT.Object, size: 4 };
    this.end = this.symbols.local(symbol({ ...common, name: ".nv.reservedSmem.cap", value: this.offset }));
  }
}
