/**
 * Distances that NVIDIA gave to Mesa NAK (src/nouveau/compiler/nak/sm75_instr_latencies.rs and sm80_…, commit 00fe8e45;
 * src/nouveau/compiler/latencies/sm100, commit 477533ee), in the names of our ports. They stand in for cells that no code of
 * ptxas shows. `a+p` is the sum that holds when the first write is under a predicate.
 */
type Generation = "75" | "80" | "100";

const rawR: Readonly<Record<Generation, string>> = {
  75: `
           alu disp64 fma widel wideh fp16 fp16f hfma2mma fp64 mmac
alu        4   6      5   3     5     8    8     10       9    22
fma        5   6      4   2     4     8    8     10       9    22
wideab     5   6      4   4     6     8    8     10       9    22
widecl     5   6      4   2     2     8    8     10       9    22
widech     3   4      2   2     2     6    6     8        7    20
fp16       6   6      6   6     6     6    6     10       9    22
fp16f      6   6      6   6     6     6    6     10       9    22
hfma2mma   6   6      6   6     6     6    6     6        9    22
fp64       6   6      6   6     6     8    8     8        8    22
mma        6   6      6   6     6     8    8     8        9    22
dmma       6   6      6   6     6     8    8     8        9    22
branch     6   6      6   6     6     8    8     8        9    22
decoupled  6   6      6   6     6     8    8     8        9    22
agu        8   8      8   8     8     8    8     8        9    22
`,
  80: `
           alu disp64 fma widel wideh fp16 fp16f hfma2mma fp64 mmaa mmab mmac
alu        4   6      5   3     5     5    5     10       10   13   13   17
fma        5   6      4   2     4     5    5     10       10   13   13   17
wideab     5   6      4   4     6     5    5     10       10   13   13   17
widecl     5   6      4   2     4     5    5     10       10   13   13   17
widech     3   4      2   2     2     3    3     8        8    11   11   15
fp16       5   6      5   3     5     5    5     10       10   13   13   17
fp16f      5   6      5   3     5     5    5     10       10   13   13   17
hfma2mma   6   6      6   6     6     6    6     6        6    13   13   17
fp64       6   6      6   6     6     6    6     6        6    13   13   17
mma        7   7      7   7     7     7    7     11       11   14   14   18
dmma       7   7      7   7     7     7    7     11       11   14   14   18
branch     4   4      4   4     4     4    4     6        6    11   11   15
decoupled  4   4      4   4     4     4    4     6        6    11   11   15
agu        5   5      5   5     5     5    5     7        7    12   12   16
`,
  100: `
           alu disp64 fma widel wideh fp16 fp16f hfma2mma fp64 mmac
alu        4   6      5   3     5     5    5     10       10   19
fma        5   6      4   2     4     5    5     10       10   19
wideab     5   6      4   4     6     5    5     10       10   19
widecl     5   6      4   2     4     5    5     10       10   19
widech     3   4      2   2     2     3    3     8        8    19
fp16       5   6      5   3     5     4    5     10       10   19
fp16f      5   6      5   3     5     5    5     10       10   19
hfma2mma   6   6      6   6     6     6    6     8        10   19
fp64       6   6      6   6     6     6    6     8        8    19
mma        7   7      7   7     7     7    7     11       11   20
dmma       7   7      7   7     7     7    7     11       11   20
branch     4   4      4   4     4     4    4     6        6    19
decoupled  4   4      4   4     4     4    4     6        6    19
agu        5   5      5   5     5     5    5     7        7    19
`,
};

const wawR: Readonly<Record<Generation, string>> = {
  75: `
           alu disp64 fma widel wideh fp16 fp16f fp64 mmac
alu        1   2      1   1     1     4    4     5    18
disp64     1   1      1   1     1     3    3     4    17
fma        1   2      1   1     2     4    4     5    18
widel      3   4      2   1     1     6    6     7    20
wideh      1   2      1   1     1     4    4     5    18
fp16       2   2      2   2     2     1    1     2    16
fp16f      2   2      2   2     2     1    1     2    16
fp64       2   2      2   2     2     2    2     1    14
mmac       2   2      2   2     2     4    4     5    18
decoupled  6   6      6   6     6     6    6     6    14
`,
  80: `
           alu disp64 fma widel wideh fp16 fp16f hfma2mma fp64 mmaa mmab mmac
alu        1   2      1   1     1     1    1     6        6    9    9    13
disp64     1   1      1   1     1     1    1     4        4    8    8    12
fma        1   2      1   1     2     1    1     6        6    9    9    13
widel      3   4      2   1     2     3    3     8        8    11   11   15
wideh      1   2      1   1     1     1    1     6        6    9    9    13
fp16       1   2      1   1     1     1    1     6        6    9    9    13
fp16f      1   1      1   1     1     1    1     5        5    8    8    12
hfma2mma   1   1      1   1     1     1    1     2        3    8    8    12
fp64       1   1      1   1     1     1    1     2        2    7    7    11
mmaa       2   2      2   2     2     2    2     2        2    4    4    8
mmab       2   2      2   2     2     2    2     2        2    4    4    8
mmac       2   2      2   2     2     2    2     2        2    4    4    8
decoupled  6   6      6   6     6     6    6     10       10   13   13   17
`,
  100: `
           alu disp64 fma widel wideh fp16 fp16f hfma2mma fp64 mmac
alu        1   2      1   1     1     1    1     6        6    16
disp64     1   1      1   1     1     1    1     4        4    15
fma        1   2      1   1     2     1    1     6        6    17
widel      3   4      2   1     2     3    3     8        8    17
wideh      1   2      1   1     1     1    1     6        6    17
fp16       1   2      1   1     1     1    1     6        6    16
fp16f      1   1      1   1     1     1    1     5        5    16
hfma2mma   1   1      1   1     1     1    1     1        3    14
fp64       1   1      1   1     1     1    1     2        1    13
mmac       2   2      2   2     2     2    2     2        2    1
decoupled  6   6      6   6     6     6    6     10       10   19
`,
};

const rawP: Readonly<Record<Generation, string>> = {
  75: `
           alu vote r2p r2ur fma fp16 fp64
alu        4   4    4   5    5   8    9
disp       12  12   12  12   12  14   15
fma        5   5    5   5    4   8    9
fp16       12  12   12  12   12  6    15
fp64       12  12   12  12   12  14   8
guard      12  12   12  12   12  14   15
`,
  80: `
           alu vote r2p r2ur fma fp16 hfma2mma fp64
alu        4   4    5   8    5   5    6        6
disp       13  13   13  13   13  13   14       14
fma        5   5    5   13   4   5    6        6
fp16       13  13   13  13   13  5    14       14
hfma2mma   13  13   13  13   13  13   6        6
fp64       13  13   13  13   13  13   6        6
guard      13  13   13  13   13  13   14       14
`,
  100: `
           alu vote elect r2p r2ur fma fp16 hfma2mma fp64
alu        4   4    13    5   8    5   5    6        6
disp       13  13   13    13  13   13  13   14       14
fma        5   5    13    5   13   4   5    6        6
fp16       13  13   13    13  13   13  5    14       14
hfma2mma   13  13   13    13  13   13  13   6        6
fp64       13  13   13    13  13   13  13   6        6
guard      13  13   13    13  13   13  13   14       14
`,
};

const wawP: Readonly<Record<Generation, string>> = {
  75: `
           alu vote r2p r2ur fma fp16 fp64
alu        1   1    1   8    1   4    5
vote       1   1    1   8    1   4    5
r2p        1   1    1   8    1   4    5
r2ur       1   1    1   1    1   4    5
fma        3   3    3   9    2   6    7
fp16       6   6    6   6    6   1    9
fp64       4   4    4   4    4   6    1
decoupled  2   2    2   2    2   2    2
`,
  80: `
           alu vote r2p r2ur fma fp16 hfma2mma fp64
alu        1   1    1   8    1   1    2        2
vote       1   1    1   8    1   1    2        2
r2p        1   1    1   8    1   1    2        2
r2ur       1   1    1   1    1   1    2        2
fma        1   1    1   9    1   1    2        2
fp16       9   9    9   9    9   1    10       10
hfma2mma   7   7    7   7    7   7    1        1
fp64       7   7    7   7    7   7    1        1
decoupled  12  12   12  12   12  12   13       13
`,
  100: `
           alu vote elect r2p r2ur fma fp16 hfma2mma fp64
alu        1   1    1     1   8    1   1    2        2
vote       1   1    1     1   8    1   1    2        2
elect      1   1    1     1   8    1   1    2        2
r2p        1   1    1     1   8    1   1    2        2
r2ur       1   1    1     1   1    1   1    2        2
fma        1   1    1     1   9    1   1    2        2
fp16       8   8    8     8   8    8   1    9        9
hfma2mma   7   7    7     7   7    7   7    1        1
fp64       7   7    7     7   7    7   7    1        1
decoupled  12  12   12    12  12   12  12   13       13
`,
};

const rawUR = `
           udp uldc umov elect r2ur tour voteu
coupled    6   2    2    2     13   13   2
cmma       6   2    2    2     13   13   2
h2mma      9   2    2    2     13   13   2
decoupled  9   2    2    2     13   13   2
branch     10  3    3    3     13   13   3
bindless   12  5    5    5     15   15   5
udp        4   2    2    2     13   13   2
uldc       12  5    5    5     15   15   5
umov       7   2    2    2     13   13   2
elect      8   2    2    2     13   13   2
`;
const wawUR = `
           udp uldc umov elect r2ur tour voteu
udp        1   1    1    1     9    9    1
uldc       7   1    1    1     11   11   1
umov       7   1    1    1     11   11   1
elect      7   1    1    1     11   11   1
r2ur       7   1    1    1     1    1    1
tour       11  4    4    4     14   14   4
voteu      7   1    1    1     11   11   1
`;
const warUR = `
           coupled cmma decoupled branch bindless h2mma udp uldc umov elect
tour       1       1    1         1      1        1     1   1    1    1
r2ur       1       1    1         1      1        1     1   1    1    1
udp        1       1    1         1      1        1     1   1    1    1
uldc       1       1    1         1      1        1     3   1    1    1
umov       1       1    1         1      1        1     3   1    1    1
elect      1       1    1         1      1        1     3   1    1    1
voteu      1       1    1         1      1        1     3   1    1    1
`;
const rawUP = `
           udp voteu
coupled    6   1
udp        4   1
bra        9   2
uguard     11  5
`;
const wawUP = `
           udp voteu
udp        1   1
voteu      7   1
`;
const warUP = `
           coupled udp uguard bra
udp        1       1   1      1
voteu      2       2   1      1
`;

const parsed = new Map<string, Map<string, number>>();

function cells(text: string): Map<string, number> {
  let m = parsed.get(text);
  if (m) return m;
  m = new Map();
  const [head, ...body] = text.split("\n").filter((l) => l.trim() !== "");
  const columns = head!.trim().split(/\s+/);
  for (const line of body) {
    const [row, ...values] = line.trim().split(/\s+/);
    for (const [k, v] of values.entries()) m.set(`${columns[k]} ${row}`, Number(v));
  }
  parsed.set(text, m);
  return m;
}

/** Ports of later SMs that keep the order of writes as the one they came from. */
function plain(port: string): string {
  return port === "alu5" || port === "alu64" ? "alu" : port === "fma2" ? "fma" : port;
}

/** The published distance from an earlier port to a later one, null when there is none. Hopper has no published table: 100's. */
export function published(kind: string, file: string, first: string, second: string, sm: number): number | null {
  // The tensor pipe is slower in the code of ptxas than published.
  if (sm >= 80 && first.startsWith("mma")) return null;
  const g: Generation = sm === 75 ? "75" : sm < 90 ? "80" : "100";
  const tables: Record<string, string> = {
    "raw R": rawR[g],
    "waw R": wawR[g],
    "raw P": rawP[g],
    "waw P": wawP[g],
    "raw UR": rawUR,
    "waw UR": wawUR,
    "war UR": warUR,
    "raw UP": rawUP,
    "waw UP": wawUP,
    "war UP": warUP,
  };
  const text = tables[`${kind} ${file}`];
  // Products in two passes read as those in one.
  const reader = second === "mma2" ? "mma" : second;
  // From sm_103 on 64-bit results come by scoreboard, which this table knows of no fp64.
  const writer = second === "fp64" && sm >= 103 ? "decoupled" : plain(second);
  const at = kind === "waw" ? `${plain(first)} ${writer}` : `${first} ${reader}`;
  return text === undefined ? null : (cells(text).get(at) ?? null);
}
