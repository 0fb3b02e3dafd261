/**
 * UR: least issue cycles from a write (second name) to a read (first name); one column per SM:
 * 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121.
 * Written by tools/harvest-latency.ts from ../evidence/ur-raw.csv: edit the evidence, not this file.
 */
export default `
coupled udp       6  6  6  6  6  6  6  6  6  6  6  6
bindless udp     12 12 12 12 12 12 12 12 12 12 12 12
decoupled udp     9  9  9  9  9  9  9  9  9  9  9  9
udp udp           4  4  4  4  4  4  4  4  4  4  4  4
uldc udp         12 12 12 12 12 12 12 12 12 12 12 12
umov udp          7  7  7  7  7  7  7  7  7  7  7  7
branch udp        9 10 10 10 10 10 10 10 10 10 10 10
coupled uldc      2  2  2  2  2  2  2  -  -  -  -  -
bindless uldc     5  5  5  5  5  5  5  -  -  -  -  -
decoupled uldc    2  2  2  2  2  2  2  -  -  -  -  -
udp uldc          2  2  2  2  2  2  2  -  -  -  -  -
uldc uldc         5  5  5  5  5  5  5  -  -  -  -  -
umov uldc         2  2  2  2  2  2  2  -  -  -  -  -
branch uldc       3  3  3  3  3  3  3  -  -  -  -  -
coupled umov      2  2  2  2  2  2  2  2  2  2  2  2
bindless umov     5  5  5  5  5  5  5  5  5  5  5  5
decoupled umov    2  2  2  2  2  2  2  2  2  2  2  2
udp umov          2  2  2  2  2  2  2  2  2  2  2  2
uldc umov         5  5  5  5  5  5  5  5  5  5  5  5
umov umov         2  2  2  2  2  2  2  2  2  2  2  2
branch umov       3  3  3  3  3  3  3  3  3  3  3  3
coupled voteu     2  2  2  2  2  2  2  2  2  2  2  2
bindless voteu    5  5  5  5  5  5  5  5  5  5  5  5
decoupled voteu   2  2  2  2  2  2  2  2  2  2  2  2
udp voteu         2  2  2  2  2  2  2  2  2  2  2  2
uldc voteu        5  5  5  5  5  5  5  5  5  5  5  5
umov voteu        2  2  2  2  2  2  2  2  2  2  2  2
branch voteu      3  3  3  3  3  3  3  3  3  3  3  3
h2mma udp         -  9  9  9  9  9  9  -  -  -  -  -
h2mma uldc        -  2  2  2  2  2  2  -  -  -  -  -
h2mma umov        -  2  2  2  2  2  2  -  -  -  -  -
h2mma voteu       -  2  2  2  2  2  2  -  -  -  -  -
coupled elect     -  -  -  -  -  -  2  2  2  2  2  2
bindless elect    -  -  -  -  -  -  5  5  5  5  5  5
elect elect       -  -  -  -  -  -  2  2  2  2  2  2
h2mma elect       -  -  -  -  -  -  2  -  -  -  -  -
decoupled elect   -  -  -  -  -  -  2  2  2  2  2  2
udp elect         -  -  -  -  -  -  2  2  2  2  2  2
uldc elect        -  -  -  -  -  -  5  5  5  5  5  5
umov elect        -  -  -  -  -  -  2  2  2  2  2  2
branch elect      -  -  -  -  -  -  3  3  3  3  3  3
coupled r2ur      -  -  -  -  -  - 13 13 13 13 13 13
bindless r2ur     -  -  -  -  -  - 15 15 15 15 15 15
elect r2ur        -  -  -  -  -  - 13 13 13 13 13 13
h2mma r2ur        -  -  -  -  -  - 13  -  -  -  -  -
decoupled r2ur    -  -  -  -  -  - 13 13 13 13 13 13
udp r2ur          -  -  -  -  -  - 13 13 13 13 13 13
uldc r2ur         -  -  -  -  -  - 15 14 14 14 14 14
umov r2ur         -  -  -  -  -  - 13 13 13 13 13 13
branch r2ur       -  -  -  -  -  - 13 13 13 13 13 13
elect udp         -  -  -  -  -  -  8  8  8  8  8  8
elect uldc        -  -  -  -  -  -  2  -  -  -  -  -
elect umov        -  -  -  -  -  -  2  2  2  2  2  2
elect voteu       -  -  -  -  -  -  2  2  2  2  2  2
coupled tour      -  -  -  -  -  -  - 13 13  -  -  -
bindless tour     -  -  -  -  -  -  - 15 15  -  -  -
elect tour        -  -  -  -  -  -  - 13 13  -  -  -
decoupled tour    -  -  -  -  -  -  - 13 13  -  -  -
udp tour          -  -  -  -  -  -  - 13 13  -  -  -
uldc tour         -  -  -  -  -  -  - 15 15  -  -  -
umov tour         -  -  -  -  -  -  - 13 13  -  -  -
branch tour       -  -  -  -  -  -  - 13 13  -  -  -
cmma elect        -  -  -  -  -  -  -  -  -  -  2  2
cmma r2ur         -  -  -  -  -  -  -  -  -  - 13 13
cmma udp          -  -  -  -  -  -  -  -  -  -  6  6
cmma umov         -  -  -  -  -  -  -  -  -  -  2  2
cmma voteu        -  -  -  -  -  -  -  -  -  -  2  2
`;
