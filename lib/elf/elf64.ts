/**
 * ELF64, little endian: the generic half of the container. Nothing here knows about GPUs.
 *
 * The reader takes any bytes. Every offset, count and name is checked against the file before it is used, sections are
 * views of the input (never copies), and what cannot be believed becomes a Diagnostic instead of an exception.
 */
import type { Result } from "../result.js";

export interface ElfSection {
  readonly index: number;
  readonly name: string;
  readonly type: number;
  /** Always below 2^53; larger values are refused by the reader. */
  readonly flags: number;
  readonly addr: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  readonly info: number;
  readonly align: number;
  readonly entsize: number;
  /** The bytes in the file; empty for SHT_NOBITS. */
  readonly data: Uint8Array;
}

export interface ElfSymbol {
  readonly index: number;
  readonly name: string;
  readonly bind: number;
  readonly type: number;
  /** st_other: visibility in the low two bits, the rest belongs to the machine. */
  readonly other: number;
  /** Section index, SHN_XINDEX already resolved. */
  readonly section: number;
  readonly value: number;
  readonly size: number;
}

export interface ElfRelocation {
  readonly offset: number;
  readonly type: number;
  readonly symbol: number;
  /** 0 in SHT_REL sections, where the addend lies in the relocated bytes. */
  readonly addend: number;
}

export interface ElfNote {
  readonly name: string;
  readonly type: number;
  readonly desc: Uint8Array;
}

export interface ElfSegment {
  readonly type: number;
  readonly flags: number;
  readonly offset: number;
  readonly vaddr: number;
  readonly paddr: number;
  readonly filesz: number;
  readonly memsz: number;
  readonly align: number;
}

export interface Elf {
  readonly bytes: Uint8Array;
  readonly osabi: number;
  readonly abiVersion: number;
  readonly type: number;
  readonly machine: number;
  readonly flags: number;
  readonly entry: number;
  readonly shstrndx: number;
  readonly sections: readonly ElfSection[];
  readonly segments: readonly ElfSegment[];
}
