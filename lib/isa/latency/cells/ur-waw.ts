/**
 * UR: least issue cycles from a write (second name) to the next write (first name); one column per SM:
 * 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121.
 * Written by tools/harvest-latency.ts from ../evidence/ur-waw.csv: edit the evidence, not this file.
 */
export default `
r2ur udp      7  7  7  7  7  7  7  7  7  7  7  7
tour udp     11 11 11 11 11 11 11  7 11 11 11 11
udp udp       1  1  1  1  1  1  1  1  1  1  1  1
uldc udp      7  7  7  7  7  7  7  -  -  -  -  -
umov udp      7  7  7  7  7  7  7  7  7  7  7  7
voteu udp     7  7  7  7  7  7  7  7  7  7  7  7
r2ur uldc     1  1  1  1  1  1  1  -  -  -  -  -
tour uldc     4  4  4  4  4  4  4  -  -  -  -  -
udp uldc      1  1  1  1  1  1  1  -  -  -  -  -
uldc uldc     1  1  1  1  1  1  1  -  -  -  -  -
umov uldc     1  1  1  1  1  1  1  -  -  -  -  -
voteu uldc    1  1  1  1  1  1  1  -  -  -  -  -
r2ur umov     1  1  1  1  1  1  1  1  1  1  1  1
tour umov     4  4  4  4  4  4  4  4  4  4  4  4
udp umov      1  1  1  1  1  1  1  1  1  1  1  1
uldc umov     1  1  1  1  1  1  1  -  -  -  -  -
umov umov     1  1  1  1  1  1  1  1  1  1  1  1
voteu umov    1  1  1  1  1  1  1  1  1  1  1  1
r2ur voteu    1  1  1  1  1  1  1  1  1  1  1  1
tour voteu    4  4  4  4  4  4  4  4  4  4  4  4
udp voteu     1  1  1  1  1  1  1  1  1  1  1  1
uldc voteu    1  1  1  1  1  1  1  -  -  -  -  -
umov voteu    1  1  1  1  1  1  1  1  1  1  1  1
voteu voteu   1  1  1  1  1  1  1  1  1  1  1  1
elect elect   -  -  -  -  -  -  1  1  1  1  1  1
tour elect    -  -  -  -  -  -  4  4  4  4  4  4
r2ur elect    -  -  -  -  -  -  1  1  1  1  1  1
udp elect     -  -  -  -  -  -  1  1  1  1  1  1
uldc elect    -  -  -  -  -  -  1  -  -  -  -  -
umov elect    -  -  -  -  -  -  1  1  1  1  1  1
voteu elect   -  -  -  -  -  -  1  1  1  1  1  1
elect r2ur    -  -  -  -  -  - 11 11 11 11 11 11
tour r2ur     -  -  -  -  -  - 14 14 14 14 14 14
r2ur r2ur     -  -  -  -  -  -  1  1  1  1  1  1
udp r2ur      -  -  -  -  -  -  9  9  9  9  9  9
uldc r2ur     -  -  -  -  -  - 11  -  -  -  -  -
umov r2ur     -  -  -  -  -  - 11 11 11 11 11 11
voteu r2ur    -  -  -  -  -  - 11 11 11 11 11 11
elect udp     -  -  -  -  -  -  7  7  7  7  7  7
elect uldc    -  -  -  -  -  -  1  -  -  -  -  -
elect umov    -  -  -  -  -  -  1  1  1  1  1  1
elect voteu   -  -  -  -  -  -  1  1  1  1  1  1
elect tour    -  -  -  -  -  -  - 11 11  -  -  -
tour tour     -  -  -  -  -  -  -  8  8  -  -  -
r2ur tour     -  -  -  -  -  -  -  1  1  -  -  -
udp tour      -  -  -  -  -  -  -  9  9  -  -  -
umov tour     -  -  -  -  -  -  - 11 11  -  -  -
voteu tour    -  -  -  -  -  -  - 11 11  -  -  -
`;
