/**
 * UP: least issue cycles from a write (second name) to a read (first name); one column per SM:
 * 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121.
 * Written by tools/harvest-latency.ts from ../evidence/up-raw.csv: edit the evidence, not this file.
 */
export default `
coupled udp     6  6  6  6  6  6  6  6  6  6  6  6
uguard udp     11 11 11 11 11 11 11 11 11 11 11 11
udp udp         4  4  4  4  4  4  4  4  4  4  4  4
bra udp         9  9  9  9  9  9  9  9  9  9  9  9
coupled voteu   1  1  1  1  1  1  1  1  1  1  1  1
uguard voteu    5  5  5  5  5  5  5  5  5  5  5  5
udp voteu       1  1  1  1  1  1  1  1  1  1  1  1
bra voteu       2  2  2  2  2  2  2  2  2  2  2  2
`;
