/** Progress in cells: rate and time left, nothing of short work, and a line that goes when the work ends. */
import { CellProgress, progress, timeText } from "../../lib/view/index.js";

test("rate is that of the fresh ones, and so is the time left", () => {
  const state = { title: "Sweep s", unit: "points", total: 2000, done: 600, known: 500, seconds: 10 };
  expect(progress(state).text).toBe("Sweep s: 600 of 2,000 points, 10 per second, 2 min 20 s left");
  expect(progress({ ...state, done: 500 }).text).toBe("Sweep s: 500 of 2,000 points, 0.0 per second");
  expect(progress(state).html).toContain("width:30%");
});

test("times as people say them", () => {
  expect([0.4, 59.4, 61, 7500].map(timeText)).toEqual(["0 s", "59 s", "1 min 1 s", "2 h 5 min"]);
});

/** What a cell would be shown: text and whether it takes the place of the one before. */
function inCell(body: (tick: (ms: number) => void) => void): [string, boolean][] {
  const hook = Symbol.for("ptxlab.display");
  const shown: [string, boolean][] = [];
  jest.useFakeTimers();
  (globalThis as Record<symbol, unknown>)[hook] = async (v: { text: string }, o: { update?: boolean }) => {
    shown.push([v.text, o.update === true]);
  };
  try {
    body((ms) => jest.advanceTimersByTime(ms));
  } finally {
    delete (globalThis as Record<symbol, unknown>)[hook];
    jest.useRealTimers();
  }
  return shown;
}

test("short work shows nothing", () => {
  const shown = inCell((tick) => {
    const p = new CellProgress("Sweep", "points", 2);
    p.add();
    tick(900);
    p.add();
    p.end();
  });
  expect(shown).toEqual([]);
});

test("longer work renews one line, at most twice a second, and takes it away", () => {
  const shown = inCell((tick) => {
    const p = new CellProgress("Sweep", "points", 100);
    for (let i = 0; i < 20; i++) {
      tick(100);
      p.add();
    }
    p.end();
  });
  expect(shown).toEqual([
    ["Sweep: 10 of 100 points, 10 per second, 9 s left", false],
    ["Sweep: 15 of 100 points, 10 per second, 9 s left", true],
    ["Sweep: 20 of 100 points, 10 per second, 8 s left", true],
    ["", true],
  ]);
});

test("outside of notebooks nothing is shown", () => {
  const log = jest.spyOn(console, "log").mockImplementation(() => {});
  const p = new CellProgress("Sweep", "points", 1);
  p.add();
  p.end();
  expect(log).not.toHaveBeenCalled();
  log.mockRestore();
});
