/**
 * Opcodes of sm_75 where bit 91 says nothing: a word with it set is the same instruction (facts/fields-sm75, both maps
 * compared). Encodings leave it clear.
 */
export const bit91Ignored: readonly number[] =
  "920 31c 31d 51d 91d b1d 95c 947 942 949 945 941 805 80d 91a 9ab 94d 822 94a b4a 94c 95b 34e 3a1 992 918 925 801 919 31f 389 589 989 f89 806 946 3c0 3c1"
    .split(" ")
    .map((code) => Number.parseInt(code, 16));
