import { compile } from "../../lib/compile";
import { refusedLines, refusedModule } from "./refused-lines";

test("each line's first message", () => {
  const { text, first } = refusedModule();
  const said = compile(text, { target: "sm_100a" }).diagnostics;
  const of = (k: number): string | undefined => said.find((d) => d.span?.line === first + k)?.message;
  expect(refusedLines.map(([line], k) => [line, of(k)])).toEqual(refusedLines.map((l) => [...l]));
});
