/**
 * P: least issue cycles from a write (second name) to a read (first name); one column per SM:
 * 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121.
 * Written by tools/harvest-latency.ts from ../evidence/p-raw.csv: edit the evidence, not this file.
 */
export default `
guard alu      12 13 13 13 13 13 13 13 13 13 13 13
alu alu         4  4  4  4  4  4  4  4  4  4  4  4
disp alu       12 13 13 13 13 13 13 13 13 13 13 13
fma alu         5  5  5  5  5  5  5  5  5  5  5  5
fp16 alu       12 13 13 13 13 13 13 13  5 13  5  5
fp64 alu       12 13 13 13 13 13 13 13 13 13 13 13
guard vote     12 13 13 13 13 13 13 13 13 13 13 13
alu vote        4  4  4  4  4  4  4  4  4  4  4  5
disp vote      12 13 13 13 13 13 13 13 13 13 13 13
fma vote        5  5  5  5  5  5  5  5  5  5  5  5
fp16 vote      12 13 13 13 13 13 13 13  5 13  5  5
fp64 vote      12 13 13 13 13 13 13 13 13 13 13 13
guard r2p      12 13 13 13 13 13 13 13 13 13 13 13
alu r2p         5  5  5  5  5  5  5  5  5  5  5  5
disp r2p       12 13 13 13 13 13 13 13 13 13 13 13
fma r2p         5  5  5  5  5  5  5  5  5  5  5  5
fp16 r2p       12 13 13 13 13 13 13 13 13 13 13 13
fp64 r2p       12 13 13 13 13 13 13 13 13 13 13 13
guard fma      12 13 13 13 13 13 13 13 13 13 13 13
alu fma         5  5  5  5  5  5  5  5  5  5  5  5
disp fma       12 13 13 13 13 13 13 13 13 13 13 13
fma fma         4  4  4  4  4  4  4  4  4  4  4  4
fp16 fma       12 13 13 13 13 13 13 13  5 13 13 13
fp64 fma       12 13 13 13 13 13 13 13 13 13 13 13
guard fp16     14 13 13 13 13 13 13 13 13 13 13 13
alu fp16        8  5  5  5  5  5  5  5  4  5  4  4
disp fp16      14 13 13 13 13 13 13 13 13 13 13 13
fma fp16        8  5  5  5  5  5  5  5  5  5  5  5
fp16 fp16       6  5  5  5  5  5  5  5  5  5  5  5
fp64 fp16      14 13 13 13 13 13 13 13 13 13 13 13
hfma2mma alu    - 13 13 13 13 13 13  -  -  -  -  -
hfma2mma vote   - 13 13 13 13 13 13  -  -  -  -  -
hfma2mma r2p    - 13 13 13 13 13 13  -  -  -  -  -
hfma2mma fma    - 13 13 13 13 13 13  -  -  -  -  -
hfma2mma fp16   - 13 13 13 13 13 13  -  -  -  -  -
guard fp64      -  -  -  -  -  - 14 14  -  -  -  -
alu fp64        -  -  -  -  -  -  6  6  -  -  -  -
disp fp64       -  -  -  -  -  - 14 14  -  -  -  -
fma fp64        -  -  -  -  -  -  6  6  -  -  -  -
fp16 fp64       -  -  -  -  -  - 14 14  -  -  -  -
hfma2mma fp64   -  -  -  -  -  -  6  -  -  -  -  -
fp64 fp64       -  -  -  -  -  -  6  6  -  -  -  -
guard r2ur      -  -  -  -  -  - 13 13 13 13 13 13
alu r2ur        -  -  -  -  -  -  8  8  8  8  8  8
disp r2ur       -  -  -  -  -  - 13 13 13 13 13 13
fma r2ur        -  -  -  -  -  - 13 13 13 13 13 13
fp16 r2ur       -  -  -  -  -  - 13 13 13 13 13 13
hfma2mma r2ur   -  -  -  -  -  - 13  -  -  -  -  -
fp64 r2ur       -  -  -  -  -  - 13 13 13 13 13 13
alu5 alu        -  -  -  -  -  -  -  -  -  -  5  5
guard alu5      -  -  -  -  -  -  -  -  -  - 13 13
alu alu5        -  -  -  -  -  -  -  -  -  -  5  5
alu5 alu5       -  -  -  -  -  -  -  -  -  -  5  5
disp alu5       -  -  -  -  -  -  -  -  -  - 13 13
fma alu5        -  -  -  -  -  -  -  -  -  - 13 13
fp16 alu5       -  -  -  -  -  -  -  -  -  -  5  5
fp64 alu5       -  -  -  -  -  -  -  -  -  - 13 13
guard alu64     -  -  -  -  -  -  -  -  -  - 14 14
alu alu64       -  -  -  -  -  -  -  -  -  -  5  5
alu5 alu64      -  -  -  -  -  -  -  -  -  -  6  6
disp alu64      -  -  -  -  -  -  -  -  -  - 14 14
fma alu64       -  -  -  -  -  -  -  -  -  - 14 14
fp16 alu64      -  -  -  -  -  -  -  -  -  -  7  7
fp64 alu64      -  -  -  -  -  -  -  -  -  - 14 14
alu5 vote       -  -  -  -  -  -  -  -  -  -  5  5
alu5 r2p        -  -  -  -  -  -  -  -  -  -  5  5
alu5 fma        -  -  -  -  -  -  -  -  -  -  5  5
alu5 fp16       -  -  -  -  -  -  -  -  -  -  5  5
alu5 r2ur       -  -  -  -  -  -  -  -  -  - 13 13
`;
