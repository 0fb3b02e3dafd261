/** The process after the clock: lines that come in pieces, out of turn, or not at all. */
import { LineProcess } from "../../lib/experiment/clock/process.js";

const shell = (script: string): LineProcess => new LineProcess(["sh", "-c", script]);

test("a line may come in pieces, after other words", async () => {
  const p = shell(`echo Welcome; printf '{"a"'; sleep 0.1; printf ':1}\\n'; cat`);
  expect(await p.ask(null, 5)).toEqual({ a: 1 });
  expect(await p.ask({ b: "é" }, 5)).toEqual({ b: "é" });
  p.stop();
});

test("a piece of a line at the end is no answer; the last word of the error output is told", async () => {
  expect(await shell(`printf '{"a":1}'; echo gone >&2; exit 3`).ask(null, 5)).toEqual({
    ended: "the process ended with exit status 3: gone",
  });
});

test("an answer that nobody asked for is not taken for that of the next question", async () => {
  const p = shell(`printf '{"a":1}\\n{"a":2}\\n'; cat`);
  expect(await p.ask(null, 5)).toEqual({ a: 1 });
  expect(await p.ask({ b: 1 }, 5)).toEqual({ ended: 'an answer to no question: {"a":2}' });
  expect(p.alive).toBe(false);
});
