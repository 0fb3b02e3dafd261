import { type Move, movesText } from "../../lib/experiment/index";

test("moves in words", () => {
  const moves: Move[] = [
    { hoist: "loads" },
    { policy: "ilp", seed: 3, share: 0.25 },
    { shuffle: 7, reach: 2, share: 1 },
    { shuffle: 9, reach: 6, share: 0.5, density: 0.125 },
  ];
  expect(movesText(moves)).toBe(
    "hoist loads, ilp on 25 % of blocks, shuffle by 2, shuffle by 6 on 50 % of blocks, 12.5 % of instructions",
  );
  expect([movesText(null), movesText([])]).toEqual(["as it is", "new control words"]);
});
