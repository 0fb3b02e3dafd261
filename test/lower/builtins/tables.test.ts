/** The tables of built-in operations and of ptxas's own functions, against the wiki's pages 53 and 54. */
import { createHash } from "node:crypto";
import { intrinsics } from "../../../lib/lower/builtins/intrinsics";
import { ocgBuiltins } from "../../../lib/lower/builtins/ocg";

/** Read off the appendix of page 53: all names in the order of their numbers, one a line. */
const NAMES = "1da6f405075915c2f82141eb3b3b678ded8664f0fd7cd5d839ac16272e966f8e";

test("all 607 names in the wiki's order", () => {
  expect(intrinsics).toHaveLength(607);
  const text = intrinsics.map((i) => i.name).join("\n");
  expect(createHash("sha256").update(text).digest("hex")).toBe(NAMES);
});

/** Page 53, "Complete ID Allocation": first, last. */
test.each([
  ["__cuda_reduxsync_", 0x001, 0x011, 70],
  ["__cuda_sanitizer_memcheck_", 0x012, 0x018, null],
  ["__cuda_scalar_video_emulation_", 0x019, 0x01f, 20],
  ["__cuda_sm10x_", 0x020, 0x02a, 100],
  ["__cuda_sm1xx_", 0x02b, 0x03c, 90],
  ["__cuda_sm20_", 0x03d, 0x082, 20],
  ["__cuda_sm3x_div_", 0x083, 0x086, 30],
  ["__cuda_sm62_", 0x087, 0x088, 62],
  ["__cuda_sm70_", 0x089, 0x211, 70],
  ["__cuda_sm80_", 0x212, 0x214, 80],
  ["__cuda_sm_10x_", 0x215, 0x21e, 100],
  ["__cuda_sm_8x_", 0x21f, 0x22c, 80],
  ["__cuda_sm_9x_", 0x22d, 0x25f, 90],
])("%s", (prefix, first, last, sm) => {
  const rows = intrinsics.filter((i) => i.name.startsWith(prefix));
  expect(rows.map((i) => i.id)).toEqual(Array.from({ length: last - first + 1 }, (_, k) => first + k));
  expect(new Set(rows.map((i) => i.sm))).toEqual(new Set([sm]));
});

/** Page 54, "Category Summary". */
test("44 operations in the wiki's categories", () => {
  const categories: readonly (readonly [number, string])[] = [
    [3, "add mnmx viadd"],
    [5, "fadd2 ffma2 fmul2 fmax3 fmin3"],
    [6, "viaddmax viaddmin vimax vimin vimax3 vimin3"],
    [6, "cp_async_commit cp_async_wait cp_async_bulk cp_red_async_bulk cp_async_tensor cp_async_prefetch_tensor"],
    [6, "ld_mc ldc s2r write_async cctl_c cache"],
    [2, "red_async fence_view_async"],
    [8, "tcbar mmareadshma tccp tcmma tcshift tcatomsws tcldsws tcstsws"],
    [2, "ldtm sttm"],
    [6, "acqblk preexit getnextworkid virtcount memclear acqshminit"],
  ];
  for (const [count, names] of categories) expect(names.split(" ")).toHaveLength(count);
  const all = categories.flatMap(([, names]) => names.split(" "));
  expect(ocgBuiltins.map((b) => b.name).sort()).toEqual(all.sort());
  expect(ocgBuiltins.filter((b) => b.lowered)).toHaveLength(8);
});
