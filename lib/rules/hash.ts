/** FNV-1a of a text in 32 bits, twice with different starts: 16 hexadecimal digits. */
export function hashOf(text: string): string {
  return [0x811c9dc5, 0x01000193]
    .map((start) => {
      let h = start;
      for (let k = 0; k < text.length; k++) h = Math.imul(h ^ text.charCodeAt(k), 0x01000193);
      return (h >>> 0).toString(16).padStart(8, "0");
    })
    .join("");
}
