/** PTX versions and targets that ptxas 13.0.88 accepts, and the least version of each target (measured). */

export const VERSIONS: ReadonlySet<string> = new Set(
  (
    "1.0 1.1 1.2 1.3 1.4 1.5 2.0 2.1 2.2 2.3 3.0 3.1 3.2 4.0 4.1 4.2 4.3 5.0 5.1 6.0 6.1 6.2 6.3 6.4 6.5 " +
    "7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0"
  ).split(" "),
);

export const CURRENT_VERSION: string = "9.0";

/** Least PTX version of a .target, times ten. */
export const TARGET_VERSIONS: ReadonlyMap<string, number> = new Map(
  (
    "10:10 11:10 12:12 13:12 20:20 21:20 30:30 32:40 35:31 37:41 50:40 52:41 53:42 60:50 61:50 62:50 70:60 72:61 75:63 80:70 82:70 86:71 87:74 " +
    "88:90 89:78 90:78 90a:80 100:86 100a:86 100f:88 101:86 101a:86 101f:88 103:88 103a:88 103f:88 110:90 110a:90 110f:90 120:87 120a:87 120f:88 " +
    "121:88 121a:88 121f:88"
  )
    .split(" ")
    .map((row) => {
      const [name, version] = row.split(":");
      return [`sm_${name}`, Number(version)] as const;
    }),
);

export const TARGET_OPTIONS: ReadonlySet<string> = new Set([
  "texmode_unified",
  "texmode_independent",
  "debug",
  "map_f64_to_f32",
]);

/** Targets of one family: an `f` target runs on every later member. */
export function sameFamily(a: number, b: number): boolean {
  return Math.floor(a / 10) === Math.floor(b / 10);
}

export function smNumber(target: string): number {
  return Number(/^sm_(\d+)/.exec(target)?.[1] ?? 0);
}
