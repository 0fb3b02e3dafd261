/** Makes a random module smaller while it still fails. */
import type { RandomModule } from "../../test/fuzz/modules/generate.js";
import { lists } from "../random-cuda/shrink.js";

function* modules(m: RandomModule): Generator<RandomModule> {
  for (const body of lists(m.body)) yield { ...m, body };
  if (m.helpers.length > 0) yield { ...m, helpers: m.helpers.slice(0, -1) };
  for (const [i, h] of m.helpers.entries())
    for (const body of lists(h.body)) yield { ...m, helpers: m.helpers.map((x, j) => (i === j ? { ...x, body } : x)) };
}

/** Takes each change after which it still fails, until none does. */
export function smallerModule(module: RandomModule, fails: (m: RandomModule) => boolean): RandomModule {
  let least = module;
  for (let again = true; again; ) {
    again = false;
    for (const less of modules(least)) {
      if (!fails(less)) continue;
      [least, again] = [less, true];
      break;
    }
  }
  return least;
}
