/** Token kinds; punctuation has its character code, two-character operators those below. */
export const T = {
  eof: 0,
  word: 1,
  /** `.word`; the scanner's `value` has no dot. */
  dotted: 2,
  int: 3,
  float: 4,
  string: 5,
  sink: 6,
  version: 7,
  dwarf: 8,
  unknown: 9,
  shl: 256,
  shr: 257,
  le: 258,
  ge: 259,
  eq: 260,
  ne: 261,
  and: 262,
  or: 263,
} as const;
