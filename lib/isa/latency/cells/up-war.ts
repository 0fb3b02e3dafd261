/**
 * UP: least issue cycles from a read (second name) to the next write (first name); one column per SM:
 * 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121.
 * Written by tools/harvest-latency.ts from ../evidence/up-war.csv: edit the evidence, not this file.
 */
export default `
udp coupled     1  1  1  1  1  1  1  1  1  1  1  1
voteu coupled   2  2  2  2  2  2  2  2  2  2  2  2
udp uguard      1  1  1  1  1  1  1  1  1  1  1  1
voteu uguard    1  1  1  1  1  1  1  1  1  1  1  1
udp udp         1  1  1  1  1  1  1  1  1  1  1  1
voteu udp       2  2  2  2  2  2  2  2  2  2  2  2
udp bra         1  1  1  1  1  1  1  1  1  1  1  1
voteu bra       1  1  1  1  1  1  1  1  1  1  1  1
tour coupled    -  -  -  -  -  -  -  2  2  2  -  -
tour uguard     -  -  -  -  -  -  -  1  1  1  -  -
tour udp        -  -  -  -  -  -  -  2  2  2  -  -
tour bra        -  -  -  -  -  -  -  1  1  1  -  -
`;
