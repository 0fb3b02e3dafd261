import { type Elf, readElf } from "../../lib/elf/elf64";

/** Global and shared memory of relocatable objects: no bytes in the file, though the type is not NOBITS. */
const empty: readonly number[] = [0x70000007, 0x7000000a];

/** ptxas's `-c` object; `readElf` refuses it as it is where such memory would lie outside the file. */
export function readObject(file: Uint8Array): Elf {
  const bytes = Uint8Array.from(file);
  const v = new DataView(bytes.buffer);
  const headers = Number(v.getBigUint64(40, true));
  for (let i = 0; i < v.getUint16(60, true); i++) {
    const type = headers + i * 64 + 4;
    if (empty.includes(v.getUint32(type, true))) v.setUint32(type, 8, true);
  }
  const elf = readElf(bytes);
  if (!elf.ok) throw new Error(elf.diagnostics[0]!.message);
  return elf.value;
}
