/** Numbers of the cubin container (measured on ptxas 13.0.88). */

export const CUBIN_MACHINE = 190;
export const CUBIN_OSABI = 0x41;
export const CUBIN_ABI = 8;

/** Section types of CUDA. Constant bank N of a relocatable object is `Constant0 + N`. */
export const SHT_CUDA = {
  Info: 0x70000000,
  Callgraph: 0x70000001,
  Prototype: 0x70000002,
  Global: 0x70000007,
  GlobalInit: 0x70000008,
  Shared: 0x7000000a,
  RelAction: 0x7000000b,
  Capmerc: 0x70000016,
  Constant0: 0x70000064,
  MercuryReserved: 0x70000015,
  MercuryConstant: 0x7000007c,
  MercuryPic: 0x7000007d,
  MercuryTables: 0x70000084,
  MercuryRela: 0x70000082,
  MercuryInfo: 0x70000083,
  MercurySymtab: 0x70000085,
  Compat: 0x70000086,
} as const;

/**
 * Low byte of e_flags: plain machine code (any SM; nvlink from sm_100 on says that what it makes of it runs on this very SM only), or
 * code with Mercury capsules, on which the tools then insist.
 */
export const PLAIN_CODE = 0x04;
export const MERCURY_CODE = 0x02;

/** Section flag of Capsule Mercury (wiki page 45). */
export const SHF_MERCURY = 0x10000000;

/** Symbol types beyond the ELF standard. */
export const STT_CUDA = { Texref: 10, Samplerref: 11, Surfref: 12, Object: 13 } as const;

/** Bits of st_other: what a symbol is, by memory space. */
export const STO = { Managed: 4, Entry: 0x10, Global: 0x20, Shared: 0x40, Const: 0x80, Reserved: 0xa0 } as const;

export const NOTE_TKINFO = 2000;
export const NOTE_CUINFO = 1000;
