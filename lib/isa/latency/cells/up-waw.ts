/**
 * UP: least issue cycles from a write (second name) to the next write (first name); one column per SM:
 * 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121.
 * Written by tools/harvest-latency.ts from ../evidence/up-waw.csv: edit the evidence, not this file.
 */
export default `
udp udp       1  1  1  1  1  1  1  1  1  1  1  1
voteu udp     7  7  7  7  7  7  7  7  7  7  7  7
udp voteu     1  1  1  1  1  1  1  1  1  1  1  1
voteu voteu   1  1  1  1  1  1  1  1  1  1  1  1
tour udp      -  -  -  -  -  -  -  7  7  7  -  -
tour voteu    -  -  -  -  -  -  -  1  1  1  -  -
`;
