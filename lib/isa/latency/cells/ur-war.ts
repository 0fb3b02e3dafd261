/**
 * UR: least issue cycles from a read (second name) to the next write (first name); one column per SM:
 * 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121.
 * Written by tools/harvest-latency.ts from ../evidence/ur-war.csv: edit the evidence, not this file.
 */
export default `
r2ur coupled      1  1  1  1  1  1  1  1  1  1  1  1
tour coupled      1  1  1  1  1  1  1  1  1  1  1  1
udp coupled       1  1  1  1  1  1  1  1  1  1  1  1
uldc coupled      1  1  1  1  1  1  1  -  -  -  -  -
umov coupled      1  1  1  1  1  1  1  1  1  1  1  1
voteu coupled     1  1  1  1  1  1  1  1  1  1  1  1
r2ur bindless     1  1  1  1  1  1  1  1  1  1  1  1
tour bindless     1  1  1  1  1  1  1  1  1  1  1  1
udp bindless      1  1  1  1  1  1  1  1  1  1  1  1
uldc bindless     1  1  1  1  1  1  1  -  -  -  -  -
umov bindless     1  1  1  1  1  1  1  1  1  1  1  1
voteu bindless    1  1  1  1  1  1  1  1  1  1  1  1
r2ur udp          1  1  1  1  1  1  1  1  1  1  1  1
tour udp          1  1  1  1  1  1  1  1  1  1  1  1
udp udp           1  1  1  1  1  1  1  1  1  1  1  1
uldc udp          3  3  3  3  3  3  3  -  -  -  -  -
umov udp          3  3  3  3  3  3  3  3  3  3  3  3
voteu udp         3  3  3  3  3  3  3  3  3  3  3  3
r2ur uldc         1  1  1  1  1  1  1  1  1  1  1  1
tour uldc         1  1  1  1  1  1  1  1  1  1  1  1
udp uldc          1  1  1  1  1  1  1  1  1  1  1  1
uldc uldc         1  1  1  1  1  1  1  -  -  -  -  -
umov uldc         1  1  1  1  1  1  1  1  1  1  1  1
voteu uldc        1  1  1  1  1  1  1  1  1  1  1  1
r2ur umov         1  1  1  1  1  1  1  1  1  1  1  1
tour umov         1  1  1  1  1  1  1  1  1  1  1  1
udp umov          1  1  1  1  1  1  1  1  1  1  1  1
uldc umov         1  1  1  1  1  1  1  -  -  -  -  -
umov umov         1  1  1  1  1  1  1  1  1  1  1  1
voteu umov        1  1  1  1  1  1  1  1  1  1  1  1
r2ur branch       1  1  1  1  1  1  1  1  1  1  1  1
tour branch       1  1  1  1  1  1  1  1  1  1  1  1
udp branch        1  1  1  1  1  1  1  1  1  1  1  1
uldc branch       1  1  1  1  1  1  1  -  -  -  -  -
umov branch       1  1  1  1  1  1  1  1  1  1  1  1
voteu branch      1  1  1  1  1  1  1  1  1  1  1  1
r2ur h2mma        -  1  1  1  1  1  1  -  -  -  -  -
tour h2mma        -  1  1  1  1  1  1  -  -  -  -  -
udp h2mma         -  1  1  1  1  1  1  -  -  -  -  -
uldc h2mma        -  1  1  1  1  1  1  -  -  -  -  -
umov h2mma        -  1  1  1  1  1  1  -  -  -  -  -
voteu h2mma       -  1  1  1  1  1  1  -  -  -  -  -
elect coupled     -  -  -  -  -  -  1  1  1  1  1  1
elect bindless    -  -  -  -  -  -  1  1  1  1  1  1
elect elect       -  -  -  -  -  -  1  1  1  1  1  1
tour elect        -  -  -  -  -  -  1  1  1  1  1  1
r2ur elect        -  -  -  -  -  -  1  1  1  1  1  1
udp elect         -  -  -  -  -  -  1  1  1  1  1  1
uldc elect        -  -  -  -  -  -  1  -  -  -  -  -
umov elect        -  -  -  -  -  -  1  1  1  1  1  1
voteu elect       -  -  -  -  -  -  1  1  1  1  1  1
elect h2mma       -  -  -  -  -  -  1  -  -  -  -  -
elect decoupled   -  -  -  -  -  -  1  1  1  1  1  1
tour decoupled    -  -  -  -  -  -  1  1  1  1  1  1
r2ur decoupled    -  -  -  -  -  -  1  1  1  1  1  1
udp decoupled     -  -  -  -  -  -  1  1  1  1  1  1
uldc decoupled    -  -  -  -  -  -  1  -  -  -  -  -
umov decoupled    -  -  -  -  -  -  1  1  1  1  1  1
voteu decoupled   -  -  -  -  -  -  1  1  1  1  1  1
elect udp         -  -  -  -  -  -  3  3  3  3  3  3
elect uldc        -  -  -  -  -  -  1  1  1  1  1  1
elect umov        -  -  -  -  -  -  1  1  1  1  1  1
elect branch      -  -  -  -  -  -  1  1  1  1  1  1
elect cmma        -  -  -  -  -  -  -  -  -  -  1  1
tour cmma         -  -  -  -  -  -  -  -  -  -  1  1
r2ur cmma         -  -  -  -  -  -  -  -  -  -  1  1
udp cmma          -  -  -  -  -  -  -  -  -  -  1  1
umov cmma         -  -  -  -  -  -  -  -  -  -  1  1
voteu cmma        -  -  -  -  -  -  -  -  -  -  1  1
`;
