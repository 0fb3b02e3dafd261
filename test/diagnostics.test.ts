/** Excerpts: the line of a message with a caret, in what a failed compilation says of itself. */
import { compile, summary } from "../lib/compile.js";
import { diagnostic, excerpt } from "../lib/diagnostics.js";

const at = (line: number, column: number) => diagnostic("error", "x", { start: 0, end: 0, line, column });

test("the caret stands below its place, tabs and line ends of Windows included", () => {
  expect(excerpt(at(2, 4), "one\r\n\tab c\r\nthree")).toEqual([
    "     1 | one",
    ">    2 | \tab c",
    "       | \t  ^",
    "     3 | three",
  ]);
  expect(excerpt(at(1, 1), "only")).toEqual([">    1 | only", "       | ^"]);
});

test("a message without a place in the text has no excerpt", () => {
  expect(excerpt(diagnostic("error", "x"), "text")).toEqual([]);
  expect(excerpt(at(9, 1), "text")).toEqual([]);
});

test("a failed compilation shows the line at fault; warnings stay one line", () => {
  const text = [
    ".version 8.0",
    ".target sm_90",
    ".visible .entry k() {",
    "  .reg .b32 %r<3>;",
    "  add.s32 %r1, %r2, %r9;",
    "  ret;",
    "}",
  ].join("\n");
  const said = summary(compile(text, { target: "sm_90" }), "k.ptx").split("\n");
  const from = said.indexOf("ptxas k.ptx, line 5; error   : Unknown symbol '%r9'");
  expect(said.slice(from + 1, from + 5)).toEqual([
    "     4 |   .reg .b32 %r<3>;",
    ">    5 |   add.s32 %r1, %r2, %r9;",
    "       |                     ^",
    "     6 |   ret;",
  ]);
});
