import { readLines } from "../../lib/elf/cubin/lines";

/** A DWARF 2 line program: two directories' worth of names, one sequence. */
function lineTable(): Uint8Array {
  const text = (s: string): number[] => [...Buffer.from(`${s}\0`, "latin1")];
  const lengths = [0, 1, 1, 1, 1, 0, 0, 0, 1];
  const names = [...text("/src"), 0, ...text("k.cu"), 1, 0, 0, ...text("/abs/h.cuh"), 1, 0, 0, 0];
  const head = [1, 1, 0xfb, 14, 10, ...lengths, ...names];
  const program = [
    ...[0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0], // set_address
    ...[3, 7, 1], // line 8, row
    ...[4, 2, 2, 16, 1], // file 2, 16 bytes on, row
    ...[4, 9, 2, 16, 1], // a file that the table does not have
    ...[2, 16, 0, 1, 1], // end_sequence
  ];
  const word = (n: number): number[] => [n & 255, (n >> 8) & 255, 0, 0];
  return Uint8Array.from([...word(6 + head.length + program.length), 2, 0, ...word(head.length), ...head, ...program]);
}

test("rows with the path of their file", () => {
  expect(readLines(lineTable(), () => 5)).toEqual([
    { symbol: 5, offset: 0, file: 1, line: 8, path: "/src/k.cu" },
    { symbol: 5, offset: 16, file: 2, line: 8, path: "/abs/h.cuh" },
    { symbol: 5, offset: 32, file: 9, line: 8, path: "" },
  ]);
});

test("cut off anywhere: fewer rows, never an exception", () => {
  const whole = lineTable();
  for (let size = 0; size < whole.length; size++)
    expect(readLines(whole.slice(0, size), () => 5).length).toBeLessThanOrEqual(3);
});

test("a table of names that lies after its own end has no names", () => {
  const bytes = lineTable();
  const lengths = bytes.indexOf(10, 10);
  bytes[lengths] = 0xfb;
  expect(readLines(bytes, () => 5).every((row) => row.path === "")).toBe(true);
});
