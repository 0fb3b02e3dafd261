/**
 * How arithmetic instructions take their sources, as lists of `shape=opcode` for a row's `as`. Bits 11:9
 * of the opcode say where the operand that is no register goes; the argument is bits 8:0. C and X (constant bank) forms
 * exist up to sm_90 only; the reader of the table leaves them out above (see `Encoding`).
 */
const code = (form: number, base: number): string => ((form << 9) | base).toString(16);

function forms(shapes: readonly (readonly [shape: string, form: number])[], base: number): string {
  return shapes.map(([s, f]) => `${s}=${code(f, base)}${/[XU]/.test(s) ? "u" : ""}`).join(" ");
}

const inB = [
  ["RRR", 1],
  ["RIR", 4],
  ["RCR", 5],
  ["RXR", 5],
  ["RUR", 6],
] as const;
const inC = [
  ["RRI", 2],
  ["RRC", 3],
  ["RRX", 3],
  ["RRU", 7],
] as const;

/** Three sources, the second of which may be an immediate, a constant or a uniform register. */
export const middle = (base: number): string => forms(inB, base);
/** Three sources, the second or the third of which may be one. */
export const either = (base: number): string => forms([...inB, ...inC], base);
/** As `either`, without an immediate as the third source. */
export const wide = (base: number): string => forms([...inB, ...inC.filter(([s]) => s !== "RRI")], base);
/** Two sources in the places of a and b. */
export const two = (base: number): string =>
  forms(
    inB.map(([s, f]) => [s.slice(0, 2), f]),
    base,
  );
/** Two sources, the second of which counts as the third of three when it is no register. */
export const outer = (base: number): string =>
  forms([["Rq", 1], ...inC.map(([s, f]) => [`R${s[2]}`, f] as const)], base);
/** One source, in the place of b. */
export const one = (base: number): string =>
  forms(
    inB.map(([s, f]) => [s[1]!, f]),
    base,
  );
/** One source, no immediate. */
export const registers = (base: number): string =>
  forms(
    inB.filter(([x]) => x !== "RIR").map(([s, f]) => [s[1]!, f]),
    base,
  );
/** Only registers and uniform registers. */
export const uniform = (base: number, shapes: string): string =>
  shapes
    .split(" ")
    .map((s) => `${s}=${code(s.includes("I") ? (s.endsWith("I") && s.length === 3 ? 2 : 4) : 1, base)}u`)
    .join(" ");
